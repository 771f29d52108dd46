//===- CountEffort.cpp - bytes weighed by how far they come ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Effort.h"
#include "PackStages.h"
#include "RunTraffic.h"
#include <algorithm>
#include <limits>

namespace astfe::core {
namespace {

/// Weights in bytes, or, of what moves whole rows, per byte of the row; 1/16.
constexpr int64_t kSixteenths = 16;
constexpr int64_t kNonzero = 100 * kSixteenths, kSegment = 1900 * kSixteenths;
constexpr int64_t kNearMiss = 25, kFarMiss = 10, kPartial = 17 * kSixteenths;
constexpr int64_t kRandomMiss = 68 * kSixteenths;
constexpr int64_t kNearPage = 134 * kSixteenths, kFarPage = 24000 * kSixteenths;
/// The segments' weight was measured with rows of at most so many bytes. Of
/// wider ones the rest is read, and written back from where it no longer is in
/// a cache: so much for each byte.
constexpr int64_t kSegmentBytes = 512, kWideOutput = 6 * kSixteenths;
/// A row that follows one of the last so many misses is prefetched.
constexpr int64_t kStreams = 16;

/// Forgets what so many misses have passed since: first in, first out, but for
/// hits, which are as good as new.
class Cache {
public:
  Cache(int64_t numbers, int64_t capacity)
      : seen(size_t(numbers), -kLongAgo),
        capacity(std::max<int64_t>(capacity, 1)) {}

  /// True for a miss.
  bool touch(int64_t number) {
    bool miss = misses - seen[size_t(number)] >= capacity;
    misses += miss;
    seen[size_t(number)] = misses;
    return miss;
  }
  /// Whether the row before is among the last streams.
  bool follows(int64_t number) const {
    return number > 0 && misses - seen[size_t(number) - 1] < kStreams;
  }
  /// Empty again, in constant time.
  void forget() { misses += kLongAgo; }

private:
  static constexpr int64_t kLongAgo = int64_t(1) << 40;
  std::vector<int64_t> seen;
  int64_t capacity, misses = 0;
};

/// The rows of the operand and of the result, in one numbering.
class Walk {
public:
  Walk(const TrafficModel &model, const CacheModel &caches, int64_t rows,
       int64_t columns)
      : rowBytes(std::max<int64_t>(
            1, saturatingMultiply(model.columns, model.elementBytes))),
        rowsPerPage(std::max<int64_t>(1, caches.pageBytes / rowBytes)),
        pagesPerRow(std::max<int64_t>(1, rowBytes / caches.pageBytes)),
        // No page holds rows of both.
        firstOutput((columns / rowsPerPage + 2) * rowsPerPage),
        near(firstOutput + rows, caches.nearBytes / rowBytes),
        far(firstOutput + rows, caches.farBytes / rowBytes),
        nearPages(pageOf(firstOutput + rows) + 1,
                  caches.nearPages / pagesPerRow),
        farPages(pageOf(firstOutput + rows) + 1,
                 caches.farPages / pagesPerRow) {}

  void beginRun() {
    for (Cache *cache : {&near, &far, &nearPages, &farPages})
      cache->forget();
  }
  void input(int64_t column) {
    add(rowBytes * kSixteenths + kNonzero);
    touch(column);
  }
  void output(int64_t row) {
    add(kSegment);
    add(kWideOutput * std::max<int64_t>(0, rowBytes - kSegmentBytes));
    touch(firstOutput + row);
  }
  void partials(int64_t count) {
    add(saturatingMultiply(count, saturatingMultiply(rowBytes, kPartial)));
  }
  int64_t effort() const { return sum / kSixteenths; }

private:
  int64_t pageOf(int64_t row) const { return row / rowsPerPage; }
  void add(int64_t effort) { sum = saturatingAdd(sum, effort); }

  void touch(int64_t row) {
    if (near.touch(row))
      add(rowBytes * kNearMiss);
    bool random = !far.follows(row);
    if (far.touch(row))
      add(rowBytes * kFarMiss + (random ? kRandomMiss : 0));
    if (nearPages.touch(pageOf(row)))
      add(pagesPerRow * kNearPage);
    if (farPages.touch(pageOf(row)))
      add(pagesPerRow * kFarPage);
  }

  int64_t rowBytes, rowsPerPage, pagesPerRow, firstOutput;
  Cache near, far, nearPages, farPages;
  int64_t sum = 0;
};

/// For each row that several runs write, how many do; summed up.
class Sharers {
public:
  explicit Sharers(int64_t rows)
      : last(size_t(rows), -1), runsOf(size_t(rows), 0) {}

  void write(int32_t row, int64_t run) {
    runsOf[size_t(row)] += last[size_t(row)] != run;
    last[size_t(row)] = run;
  }
  int64_t partials() const {
    int64_t sum = 0;
    for (int64_t runs : runsOf)
      sum += runs > 1 ? runs : 0;
    return sum;
  }

private:
  std::vector<int64_t> last, runsOf;
};

int64_t walkAll(const SortedNonzeros &nonzeros, int64_t runs, int64_t rows,
                Walk &walk) {
  Sharers sharers(rows);
  size_t chunk = 0;
  for (int64_t run = 0, i = 0; run < runs; ++run) {
    walk.beginRun();
    auto end = int64_t(__int128(nonzeros.count()) * (run + 1) / runs);
    for (bool begins = true; i < end; ++i, begins = false) {
      while (i >= nonzeros.chunkEnd(chunk)) {
        ++chunk;
        begins = true;
      }
      int32_t row = nonzeros.row[size_t(i)];
      if (begins || row != nonzeros.row[size_t(i) - 1]) {
        walk.output(row);
        sharers.write(row, run);
      }
      walk.input(nonzeros.column[size_t(i)]);
    }
  }
  walk.partials(sharers.partials());
  return walk.effort();
}

Status checkInput(const TrafficModel &model, const SparseView &view,
                  const Graph &graph, int64_t runs) {
  if (Status status = check(model); !status)
    return status;
  if (runs < 1)
    return Error{"expected at least 1 run but got " + std::to_string(runs)};
  if (view.rank() != 2)
    return Error{"expected a matrix but got a tensor of rank " +
                 std::to_string(view.rank())};
  if (view.shape != graph.space.shape)
    return Error{"expected a tensor of the graph's shape but got another"};
  for (int64_t extent : view.shape)
    if (extent > std::numeric_limits<int32_t>::max())
      return Error{"expected extents of at most 2147483647 but got " +
                   std::to_string(extent)};
  return view.check();
}

} // namespace

Result<int64_t> countEffort(const TrafficModel &model, const SparseView &view,
                            const Graph &graph, int64_t runs,
                            const CacheModel &caches, unsigned threads) {
  if (Status status = checkInput(model, view, graph, runs); !status)
    return status.error();
  if (view.nonzeros() == 0)
    return int64_t(0);
  Walk walk(model, caches, view.shape[0], view.shape[1]);
  return walkAll(sortNonzeros(view, graph, 32, threads),
                 std::min(runs, view.nonzeros()), view.shape[0], walk);
}

} // namespace astfe::core
