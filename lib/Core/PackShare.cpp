//===- PackShare.cpp - rows that several workers write --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared row gets one private partial row per worker that writes it. Partials
// are numbered worker by worker, so that each worker's lie together, and
// combined in the order of workers.
//
//===----------------------------------------------------------------------===//

#include "PackStages.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// Dense numbers for the rows that segments write: the rows themselves, or,
/// where a tensor has far more rows than segments, ranks among those written.
class RowNumbers {
public:
  explicit RowNumbers(const Packed &packed) : rows(packed.shape[0]) {
    if (rows / 16 <= packed.segments() + 1024)
      return;
    written = packed.segmentRow;
    std::sort(written.begin(), written.end());
    written.erase(std::unique(written.begin(), written.end()), written.end());
    rows = int64_t(written.size());
  }

  size_t count() const { return size_t(rows); }
  size_t number(int32_t row) const {
    if (written.empty())
      return size_t(row);
    return size_t(std::lower_bound(written.begin(), written.end(), row) -
                  written.begin());
  }
  int32_t row(size_t number) const {
    return written.empty() ? int32_t(number) : written[number];
  }

private:
  int64_t rows;
  std::vector<int32_t> written;
};

class Sharer {
public:
  explicit Sharer(Packed &packed)
      : packed(packed), numbers(packed), writers(numbers.count(), 0),
        lastWorker(numbers.count(), -1) {}

  Status run() {
    countWriters();
    if (Status status = placePartials(); !status)
      return status;
    markSegments();
    return Success{};
  }

private:
  /// Calls body(worker, segment) for all segments in order.
  template <typename Body>
  void forSegments(Body body) {
    for (int64_t worker = 0; worker < packed.workers(); ++worker) {
      int64_t end = segmentsBefore(worker + 1);
      for (int64_t g = segmentsBefore(worker); g < end; ++g)
        body(worker, size_t(g));
    }
  }
  int64_t segmentsBefore(int64_t worker) const {
    return packed.spanSegment[size_t(packed.workerSpan[size_t(worker)])];
  }
  void countWriters();
  Status placePartials();
  void markSegments();

  Packed &packed;
  RowNumbers numbers;
  /// Workers that write a row; then, for shared rows, where the next partial
  /// of it goes in combinePartial.
  std::vector<int64_t> writers;
  std::vector<int64_t> lastWorker;
  std::vector<bool> shared;
};

void Sharer::countWriters() {
  forSegments([&](int64_t worker, size_t g) {
    size_t row = numbers.number(packed.segmentRow[g]);
    if (lastWorker[row] == worker)
      return;
    lastWorker[row] = worker;
    ++writers[row];
  });
}

Status Sharer::placePartials() {
  packed.combineBegin.assign(1, 0);
  shared.assign(numbers.count(), false);
  int64_t partials = 0;
  for (size_t row = 0; row < numbers.count(); ++row) {
    if (writers[row] < 2)
      continue;
    shared[row] = true;
    packed.combineRow.push_back(numbers.row(row));
    int64_t first = partials;
    partials += writers[row];
    packed.combineBegin.push_back(partials);
    writers[row] = first;
  }
  if (partials > std::numeric_limits<int32_t>::max())
    return Error{
        "expected at most 2147483647 rows of private partials but got " +
        std::to_string(partials) + "; use fewer workers"};
  packed.combinePartial.resize(size_t(partials));
  return Success{};
}

void Sharer::markSegments() {
  packed.segmentTarget = packed.segmentRow;
  std::fill(lastWorker.begin(), lastWorker.end(), -1);
  std::vector<int32_t> partialOf(packed.combineRow.empty() ? 0
                                                           : numbers.count());
  int32_t nextPartial = 0;
  forSegments([&](int64_t worker, size_t g) {
    size_t row = numbers.number(packed.segmentRow[g]);
    if (!shared[row])
      return;
    if (lastWorker[row] != worker) {
      lastWorker[row] = worker;
      partialOf[row] = nextPartial++;
      packed.combinePartial[size_t(writers[row]++)] = partialOf[row];
    }
    packed.segmentTarget[g] = ~partialOf[row];
    packed.segmentRow[g] = ~packed.segmentRow[g];
  });
}

} // namespace

Status shareRows(Packed &packed) { return Sharer(packed).run(); }

} // namespace astfe::core
