//===- Touched.cpp - distinct indices that a run of blocks touches --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order/Touched.h"
#include "llvm/Support/MathExtras.h"
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

/// Sides are mostly powers of two; the others share what rows are left.
TouchTable::Row &TouchTable::rowOf(int64_t indices) {
  auto number = uint64_t(indices);
  size_t place = llvm::isPowerOf2_64(number)
                     ? llvm::Log2_64(number)
                     : 64 + (number * 0x9e3779b97f4a7c15 >> 59);
  std::unique_ptr<Row> &row = rows[place];
  if (!row)
    row = std::make_unique<Row>();
  if (row->indices != indices) {
    *row = Row();
    row->indices = indices;
    row->powers[0] = 1 / double(indices);
  }
  return *row;
}

double TouchTable::operator()(int64_t indices, int64_t draws) {
  if (indices <= 0 || draws <= 0)
    return 0;
  Row &row = rowOf(indices);
  double *kept = draws < kKept ? &row.kept[size_t(draws)] : nullptr;
  if (kept && *kept > 0)
    return *kept;
  for (; uint64_t(draws) >> row.known != 0; ++row.known) {
    double power = row.powers[row.known - 1];
    row.powers[row.known] = power + power * (1 - power);
  }
  double result = 0;
  for (uint64_t left = uint64_t(draws); left != 0; left &= left - 1)
    result = result + row.powers[llvm::countr_zero(left)] * (1 - result);
  if (kept)
    *kept = result;
  return result;
}

static double sumOfTwo(const Side &first, const Side &second) {
  double inner = second.touched * double(second.length);
  if (first.upper() <= second.lower)
    return first.touched * double(first.length) + inner;
  return inner + first.touched * (double(first.length) - inner);
}

double TouchedSum::operator()(ArrayRef<Side> a, ArrayRef<Side> b) {
  if (a.size() == 1 && b.empty())
    return a[0].touched * double(a[0].length);
  if (a.size() == 1 && b.size() == 1)
    return comesFirst(b[0], a[0]) ? sumOfTwo(b[0], a[0]) : sumOfTwo(a[0], b[0]);
  if (stack.size() < a.size() + b.size() + 1)
    stack.resize(2 * (a.size() + b.size() + 1));
  // The bottom is never closed; what is closed above adds up there.
  Open *top = stack.data();
  *top = {std::numeric_limits<int64_t>::max(), 0, 0, 0};
  auto close = [&] {
    double untouched = top->length - top->inside;
    double sum = top->inside + top->touched * untouched;
    (--top)->inside += sum;
  };
  auto open = [&](const Side &side) {
    while (top->upper <= side.lower)
      close();
    *++top = {side.upper(), double(side.length), side.touched, 0};
  };
  const Side *i = a.begin(), *j = b.begin();
  while (i != a.end() && j != b.end())
    open(comesFirst(*j, *i) ? *j++ : *i++);
  for (; i != a.end(); ++i)
    open(*i);
  for (; j != b.end(); ++j)
    open(*j);
  while (top != stack.data())
    close();
  return top->inside;
}

size_t astfe::core::joinSides(ArrayRef<Side> a, ArrayRef<Side> b,
                              Side *joined) {
  size_t count = 0, i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    bool takeA = j == b.size() || (i < a.size() && !comesFirst(b[j], a[i]));
    const Side side = takeA ? a[i++] : b[j++];
    if (count > 0 && joined[count - 1].lower == side.lower &&
        joined[count - 1].length == side.length)
      joined[count - 1].touched +=
          side.touched * (1 - joined[count - 1].touched);
    else
      joined[count++] = side;
  }
  return count;
}

std::vector<Side> astfe::core::joinSides(ArrayRef<Side> a, ArrayRef<Side> b) {
  std::vector<Side> joined(a.size() + b.size());
  joined.resize(joinSides(a, b, joined.data()));
  return joined;
}
