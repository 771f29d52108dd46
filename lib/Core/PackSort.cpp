//===- PackSort.cpp - nonzeros by group, window, row and column -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable radix passes from the least significant key on. What the input is
// sorted by already needs no pass: CSR only sorts by group, CSC by row and
// group, and CSR along the order `rows` not at all.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Parallel.h"
#include "GroupFinder.h"
#include "PackStages.h"
#include "StableSort.h"
#include <algorithm>

namespace astfe::core {
namespace {

constexpr int64_t kChunk = 1 << 16;

/// Calls body(begin, end) for fixed pieces of 0..count.
template <typename Body>
void forPieces(int64_t count, unsigned threads, Body body) {
  parallelFor((count + kChunk - 1) / kChunk, threads, [&](int64_t piece) {
    body(piece * kChunk, std::min(count, (piece + 1) * kChunk));
  });
}

std::vector<int32_t> copyIndices(const IndexArray &from, unsigned threads) {
  std::vector<int32_t> result(size_t(from.size()));
  forPieces(from.size(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      result[size_t(i)] = int32_t(from[i]);
  });
  return result;
}

/// The compressed index of each nonzero.
std::vector<int32_t> expandPositions(const IndexArray &positions, int64_t count,
                                     unsigned threads) {
  std::vector<int32_t> result(static_cast<size_t>(count));
  forPieces(positions.size() - 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      std::fill(result.begin() + positions[i],
                result.begin() + positions[i + 1], int32_t(i));
  });
  return result;
}

class Sorter {
public:
  Sorter(const SparseView &view, const Graph &graph, unsigned columnBits,
         unsigned threads)
      : view(view), graph(graph), threads(threads),
        window(columnBits < 32 ? int64_t(1) << columnBits : 0) {}

  SortedNonzeros run() {
    coordinates();
    findGroups();
    if (window != 0)
      splitWindows();
    if (!sortedByAll())
      reorder();
    findChunks();
    return std::move(result);
  }

private:
  void coordinates();
  void findGroups();
  void splitWindows();
  bool sortedByAll() const;
  void reorder();
  void findChunks();
  int64_t count() const { return result.count(); }

  const SparseView &view;
  const Graph &graph;
  unsigned threads;
  int64_t window; ///< columns of a window; 0: all of them
  SortedNonzeros result;
  /// Group of each nonzero, then chunk; ascending with the group.
  std::vector<uint64_t> bucket;
  uint64_t largestBucket = 0;
  /// With windows: the first chunk and the smallest column of each group.
  std::vector<uint64_t> firstWindow;
  std::vector<int32_t> smallest;
};

void Sorter::coordinates() {
  int64_t nonzeros = view.nonzeros();
  switch (view.format) {
  case SparseFormat::Coo:
    result.row = copyIndices(view.coordinates[0], threads);
    result.column = copyIndices(view.coordinates[1], threads);
    return;
  case SparseFormat::Csr:
    result.row = expandPositions(view.positions, nonzeros, threads);
    result.column = copyIndices(view.coordinates[0], threads);
    return;
  case SparseFormat::Csc:
    result.row = copyIndices(view.coordinates[0], threads);
    result.column = expandPositions(view.positions, nonzeros, threads);
    return;
  }
}

void Sorter::findGroups() {
  if (graph.groupCount() <= 1) {
    bucket.assign(size_t(count()), 0);
    return;
  }
  largestBucket = graph.groupCount() - 1;
  std::vector<uint32_t> parts;
  encodeNonzeros(view, graph.space, parts, bucket, threads);
  GroupFinder finder(graph);
  forPieces(count(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      uint32_t part = parts.empty() ? 0 : parts[size_t(i)];
      bucket[size_t(i)] = finder.find(part, bucket[size_t(i)]);
    }
  });
}

/// Numbers the windows of all groups and makes them the buckets.
void Sorter::splitWindows() {
  size_t groups = size_t(largestBucket) + 1;
  smallest.assign(groups, std::numeric_limits<int32_t>::max());
  std::vector<int32_t> largest(groups, -1);
  for (int64_t i = 0; i < count(); ++i) {
    size_t group = size_t(bucket[size_t(i)]);
    smallest[group] = std::min(smallest[group], result.column[size_t(i)]);
    largest[group] = std::max(largest[group], result.column[size_t(i)]);
  }
  firstWindow.assign(groups + 1, 0);
  for (size_t group = 0; group < groups; ++group) {
    int64_t range = int64_t(largest[group]) - smallest[group];
    firstWindow[group + 1] =
        firstWindow[group] + (range < 0 ? 1 : uint64_t(range / window) + 1);
  }
  largestBucket = firstWindow.back() - 1;
  forPieces(count(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      size_t group = size_t(bucket[size_t(i)]);
      int64_t offset = int64_t(result.column[size_t(i)]) - smallest[group];
      bucket[size_t(i)] = firstWindow[group] + uint64_t(offset / window);
    }
  });
}

bool Sorter::sortedByAll() const {
  for (size_t i = 1; i < bucket.size(); ++i) {
    if (bucket[i - 1] != bucket[i]) {
      if (bucket[i - 1] > bucket[i])
        return false;
      continue;
    }
    if (result.row[i - 1] > result.row[i] ||
        (result.row[i - 1] == result.row[i] &&
         result.column[i - 1] > result.column[i]))
      return false;
  }
  return true;
}

void Sorter::reorder() {
  const int32_t *row = result.row.data(), *column = result.column.data();
  bool byColumn = true, byRowAndColumn = true;
  for (int64_t i = 1; i < count(); ++i) {
    byColumn &= column[i - 1] <= column[i];
    byRowAndColumn &= row[i - 1] < row[i] ||
                      (row[i - 1] == row[i] && column[i - 1] <= column[i]);
  }
  std::vector<int64_t> order = identityOrder(count());
  if (!byRowAndColumn && !byColumn)
    stableSortBy(
        order, uint64_t(view.shape[1]),
        [column](int64_t i) { return uint64_t(column[i]); }, threads);
  if (!byRowAndColumn)
    stableSortBy(
        order, uint64_t(view.shape[0]),
        [row](int64_t i) { return uint64_t(row[i]); }, threads);
  const uint64_t *buckets = bucket.data();
  stableSortBy(
      order, largestBucket, [buckets](int64_t i) { return buckets[i]; },
      threads);

  std::vector<int32_t> sortedRow(order.size()), sortedColumn(order.size());
  std::vector<uint64_t> sortedBucket(order.size());
  forPieces(count(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      size_t from = size_t(order[size_t(i)]);
      sortedRow[size_t(i)] = result.row[from];
      sortedColumn[size_t(i)] = result.column[from];
      sortedBucket[size_t(i)] = bucket[from];
    }
  });
  result.row = std::move(sortedRow);
  result.column = std::move(sortedColumn);
  bucket = std::move(sortedBucket);
  result.source = std::move(order);
}

void Sorter::findChunks() {
  size_t group = 0;
  for (int64_t i = 0; i < count(); ++i) {
    uint64_t mine = bucket[size_t(i)];
    if (i != 0 && mine == bucket[size_t(i - 1)])
      continue;
    int64_t column = 0;
    if (window != 0) {
      while (firstWindow[group + 1] <= mine)
        ++group;
      column = smallest[group] + int64_t(mine - firstWindow[group]) * window;
    }
    result.chunks.push_back({i, int32_t(column)});
  }
}

} // namespace

SortedNonzeros sortNonzeros(const SparseView &view, const Graph &graph,
                            unsigned columnBits, unsigned threads) {
  return Sorter(view, graph, columnBits, threads).run();
}

} // namespace astfe::core
