//===- BrickKernel.cpp - MTTKRP over bricks, by hand ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickKernel.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Support/Parallel.h"

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

/// One worker's segments of one brick.
template <typename Key, typename A, typename B>
struct Walk {
  const Key *rows;
  const uint16_t *last;
  const A *a;
  const B *b;
  const float *values;
  const Row *factorA, *factorB;
  Row *out;
  int64_t end; ///< the brick's last slot

  void run(int64_t first, int64_t stop, int64_t slot) const {
    for (int64_t g = first; g < stop; ++g) {
      Row &row = out[rows[g]];
      Vector low = row.low, high = row.high;
      for (const int64_t past = int64_t(last[g]) + 1; slot < past; ++slot) {
        const int64_t ahead = std::min(slot + kAhead, end);
        __builtin_prefetch(&factorA[a[ahead]].low);
        __builtin_prefetch(&factorA[a[ahead]].high);
        __builtin_prefetch(&factorB[b[ahead]].low);
        __builtin_prefetch(&factorB[b[ahead]].high);
        const Row &rowA = factorA[a[slot]], &rowB = factorB[b[slot]];
        const float value = values[slot];
        low += value * rowA.low * rowB.low;
        high += value * rowA.high * rowB.high;
      }
      row.low = low;
      row.high = high;
    }
  }
};

class Worker {
public:
  Worker(const Problem &problem, const BrickProblem &packed, unsigned key,
         Rows &out, int64_t worker)
      : problem(problem), packed(packed), key(key), out(out), worker(worker),
        copy(*packed.bricks.copies[key]) {}

  void run() {
    const BrickShares &shares = packed.shares[key];
    const int64_t first = shares.rows[size_t(worker)];
    std::memset(static_cast<void *>(out.data() + first), 0,
                size_t(shares.rows[size_t(worker) + 1] - first) * sizeof(Row));
    const int64_t *segment = shares.segment.data() + worker;
    for (int64_t b = 0; b < packed.bricks.bricks(); ++b) {
      const int64_t *mine = segment + b * (shares.workers + 1);
      if (mine[0] < mine[1])
        walkBrick(b, mine[0], mine[1]);
    }
  }

private:
  void walkBrick(int64_t brick, int64_t first, int64_t stop) {
    const std::pair<unsigned, unsigned> modes = problem.others(key);
    copy.segmentRow.visit([&](const auto *rows) {
      copy.coordinates[modes.first].visit([&](const auto *a) {
        copy.coordinates[modes.second].visit(
            [&](const auto *b) { walkTyped(brick, first, stop, rows, a, b); });
      });
    });
  }

  template <typename Key, typename A, typename B>
  void walkTyped(int64_t brick, int64_t first, int64_t stop, const Key *rows,
                 const A *a, const B *b) {
    const Bricks &bricks = packed.bricks;
    auto [ma, mb] = problem.others(key);
    const int64_t slot = bricks.brickSlot[size_t(brick)];
    const int64_t *origin =
        bricks.origin.data() + size_t(brick) * bricks.rank();
    const uint16_t *last = copy.segmentLast.data();
    const Walk<Key, A, B> walk{rows,
                               last,
                               a + slot,
                               b + slot,
                               packed.values[key].data() + slot,
                               problem.factors[ma].data() + origin[ma],
                               problem.factors[mb].data() + origin[mb],
                               out.data() + origin[key],
                               bricks.brickSlot[size_t(brick) + 1] - slot - 1};
    const bool begins = first == copy.brickSegment[size_t(brick)];
    walk.run(first, stop, begins ? 0 : int64_t(last[first - 1]) + 1);
  }

  const Problem &problem;
  const BrickProblem &packed;
  unsigned key;
  Rows &out;
  int64_t worker;
  const ModeCopy &copy;
};

} // namespace

void runBricks(const Problem &problem, const BrickProblem &packed, unsigned key,
               Rows &out) {
  const int64_t workers = packed.shares[key].workers;
  parallelFor(workers, unsigned(workers), [&](int64_t worker) {
    Worker(problem, packed, key, out, worker).run();
  });
}

} // namespace astfe::bench
