//===- Touched.h - distinct indices that a run of blocks touches ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block with k nonzeros in a side of r indices touches each of them with
// probability u = 1-(1-1/r)^k (Cardenas). Blocks are taken as independent, so
// an index under blocks with u1, u2, ... is touched with 1-(1-u1)(1-u2)...
// Sides of boxes of one order are nested or disjoint, so a run's expected
// number of distinct indices is a sum over a forest: t(I) = S + u (|I| - S), S
// the sum of t over the intervals inside I. It is exact for the union of the
// run, never a sum over pairs, and never more than the sum of the parts.
//
// Only + - x / on doubles (and no fused multiply-add, see CMakeLists.txt), so
// that the same graph comes out on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_ORDER_TOUCHED_H
#define ASTFE_LIB_CORE_ORDER_TOUCHED_H

#include "ASTFE/Core/Order/Order.h"
#include <limits>
#include <memory>

namespace astfe::core {

/// One side of a box, cut off where the space ends.
struct Side {
  int64_t lower, length;
  double touched; ///< u

  int64_t upper() const { return lower + length; }
};

/// 1-(1-1/r)^k by doubling k: u(a+b) = u(a) + u(b)(1-u(a)) loses no digits,
/// however large r is.
double touchProbability(int64_t indices, int64_t draws);

/// touchProbability, bit for bit, for many draws of few numbers of indices: the
/// doublings are kept.
class TouchTable {
public:
  double operator()(int64_t indices, int64_t draws);

private:
  /// Results for fewer draws are kept.
  static constexpr int64_t kKept = 512;
  struct Row {
    int64_t indices = 0;
    unsigned known = 1;
    std::array<double, 64> powers{};  ///< u of 2^i draws
    std::array<double, kKept> kept{}; ///< u of i draws, or 0
  };
  Row &rowOf(int64_t indices);

  std::array<std::unique_ptr<Row>, 96> rows;
};

/// An expected number of indices as a whole one, rounded up (up, so that the
/// whole numbers of two runs add up to no less than that of their union).
inline int64_t wholeIndices(double expected) {
  // Less than any rounding of the sums before, and no reason for an index more.
  constexpr double kSlack = 1.0 / (int64_t(1) << 32);
  double least = expected * (1 - kSlack);
  constexpr auto kLargest = std::numeric_limits<int64_t>::max();
  if (!(least < double(kLargest)))
    return kLargest;
  auto whole = int64_t(least);
  return whole + (double(whole) < least);
}

/// Adds up the forest; reused to save allocations.
class TouchedSum {
public:
  /// The expected distinct indices under two lists of sides, each in the order
  /// of `lower`, longer ones first.
  double operator()(ArrayRef<Side> a, ArrayRef<Side> b);

private:
  struct Open {
    int64_t upper;
    double length, touched, inside;
  };
  std::vector<Open> stack;
};

/// Outer sides come before those inside them.
inline bool comesFirst(const Side &a, const Side &b) {
  return a.lower != b.lower ? a.lower < b.lower : a.length > b.length;
}

/// The two lists as one, equal sides joined: to `joined`, which has room for
/// all of them and may begin where `a` does if `b` lies behind that room's
/// first a.size() entries. Returns how many there are.
size_t joinSides(ArrayRef<Side> a, ArrayRef<Side> b, Side *joined);

/// The two lists as one, equal sides joined.
std::vector<Side> joinSides(ArrayRef<Side> a, ArrayRef<Side> b);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_ORDER_TOUCHED_H
