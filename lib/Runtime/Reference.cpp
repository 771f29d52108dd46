//===- Reference.cpp - C = A B in float64 over packed tables --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "ASTFE/Core/Support/RelativeError.h"

#include <algorithm>
#include <cmath>

using namespace astfe;
using core::Packed;

/// The column of a slot; `first` is the segment's first slot.
static int64_t columnOf(const Packed &p, int64_t span, int64_t slot,
                        int64_t first) {
  int64_t origin = p.spanColumn[size_t(span)];
  if (core::SegmentClass(p.spanClass[size_t(span)]) ==
      core::SegmentClass::DenseTile)
    return origin + slot - first;
  switch (p.layout.columnBits) {
  case 8:
    return origin + p.columns8[size_t(slot)];
  case 16:
    return origin + p.columns16[size_t(slot)];
  default:
    return p.columns32[size_t(slot)];
  }
}

/// Calls `term(row, column, slot)` for every slot that holds a nonzero. Zeros
/// that fill a tile hold none: the sparse product never touches them.
template <typename Term>
static void forEachTerm(const Packed &p, Term term) {
  std::vector<bool> held(size_t(p.slots), p.isInOrder());
  for (int64_t slot : p.slotOf)
    held[size_t(slot)] = true;
  for (int64_t span = 0; span < p.spans(); ++span) {
    int64_t base = p.spanSlot[size_t(span)], first = base;
    for (int64_t g = p.spanSegment[size_t(span)];
         g < p.spanSegment[size_t(span) + 1]; ++g) {
      int64_t row = p.segmentRow[size_t(g)];
      row = row < 0 ? ~row : row;
      int64_t end = base + p.segmentEnd[size_t(g)];
      for (int64_t slot = first; slot < end; ++slot)
        if (held[size_t(slot)])
          term(row, columnOf(p, span, slot, first), slot);
      first = end;
    }
  }
}

/// `each(take)` calls take(row, column, value) for all of A.
template <typename T, typename Each>
static double worstError(const std::vector<T> &b, const std::vector<T> &c,
                         int64_t columns, Each each) {
  std::vector<double> sum(c.size()), size(c.size());
  each([&](int64_t row, int64_t column, double value) {
    for (int64_t j = 0; j < columns; ++j) {
      const double term = value * double(b[size_t(column * columns + j)]);
      sum[size_t(row * columns + j)] += term;
      size[size_t(row * columns + j)] += std::abs(term);
    }
  });
  double worst = 0;
  for (size_t i = 0; i < c.size(); ++i)
    worst = std::max(worst, core::relativeError(double(c[i]), sum[i], size[i]));
  return worst;
}

template <typename T>
double rt::maxRelativeError(const Packed &pattern, const std::vector<T> &values,
                            const std::vector<T> &b, const std::vector<T> &c,
                            int64_t columns) {
  return worstError(b, c, columns, [&](auto take) {
    forEachTerm(pattern, [&](int64_t row, int64_t column, int64_t slot) {
      take(row, column, double(values[size_t(slot)]));
    });
  });
}

template <typename T>
double rt::maxRelativeError(const core::CsrMatrix &a, const std::vector<T> &b,
                            const std::vector<T> &c, int64_t columns) {
  return worstError(b, c, columns, [&](auto take) {
    for (int64_t row = 0; row < a.rows; ++row)
      for (int64_t n = a.positions[size_t(row)];
           n < a.positions[size_t(row) + 1]; ++n)
        // As the kernel has it.
        take(row, a.coordinates[size_t(n)], double(T(a.values[size_t(n)])));
  });
}

template double rt::maxRelativeError(const core::CsrMatrix &,
                                     const std::vector<float> &,
                                     const std::vector<float> &, int64_t);
template double rt::maxRelativeError(const core::CsrMatrix &,
                                     const std::vector<double> &,
                                     const std::vector<double> &, int64_t);
template double rt::maxRelativeError(const Packed &, const std::vector<float> &,
                                     const std::vector<float> &,
                                     const std::vector<float> &, int64_t);
template double rt::maxRelativeError(const Packed &,
                                     const std::vector<double> &,
                                     const std::vector<double> &,
                                     const std::vector<double> &, int64_t);
