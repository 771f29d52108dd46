//===- RowMajor.cpp - matrices whose nonzeros ascend by row and column ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor/RowMajor.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Tensor/Nonzeros.h"
#include <atomic>

using namespace astfe::core;

/// The places i in [begin, end), i > 0, where array[i] < array[i - 1].
template <typename T>
static int64_t countDescents(const T *array, int64_t begin, int64_t end) {
  int64_t descents = 0;
  for (int64_t from = std::max<int64_t>(begin, 1); from < end;) {
    int64_t to = std::min(end, from + kBatch);
    int32_t found = 0;
    for (int64_t i = from; i < to; ++i)
      found += array[i] < array[i - 1];
    descents += found;
    from = to;
  }
  return descents;
}

static int64_t countDescents(const IndexArray &array, int64_t begin,
                             int64_t end) {
  return array.is64() ? countDescents(array.as64(), begin, end)
                      : countDescents(array.as32(), begin, end);
}

/// In rows that ascend, columns descend only where a row begins.
static bool columnsAscend(const SparseView &view, int64_t begin, int64_t end) {
  const IndexArray &columns = view.coordinates[0];
  int64_t descents = countDescents(columns, begin, end);
  if (descents == 0)
    return true;
  int64_t low = 0, high = view.positions.size() - 1;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (view.positions[middle] < std::max<int64_t>(begin, 1))
      low = middle + 1;
    else
      high = middle;
  }
  for (int64_t row = low, last = -1; row < view.positions.size(); ++row) {
    int64_t first = view.positions[row];
    if (first >= end)
      break;
    if (first != last)
      descents -= columns[first] < columns[first - 1];
    last = first;
  }
  return descents == 0;
}

static bool pairsAscend(const SparseView &view, int64_t begin, int64_t end) {
  const IndexArray &rows = view.coordinates[0], &columns = view.coordinates[1];
  for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i)
    if (rows[i - 1] > rows[i] ||
        (rows[i - 1] == rows[i] && columns[i - 1] > columns[i]))
      return false;
  return true;
}

bool astfe::core::isRowMajor(const SparseView &view, unsigned threads) {
  if (view.format == SparseFormat::Csc || view.levels)
    return false;
  std::atomic<bool> ascends{true};
  parallelFor(chunkCount(view.nonzeros()), threads, [&](int64_t chunk) {
    int64_t begin = chunk * kChunk;
    int64_t end = std::min(begin + kChunk, view.nonzeros());
    if (!ascends)
      return;
    if (view.format == SparseFormat::Csr ? !columnsAscend(view, begin, end)
                                         : !pairsAscend(view, begin, end))
      ascends = false;
  });
  return ascends;
}

NewRows::NewRows(const IndexArray &positions, ArrayRef<int64_t> numbers)
    : old(numbers.size()), before(numbers.size() + 1, 0) {
  for (size_t row = 0; row < numbers.size(); ++row)
    old[size_t(numbers[row])] = int64_t(row);
  for (size_t row = 0; row < old.size(); ++row)
    before[row + 1] =
        before[row] + positions[old[row] + 1] - positions[old[row]];
}

size_t NewRows::startingAt(int64_t nonzeros) const {
  if (nonzeros >= before.back())
    return old.size();
  return size_t(std::lower_bound(before.begin(), before.end(), nonzeros) -
                before.begin());
}
