//===- Difference.h - how far a result is from its reference ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References of floats are computed in float64, those of integers modulo their
// width, for every semiring. What a float may differ by, with u the unit
// roundoff that sums are computed with:
//
//   sums of k terms     (k + 2) u of the sum of |terms| (Higham, Accuracy and
//                       Stability of Numerical Algorithms, section 3.1)
//   least and largest   as a sum of one term: of the largest one's size
//   halves              as in f32, and then rounded once; where every product
//                       and sum is rounded, as upstream does, k terms of p
//                       operands by (1 + u)^p (1 + k u) - 1, with u the halves'
//                       own: sums of k numbers are within k u of the sum of
//                       |terms| for any k and in any order (C.-P. Jeannerod,
//                       S. M. Rump, Improved error bounds for inner products in
//                       floating-point arithmetic, 2013). Each product may be
//                       off by an absolute u 2^-14 (of f16) below the least
//                       normal number, too. A bound of 1 or more says nothing:
//                       such elements are counted, not compared
//   complex numbers     each part by the sum of |terms| too: twice as many real
//                       products, which are at most as large together
//   products            where f32 and f64 underflow, also by the least
//                       subnormal number for each operand of each term, as
//                       rounding is absolute there (section 2.1)
//
// A sample is a (x . y), whatever a is. Only upstream's, which adds up a x y,
// may be that where a is infinite.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_DIFFERENCE_H
#define ASTFE_TOOLS_RUN_DIFFERENCE_H

#include "ASTFE/Core/Kernel/Arithmetic.h"
#include "Dense.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace astfe::run {

/// Where sums of halves are rounded: once, or at each of their products and
/// sums.
enum class Rounding { Once, EachStep };

/// How far a result is from its reference.
struct Difference {
  /// max |c - reference| / (sum of |terms|); infinite where one is NaN and the
  /// other is not, and where integers differ.
  double maxRelative = 0;
  /// Every entry lies within its bound.
  bool passed = true;
  /// Entries that were not compared, as no bound says anything of them.
  int64_t unbounded = 0;

  void note(double error, double bound) {
    maxRelative = std::max(maxRelative, error);
    passed &= error <= bound;
  }
  void note(const Difference &other) {
    maxRelative = std::max(maxRelative, other.maxRelative);
    passed &= other.passed;
    unbounded += other.unbounded;
  }
};

/// A semiring over numbers: double, complex ones of double, or uint64_t that
/// are `bits` wide.
template <core::Semiring S, typename N>
struct Ring {
  using Number = N;
  static constexpr bool isComplex =
      std::is_same_v<Number, std::complex<double>>;
  static constexpr bool isFloat = isComplex || std::is_same_v<Number, double>;
  static constexpr bool isSum = S == core::Semiring::PlusTimes;
  static constexpr bool isLeast = S == core::Semiring::MinPlus;
  /// Factors are added.
  static constexpr bool adds = isLeast || S == core::Semiring::MaxPlus;
  unsigned bits;

  /// Sign-extended from the width.
  Number wrapped(Number x) const {
    if constexpr (isFloat)
      return x;
    else
      return Number(int64_t(x << (64 - bits)) >> (64 - bits));
  }
  Number times(Number a, Number b) const {
    if constexpr (S == core::Semiring::OrAnd && !isFloat)
      return a & b;
    else
      return wrapped(adds ? a + b : a * b);
  }
  /// A bound of what times() rounds, for bounds of its factors.
  double sizeOfTimes(double a, double b) const { return adds ? a + b : a * b; }
  Number plus(Number a, Number b) const {
    if constexpr (isSum)
      return wrapped(a + b);
    else if constexpr (S == core::Semiring::OrAnd && !isFloat)
      return a | b;
    else if constexpr (isFloat)
      return std::isnan(a) || (!std::isnan(b) && isLeast == (a < b)) ? a : b;
    else
      return isLeast == (int64_t(a) < int64_t(b)) ? a : b;
  }
  Number identity() const {
    if constexpr (isSum || S == core::Semiring::OrAnd)
      return 0;
    else if constexpr (isFloat)
      return isLeast ? std::numeric_limits<double>::infinity()
                     : -std::numeric_limits<double>::infinity();
    else
      return isLeast ? (Number(1) << (bits - 1)) - 1
                     : wrapped(Number(1) << (bits - 1));
  }
  Number numberAt(const Dense &dense, int64_t i) const {
    if constexpr (isComplex)
      return {dense.at(i), dense.at(i, 1)};
    else if constexpr (isFloat)
      return dense.at(i);
    else
      return Number(dense.integerAt(i));
  }
};

