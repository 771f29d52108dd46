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
#include "Pack/PackStages.h"
#include "Pack/RowNumbers.h"

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
    findGaps();
  }

private:
  /// Calls body(segment, whether another segment wrote its target before).
  template <typename Body>
  void forSegments(Body body);
  bool repeats();
  void mark();
  void findGaps();
  void shareGaps();

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

/// The runs of rows between those that are written.
void Starter::findGaps() {
  auto add = [&](int64_t begin, int64_t end) {
    if (begin == end)
      return;
    packed.gapBegin.push_back(int32_t(begin));
    packed.gapEnd.push_back(int32_t(end));
  };
  int64_t next = 0;
  for (size_t n = 0; n < numbers.count(); ++n) {
    if (!seen[n])
      continue;
    add(next, numbers.row(n));
    next = int64_t(numbers.row(n)) + 1;
  }
  add(next, packed.shape[0]);
  shareGaps();
}

/// Cuts the gaps so that each worker has equal numbers of their rows.
void Starter::shareGaps() {
  Table<int32_t> begins, ends;
  begins.swap(packed.gapBegin);
  ends.swap(packed.gapEnd);
  int64_t rows = 0, before = 0, worker = 0;
  for (size_t i = 0; i < begins.size(); ++i)
    rows += ends[i] - begins[i];
  const int64_t workers = packed.workers();
  auto bound = [&](int64_t w) {
    return rows / workers * w + std::min(w, rows % workers);
  };
  packed.workerGap.assign(1, 0);
  for (size_t i = 0; i < begins.size(); ++i) {
    for (int64_t begin = begins[i], end = ends[i]; begin < end;) {
      for (; before == bound(worker + 1); ++worker)
        packed.workerGap.push_back(packed.gaps());
      int64_t taken = std::min(end - begin, bound(worker + 1) - before);
      packed.gapBegin.push_back(int32_t(begin));
      packed.gapEnd.push_back(int32_t(begin + taken));
      begin += taken;
      before += taken;
    }
  }
  packed.workerGap.resize(size_t(workers) + 1, packed.gaps());
}

} // namespace

void findStarts(Packed &packed, unsigned threads) {
  Starter(packed, threads).run();
}

} // namespace astfe::core
