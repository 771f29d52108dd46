//===- BrickKernel.cpp - MTTKRP over bricks, by hand ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickKernel.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "OnThreads.h"

using namespace astfe::core;

namespace astfe::bench {

double BrickProblem::bytesPerNonzero() const {
  int64_t bytes = 0;
  for (const auto &mode : bricks.copies)
    bytes += mode->bytesStreamed() + bricks.nonzeros * int64_t(sizeof(float));
  return double(bytes) / double(bricks.nonzeros);
}

Result<BrickProblem> makeBricks(const Problem &problem, Bricks bricks,
                                int64_t threads) {
  BrickProblem result;
  result.threads = threads;
  BrickOptions options;
  options.threads = unsigned(threads);
  for (unsigned k = 0; k < bricks.rank(); ++k) {
    if (Status s = addCopy(bricks, k, options); !s)
      return s.error();
    Result<BrickShares> shares = shareRows(bricks, k, threads);
    if (!shares)
      return shares.error();
    result.shares.push_back(std::move(*shares));
    result.values.emplace_back(size_t(bricks.nonzeros));
    packValues(bricks, k, problem.values.data(), result.values[k].data());
  }
  result.bricks = std::move(bricks);
  return result;
}

namespace {

void prefetch(const Row &row) {
  __builtin_prefetch(&row.low);
  __builtin_prefetch(&row.high);
}

/// What the segments of one brick are walked with; A is the type of the outer
/// mode's coordinates, by fiber where there are fibers, and B of the inner's.
template <typename Key, typename A, typename B>
struct Walk {
  const Key *rows;
  const uint16_t *rowLast;
  const A *a;
  const B *b;
  const float *values;
  const Row *factorA, *factorB;
  Row *out;
  int64_t lastSlot, lastRow;

  void prefetchOut(int64_t g) const {
    const Row &next = out[rows[std::min(g + kAheadRows, lastRow)]];
    __builtin_prefetch(&next.low, 1);
    __builtin_prefetch(&next.high, 1);
  }

  /// Segments [first, stop), the first of which begins at `slot`.
  void bySlots(int64_t first, int64_t stop, int64_t slot) const {
    for (int64_t g = first; g < stop; ++g) {
      prefetchOut(g);
      Row &row = out[rows[g]];
      Vector low = row.low, high = row.high;
      for (const int64_t past = int64_t(rowLast[g]) + 1; slot < past; ++slot) {
        const int64_t ahead = std::min(slot + kAhead, lastSlot);
        prefetch(factorA[a[ahead]]);
        prefetch(factorB[b[ahead]]);
        const Row &rowA = factorA[a[slot]], &rowB = factorB[b[slot]];
        const float value = values[slot];
        low += value * rowA.low * rowB.low;
        high += value * rowA.high * rowB.high;
      }
      row.low = low;
      row.high = high;
    }
  }

  /// The same where `a` and `fiberLast` are by fiber; the first fiber is
  /// `fiber`, the brick's last one `lastFiber`.
  void byFibers(int64_t first, int64_t stop, int64_t slot, int64_t fiber,
                int64_t lastFiber, const uint16_t *fiberLast) const {
    for (int64_t g = first; g < stop; ++g) {
      prefetchOut(g);
      Row &row = out[rows[g]];
      Vector sumLow = row.low, sumHigh = row.high;
      for (const int64_t past = int64_t(rowLast[g]) + 1; slot < past; ++fiber) {
        prefetch(factorA[a[std::min(fiber + kAheadRows, lastFiber)]]);
        Vector low{}, high{};
        for (const int64_t end = int64_t(fiberLast[fiber]) + 1; slot < end;
             ++slot) {
          prefetch(factorB[b[std::min(slot + kAhead, lastSlot)]]);
          const Row &rowB = factorB[b[slot]];
          low += values[slot] * rowB.low;
          high += values[slot] * rowB.high;
        }
        const Row &rowA = factorA[a[fiber]];
        sumLow += low * rowA.low;
        sumHigh += high * rowA.high;
      }
      row.low = sumLow;
      row.high = sumHigh;
    }
  }
};

class Worker {
public:
  Worker(const Problem &problem, const BrickProblem &packed, unsigned key,
         Rows &out, int64_t range)
      : problem(problem), packed(packed), key(key), out(out), range(range),
        copy(*packed.bricks.copies[key]) {}

  void run() {
    const BrickShares &shares = packed.shares[key];
    const int64_t first = shares.rows[size_t(range)];
    std::memset(static_cast<void *>(out.data() + first), 0,
                size_t(shares.rows[size_t(range) + 1] - first) * sizeof(Row));
    const int64_t *segment = shares.segment.data() + range;
    for (int64_t b = 0; b < packed.bricks.bricks(); ++b) {
      const int64_t *mine = segment + b * (shares.ranges + 1);
      if (mine[0] < mine[1])
        walkBrick(b, mine[0], mine[1]);
    }
  }

private:
  void walkBrick(int64_t brick, int64_t first, int64_t stop) {
    std::pair<unsigned, unsigned> modes = problem.others(key);
    if (copy.fiberMode == modes.second)
      std::swap(modes.first, modes.second);
    const LocalArray &outer =
        copy.fiberMode ? copy.fibers.coordinate : copy.coordinates[modes.first];
    copy.segments.coordinate.visit([&](const auto *rows) {
      outer.visit([&](const auto *a) {
        copy.coordinates[modes.second].visit([&](const auto *b) {
          walkTyped(brick, first, stop, modes, rows, a, b);
        });
      });
    });
  }

  template <typename Key, typename A, typename B>
  void walkTyped(int64_t brick, int64_t first, int64_t stop,
                 std::pair<unsigned, unsigned> modes, const Key *rows,
                 const A *a, const B *b) {
    const Bricks &bricks = packed.bricks;
    const int64_t begin = bricks.brickSlot[size_t(brick)];
    const int64_t *origin =
        bricks.origin.data() + size_t(brick) * bricks.rank();
    const Walk<Key, A, B> walk{
        rows,
        copy.segments.last.data(),
        copy.fiberMode ? a : a + begin,
        b + begin,
        packed.values[key].data() + begin,
        problem.factors[modes.first].data() + origin[modes.first],
        problem.factors[modes.second].data() + origin[modes.second],
        out.data() + origin[key],
        bricks.brickSlot[size_t(brick) + 1] - begin - 1,
        copy.segments.begin[size_t(brick) + 1] - 1};
    const int64_t slot = copy.segments.firstSlot(brick, first);
    if (copy.fiberMode)
      walk.byFibers(first, stop, slot, copy.fibers.find(brick, slot),
                    copy.fibers.begin[size_t(brick) + 1] - 1,
                    copy.fibers.last.data());
    else
      walk.bySlots(first, stop, slot);
  }

  const Problem &problem;
  const BrickProblem &packed;
  unsigned key;
  Rows &out;
  int64_t range;
  const ModeCopy &copy;
};

} // namespace

void runBricks(const Problem &problem, const BrickProblem &packed, unsigned key,
               Rows &out) {
  const int64_t ranges = packed.shares[key].ranges / packed.threads;
  onThreads(packed.threads, [&](int64_t thread) {
    for (int64_t r = thread * ranges; r < (thread + 1) * ranges; ++r)
      Worker(problem, packed, key, out, r).run();
  });
}

} // namespace astfe::bench
