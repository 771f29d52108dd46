//===- Touched.cpp - distinct indices that a run of blocks touches --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Touched.h"
#include <cmath>
#include <limits>

using namespace astfe::core;

double astfe::core::touchProbability(int64_t indices, int64_t draws) {
  if (indices <= 0 || draws <= 0)
    return 0;
  double result = 0, power = 1 / double(indices);
  for (; draws != 0; draws >>= 1) {
    if (draws & 1)
      result = result + power * (1 - result);
    power = power + power * (1 - power);
  }
  return result;
}

int64_t astfe::core::wholeIndices(double expected) {
  // Less than any rounding of the sums before, and no reason for an index more.
  constexpr double kSlack = 1.0 / (int64_t(1) << 32);
  double whole = std::ceil(expected * (1 - kSlack));
  constexpr auto kLargest = std::numeric_limits<int64_t>::max();
  return whole < double(kLargest) ? int64_t(whole) : kLargest;
}

/// Outer sides come before those inside them.
static bool comesFirst(const Side &a, const Side &b) {
  return a.lower != b.lower ? a.lower < b.lower : a.length > b.length;
}

void TouchedSum::closeUpTo(int64_t lower) {
  while (!stack.empty() && stack.back().side.upper() <= lower) {
    Open done = stack.back();
    stack.pop_back();
    double untouched = double(done.side.length) - done.inside;
    double sum = done.inside + done.side.touched * untouched;
    (stack.empty() ? total : stack.back().inside) += sum;
  }
}

void TouchedSum::open(const Side &side) {
  closeUpTo(side.lower);
  stack.push_back({side, 0});
}

double TouchedSum::operator()(ArrayRef<Side> a, ArrayRef<Side> b) {
  total = 0;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    bool takeA = j == b.size() || (i < a.size() && !comesFirst(b[j], a[i]));
    open(takeA ? a[i++] : b[j++]);
  }
  closeUpTo(std::numeric_limits<int64_t>::max());
  return total;
}

std::vector<Side> astfe::core::joinSides(ArrayRef<Side> a, ArrayRef<Side> b) {
  std::vector<Side> joined;
  joined.reserve(a.size() + b.size());
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    bool takeA = j == b.size() || (i < a.size() && !comesFirst(b[j], a[i]));
    const Side &side = takeA ? a[i++] : b[j++];
    if (!joined.empty() && joined.back().lower == side.lower &&
        joined.back().length == side.length)
      joined.back().touched += side.touched * (1 - joined.back().touched);
    else
      joined.push_back(side);
  }
  return joined;
}
