//===- PackShare.cpp - rows that several workers write --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared row gets one private partial row per worker that writes it. Partials
// are numbered worker by worker, so that each worker's lie together, and
// combined in the order of workers.
//
// In parallel, with the same result: the first and last worker of each row come
// from minima and maxima, which no order of updates changes; workers number
// their partials from 0, and those of the workers before them are added then.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "Pack/PackStages.h"
#include "Pack/RowNumbers.h"
#include <atomic>

namespace astfe::core {
namespace {

constexpr uint32_t kNone = ~uint32_t(0);
/// Fewer segments are done before another thread has begun.
constexpr int64_t kFew = int64_t(1) << 16;

/// The workers that write one row: the lowest and the highest. Once all are
/// known, `lowest` is the place in the combine list, or kNone if not shared.
struct Writers {
  std::atomic<uint32_t> lowest{kNone}, highest{0};
};

class Sharer {
public:
  Sharer(Packed &packed, unsigned threads)
      : packed(packed), threads(packed.segments() < kFew ? 1 : threads),
        numbers(packed) {
    for (int64_t worker = 0; worker < packed.workers(); ++worker)
      if (segmentsBefore(worker) < segmentsBefore(worker + 1))
        busy.push_back(worker);
  }

  Status run();

private:
  int64_t segmentsBefore(int64_t worker) const {
    return packed.spanSegment[size_t(packed.workerSpan[size_t(worker)])];
  }
  /// Calls body(segment) for the segments of the w-th busy worker.
  template <typename Body>
  void forSegments(size_t w, Body body) const {
    int64_t end = segmentsBefore(busy[w] + 1);
    for (int64_t g = segmentsBefore(busy[w]); g < end; ++g)
      body(size_t(g));
  }
  void findWriters();
  void findShared();
  void numberPartials();
  void numberPartials(size_t firstWorker, size_t lastWorker);
  Status combine();
  void addOffsets();

  Packed &packed;
  unsigned threads;
  RowNumbers numbers;
  /// The workers that have segments.
  std::vector<int64_t> busy;
  std::unique_ptr<Writers[]> writers;
  /// The shared rows of each busy worker, as places in the combine list, in the
  /// order in which it first writes them; and the partials before its own.
  std::vector<std::vector<uint32_t>> partials;
  std::vector<int64_t> offset;
};

Status Sharer::run() {
  packed.combineBegin.assign(1, 0);
  packed.segmentTarget.resize(packed.segmentRow.size());
  if (busy.size() >= kNone)
    return Error{"expected at most 4294967294 workers with work but got " +
                 std::to_string(busy.size())};
  if (busy.size() > 1) {
    writers.reset(new Writers[numbers.count()]);
    findWriters();
    findShared();
  }
  if (packed.combineRow.empty()) {
    std::copy(packed.segmentRow.begin(), packed.segmentRow.end(),
              packed.segmentTarget.begin());
    return Success{};
  }
  numberPartials();
  if (Status status = combine(); !status)
    return status;
  addOffsets();
  return Success{};
}

/// Sets `value` to `wanted` where that is `better`.
template <typename Better>
void improve(std::atomic<uint32_t> &value, uint32_t wanted, Better better) {
  uint32_t known = value.load(std::memory_order_relaxed);
  while (better(wanted, known) &&
         !value.compare_exchange_weak(known, wanted, std::memory_order_relaxed))
    continue;
}

void Sharer::findWriters() {
  if (threads <= 1) {
    // Workers come in order: the first one seen is the lowest.
    for (size_t w = 0; w < busy.size(); ++w)
      forSegments(w, [&](size_t g) {
        Writers &row = writers[numbers.number(packed.segmentRow[g])];
        if (row.lowest.load(std::memory_order_relaxed) == kNone)
          row.lowest.store(uint32_t(w), std::memory_order_relaxed);
        row.highest.store(uint32_t(w), std::memory_order_relaxed);
      });
    return;
  }
  parallelFor(int64_t(busy.size()), threads, [&](int64_t w) {
    auto mine = uint32_t(w);
    forSegments(size_t(w), [&](size_t g) {
      Writers &row = writers[numbers.number(packed.segmentRow[g])];
      improve(row.lowest, mine, std::less<uint32_t>());
      improve(row.highest, mine, std::greater<uint32_t>());
    });
  });
}

void Sharer::findShared() {
  for (size_t row = 0; row < numbers.count(); ++row) {
    uint32_t lowest = writers[row].lowest;
    bool shared = lowest != kNone && lowest != writers[row].highest;
    writers[row].lowest = shared ? uint32_t(packed.combineRow.size()) : kNone;
    if (shared)
      packed.combineRow.push_back(numbers.row(row));
  }
}

/// Runs of workers, one for each thread, as each needs tables of shared rows.
void Sharer::numberPartials() {
  partials.resize(busy.size());
  auto runs = std::min<int64_t>(std::max(threads, 1u), int64_t(busy.size()));
  runs = std::min<int64_t>(runs, 64);
  parallelFor(runs, threads, [&](int64_t run) {
    numberPartials(busy.size() * size_t(run) / size_t(runs),
                   busy.size() * size_t(run + 1) / size_t(runs));
  });
}

void Sharer::numberPartials(size_t firstWorker, size_t lastWorker) {
  struct Known {
    uint32_t worker, partial;
  };
  std::vector<Known> known(packed.combineRow.size(), {kNone, 0});
  for (size_t w = firstWorker; w < lastWorker; ++w)
    forSegments(w, [&](size_t g) {
      int32_t row = packed.segmentRow[g];
      uint32_t place =
          writers[numbers.number(row)].lowest.load(std::memory_order_relaxed);
      if (place == kNone) {
        packed.segmentTarget[g] = row;
        return;
      }
      if (known[place].worker != w) {
        known[place] = {uint32_t(w), uint32_t(partials[w].size())};
        partials[w].push_back(place);
      }
      packed.segmentRow[g] = ~row;
      packed.segmentTarget[g] = ~int32_t(known[place].partial);
    });
}

Status Sharer::combine() {
  offset.assign(1, 0);
  packed.combineBegin.assign(packed.combineRow.size() + 1, 0);
  for (const std::vector<uint32_t> &places : partials) {
    offset.push_back(offset.back() + int64_t(places.size()));
    for (uint32_t place : places)
      ++packed.combineBegin[place + 1];
  }
  if (offset.back() > std::numeric_limits<int32_t>::max())
    return Error{
        "expected at most 2147483647 rows of private partials but got " +
        std::to_string(offset.back()) + "; use fewer workers"};
  for (size_t i = 1; i < packed.combineBegin.size(); ++i)
    packed.combineBegin[i] += packed.combineBegin[i - 1];
  std::vector<int64_t> next = packed.combineBegin;
  packed.combinePartial.resize(size_t(offset.back()));
  int32_t partial = 0;
  for (const std::vector<uint32_t> &places : partials)
    for (uint32_t place : places)
      packed.combinePartial[size_t(next[place]++)] = partial++;
  return Success{};
}

void Sharer::addOffsets() {
  parallelFor(int64_t(busy.size()), threads, [&](int64_t w) {
    auto before = int32_t(offset[size_t(w)]);
    forSegments(size_t(w), [&](size_t g) {
      int32_t &target = packed.segmentTarget[g];
      target -= target < 0 ? before : 0;
    });
  });
}

} // namespace

Status shareRows(Packed &packed, unsigned threads) {
  return Sharer(packed, threads).run();
}

} // namespace astfe::core
