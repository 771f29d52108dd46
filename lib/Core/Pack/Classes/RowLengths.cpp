//===- RowLengths.cpp - rows sorted by length -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths are counted where they are few.
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/RowLengths.h"
#include "ASTFE/Core/Target/Constants.h"
#include <algorithm>

namespace astfe::core {

void LengthSorter::sort(std::vector<SortedRow> &rows, size_t begin,
                        size_t end) {
  const auto from = rows.begin() + int64_t(begin),
             to = rows.begin() + int64_t(end);
  int64_t least = from->count(), most = least;
  for (auto row = from; row != to; ++row) {
    least = std::min(least, row->count());
    most = std::max(most, row->count());
  }
  if (most - least > int64_t(rules::kSortedRows)) {
    std::sort(from, to, [](const SortedRow &a, const SortedRow &b) {
      return std::make_pair(-a.count(), a.begin) <
             std::make_pair(-b.count(), b.begin);
    });
    return;
  }
  // Where the rows of a length begin is how many are longer.
  lengths.assign(size_t(most - least) + 2, 0);
  for (auto row = from; row != to; ++row)
    ++lengths[size_t(most - row->count()) + 1];
  for (size_t i = 1; i < lengths.size(); ++i)
    lengths[i] += lengths[i - 1];
  sorted.resize(end - begin);
  for (auto row = from; row != to; ++row)
    sorted[lengths[size_t(most - row->count())]++] = *row;
  std::copy(sorted.begin(), sorted.end(), from);
}

int64_t countSurprises(const std::vector<SortedRow> &rows) {
  int64_t surprises = 0, last = rows.front().count();
  for (const SortedRow &row : rows) {
    surprises += row.count() != last;
    last = row.count();
  }
  return surprises;
}

} // namespace astfe::core