/// A product of operands' elements.
template <typename Ring>
struct Term {
  typename Ring::Number value;
  double size; ///< of floats; see Ring::sizeOfTimes

  Term(const Ring &ring, const Dense &dense, int64_t i)
      : value(ring.numberAt(dense, i)), size(sizeOf(value)) {}
  static double sizeOf(const typename Ring::Number &value) {
    if constexpr (Ring::isComplex)
      return std::abs(value);
    else
      return std::fabs(double(value));
  }
  void multiply(const Ring &ring, const Term &other) {
    value = ring.times(value, other.value);
    size = ring.sizeOfTimes(size, other.size);
  }
};

/// What an element of the result has to be.
template <typename Ring>
struct Expected {
  typename Ring::Number value;
  double size = 0; ///< the sum of |terms|, or the largest one's
  int64_t terms = 0;

  explicit Expected(const Ring &ring) : value(ring.identity()) {}
  void add(const Ring &ring, const Term<Ring> &term) {
    value = ring.plus(value, term.value);
    size = Ring::isSum ? size + term.size : std::max(size, term.size);
    ++terms;
  }
  /// The sum, times a factor.
  void multiply(const Ring &ring, const Term<Ring> &factor) {
    value = ring.times(factor.value, value);
    size = ring.sizeOfTimes(factor.size, size);
  }
};

/// Calls body(Ring) with that of an arithmetic.
template <typename Body>
auto withRing(const core::Arithmetic &arithmetic, Body body) {
  using core::Semiring;
  const auto bits = unsigned(8 * core::elementBytes(arithmetic.result()));
  const bool isInteger = core::isInteger(arithmetic.element);
  if (core::isComplex(arithmetic.element))
    return body(Ring<Semiring::PlusTimes, std::complex<double>>{bits});
#define ASTFE_SEMIRING(Name, name, What)                                       \
  if (arithmetic.semiring == Semiring::Name)                                   \
    return isInteger ? body(Ring<Semiring::Name, uint64_t>{bits})              \
                     : body(Ring<Semiring::Name, double>{bits});
#include "ASTFE/Core/Kernel/Semirings.def"
  return body(Ring<Semiring::PlusTimes, double>{bits});
}

/// Bytes of what an element has to be.
inline double referenceBytes(const core::Arithmetic &arithmetic) {
  return withRing(arithmetic, [](auto ring) {
    return double(sizeof(Expected<decltype(ring)>));
  });
}

/// What a run begins from: what adds nothing to the sums, or all ones, NaN in
/// floats, where it has to write every element.
void fillForRun(Dense &result, const core::Arithmetic &arithmetic,
                bool accumulate);

/// How a float was computed, from so many terms, each a product of so many
/// operands.
struct Steps {
  core::Arithmetic arithmetic;
  Rounding rounding;
  int64_t terms, operands;
};
/// Notes a float; `size` is the sum of |terms|, or the largest one's.
void noteFloat(const Steps &steps, double got, double want, double size,
               Difference &difference);

/// Notes element `i` of the result; terms are products of so many operands.
template <typename Ring>
void noteElement(const Ring &ring, const core::Arithmetic &arithmetic,
                 Rounding rounding, const Dense &result, int64_t i,
                 const Expected<Ring> &expected, int64_t operands,
                 Difference &difference) {
  if constexpr (Ring::isComplex) {
    const Steps steps{arithmetic, rounding, 2 * expected.terms, 4 * operands};
    noteFloat(steps, result.at(i), expected.value.real(), expected.size,
              difference);
    noteFloat(steps, result.at(i, 1), expected.value.imag(), expected.size,
              difference);
  } else if constexpr (Ring::isFloat)
    noteFloat({arithmetic, rounding, expected.terms, operands}, result.at(i),
              expected.value, expected.size, difference);
  else
    difference.note(ring.numberAt(result, i) == expected.value
                        ? 0
                        : std::numeric_limits<double>::infinity(),
                    0);
}

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_DIFFERENCE_H
