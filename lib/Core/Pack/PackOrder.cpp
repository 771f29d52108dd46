//===- PackOrder.cpp - column windows, and order inside of groups ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group fits a cache, so it is sorted there: numbers relative to the group's
// smallest row and column take few radix passes.
//
//===----------------------------------------------------------------------===//

#include "Pack/PackOrder.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Support/StableSort.h"
#include <tuple>

namespace astfe::core {
namespace {

/// Buckets of at least this many nonzeros together make a piece.
constexpr int64_t kPiece = int64_t(1) << 16;

class BucketSorter {
public:
  BucketSorter(SortedNonzeros &nonzeros, Scratch<int64_t> &source,
               ArrayRef<int64_t> rowNumbers, const Windows &windows)
      : nonzeros(nonzeros), source(source), rowNumbers(rowNumbers),
        windows(windows) {}

  void sort(size_t bucket, int64_t begin, int64_t end);
  std::vector<SortedChunk> chunks;

private:
  int64_t rowKey(int64_t i) const {
    int32_t row = nonzeros.row[size_t(i)];
    return rowNumbers.empty() ? row : rowNumbers[size_t(row)];
  }
  int64_t windowOf(size_t bucket, int64_t i) const {
    return windows.tooMany() ? windows.place(bucket, nonzeros.column[size_t(i)])
                             : 0;
  }
  void sortFew(size_t bucket, int64_t begin);
  void sortMany(size_t bucket, int64_t begin);
  void sortBy(const std::vector<int64_t> &keys);
  void move(int64_t begin);
  void addChunks(size_t bucket, int64_t begin, int64_t end);

  SortedNonzeros &nonzeros;
  Scratch<int64_t> &source;
  ArrayRef<int64_t> rowNumbers;
  const Windows &windows;
  /// Nonzeros of the bucket in the order found so far, from 0 on.
  std::vector<int64_t> order;
  std::vector<int32_t> rows, columns;
  std::vector<int64_t> sources;
};

void BucketSorter::sortBy(const std::vector<int64_t> &keys) {
  bool ascends = true;
  for (size_t i = 1; i < order.size(); ++i)
    ascends &= keys[size_t(order[i - 1])] <= keys[size_t(order[i])];
  if (ascends)
    return;
  auto [least, most] = std::minmax_element(keys.begin(), keys.end());
  int64_t smallest = *least;
  auto keyOf = [&](int64_t i) { return uint64_t(keys[size_t(i)] - smallest); };
  stableSortBy(order, uint64_t(*most - smallest), keyOf);
}

/// By comparison; radix passes would cost more than these nonzeros.
void BucketSorter::sortFew(size_t bucket, int64_t begin) {
  auto keyOf = [&](int64_t i) {
    return std::make_tuple(windowOf(bucket, begin + i), rowKey(begin + i),
                           nonzeros.column[size_t(begin + i)], i);
  };
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return keyOf(a) < keyOf(b); });
}

/// Radix passes from the least significant key on.
void BucketSorter::sortMany(size_t bucket, int64_t begin) {
  std::vector<int64_t> keys(order.size());
  auto pass = [&](auto keyOf) {
    for (size_t i = 0; i < keys.size(); ++i)
      keys[i] = keyOf(begin + int64_t(i));
    sortBy(keys);
  };
  pass([&](int64_t i) { return int64_t(nonzeros.column[size_t(i)]); });
  pass([&](int64_t i) { return rowKey(i); });
  if (windows.tooMany())
    pass([&](int64_t i) { return windowOf(bucket, i); });
}

void BucketSorter::sort(size_t bucket, int64_t begin, int64_t end) {
  order = identityOrder(end - begin);
  constexpr int64_t kFew = 256;
  if (end - begin <= kFew)
    sortFew(bucket, begin);
  else
    sortMany(bucket, begin);
  move(begin);
  addChunks(bucket, begin, end);
}

void BucketSorter::move(int64_t begin) {
  rows.resize(order.size());
  columns.resize(order.size());
  sources.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    size_t from = size_t(begin + order[i]);
    rows[i] = nonzeros.row[from];
    columns[i] = nonzeros.column[from];
    sources[i] = source[from];
  }
  std::copy(rows.begin(), rows.end(), nonzeros.row.data() + begin);
  std::copy(columns.begin(), columns.end(), nonzeros.column.data() + begin);
  std::copy(sources.begin(), sources.end(), source.data() + begin);
}

void BucketSorter::addChunks(size_t bucket, int64_t begin, int64_t end) {
  if (!windows.tooMany()) {
    chunks.push_back({begin, windows.firstColumn(bucket)});
    return;
  }
  int64_t last = -1;
  for (int64_t i = begin; i < end; ++i) {
    int64_t window = windowOf(bucket, i);
    if (window != last)
      chunks.push_back({i, windows.firstColumn(bucket, window)});
    last = window;
  }
}

} // namespace

void Windows::number(int64_t nonzeros) {
  first.assign(smallest.size() + 1, 0);
  for (size_t group = 0; group < smallest.size(); ++group) {
    int64_t range = int64_t(largest[group]) - smallest[group];
    first[group + 1] =
        first[group] + (range < 0 ? 1 : uint64_t(range >> bits) + 1);
  }
  constexpr uint64_t kFew = uint64_t(1) << 16;
  many = first.back() > std::max(kFew, uint64_t(nonzeros) / 4);
}

int32_t Windows::firstColumn(size_t window) const {
  if (smallest.empty())
    return 0;
  size_t group = size_t(std::upper_bound(first.begin(), first.end(), window) -
                        first.begin()) -
                 1;
  return firstColumn(group, int64_t(window - first[group]));
}

void sortInside(SortedNonzeros &nonzeros, Scratch<int64_t> &source,
                ArrayRef<int64_t> begins, ArrayRef<int64_t> rowNumbers,
                const Windows &windows, unsigned threads) {
  std::vector<size_t> pieces{0};
  for (size_t b = 0; b + 1 < begins.size(); ++b)
    if (begins[b + 1] - begins[pieces.back()] >= kPiece)
      pieces.push_back(b + 1);
  if (pieces.back() + 1 < begins.size())
    pieces.push_back(begins.size() - 1);
  std::vector<std::vector<SortedChunk>> chunks(pieces.size() - 1);
  parallelFor(int64_t(chunks.size()), threads, [&](int64_t i) {
    BucketSorter sorter(nonzeros, source, rowNumbers, windows);
    for (size_t b = pieces[size_t(i)]; b < pieces[size_t(i) + 1]; ++b)
      if (begins[b] < begins[b + 1])
        sorter.sort(b, begins[b], begins[b + 1]);
    chunks[size_t(i)] = std::move(sorter.chunks);
  });
  for (const std::vector<SortedChunk> &found : chunks)
    nonzeros.chunks.insert(nonzeros.chunks.end(), found.begin(), found.end());
}

} // namespace astfe::core
