//===- PackStarts.cpp - what a kernel that overwrites stores --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target, a row of the output or of the partials, belongs to one worker, so
// workers can be looked at in any order and at the same time: the first segment
// of its worker to write a target is the first of all.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "Pack/PackGaps.h"
#include "Pack/PackStages.h"

namespace astfe::core {
namespace {

/// Fewer segments are done before another thread has begun.
constexpr int64_t kFew = int64_t(1) << 16;

class Starter {
public:
  Starter(Packed &packed, unsigned threads)
      : packed(packed), threads(packed.segments() < kFew ? 1 : threads),
        numbers(packed) {}

  void run() {
    if (repeats())
      mark();
    for (int32_t row : packed.combineRow)
      seen[numbers.number(row)] = 1;
    findGaps(packed, numbers, seen, writersOf());
  }

private:
  /// Calls body(segment, whether another segment wrote its target before).
  template <typename Body>
  void forSegments(Body body);
  bool repeats();
  void mark();
  std::vector<int32_t> writersOf() const;

  Packed &packed;
  unsigned threads;
  RowNumbers numbers;
  /// By row, then by partial row: a segment writes it.
  std::vector<uint8_t> seen;
};

template <typename Body>
void Starter::forSegments(Body body) {
  seen.assign(numbers.count() + size_t(packed.partialRows()), 0);
  parallelFor(packed.workers(), threads, [&](int64_t w) {
    int64_t begin = packed.spanSegment[size_t(packed.workerSpan[size_t(w)])];
    int64_t end = packed.spanSegment[size_t(packed.workerSpan[size_t(w) + 1])];
    for (int64_t g = begin; g < end; ++g) {
      int32_t target = packed.segmentTarget[size_t(g)];
      uint8_t &known = seen[target < 0 ? numbers.count() + size_t(~target)
                                       : numbers.number(target)];
      body(size_t(g), known != 0);
      known = 1;
    }
  });
}

bool Starter::repeats() {
  std::atomic<bool> any{false};
  forSegments([&](size_t, bool again) {
    if (again && !any.load(std::memory_order_relaxed))
      any.store(true, std::memory_order_relaxed);
  });
  return any;
}

void Starter::mark() {
  packed.segmentFirst.resize(size_t(packed.segments()));
  forSegments([&](size_t g, bool again) { packed.segmentFirst[g] = !again; });
}

/// The worker of each row, by its number, where gaps may go on beyond rows; any
/// of a shared row, which is combined after all workers are done.
std::vector<int32_t> Starter::writersOf() const {
  std::vector<int32_t> writers;
  if (packed.layout.joinedRows() == 0)
    return writers;
  writers.assign(numbers.count(), AnyWorker);
  parallelFor(packed.workers(), threads, [&](int64_t w) {
    int64_t begin = packed.spanSegment[size_t(packed.workerSpan[size_t(w)])];
    int64_t end = packed.spanSegment[size_t(packed.workerSpan[size_t(w) + 1])];
    for (int64_t g = begin; g < end; ++g)
      if (int32_t target = packed.segmentTarget[size_t(g)]; target >= 0)
        writers[numbers.number(target)] = int32_t(w);
  });
  return writers;
}

} // namespace

void findStarts(Packed &packed, unsigned threads) {
  Starter(packed, threads).run();
}

} // namespace astfe::core
