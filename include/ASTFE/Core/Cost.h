//===- Cost.h - what a product costs on a machine -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts bytes, operations and seconds of C += A B, for a block, a group or a
// whole matrix, from a target's numbers. Traffic.h counts what must be moved if
// every group starts with an empty cache; this model asks which cache each row
// of B comes from and how long that takes.
//
// **Definition.** For every nonzero a kernel takes a row of B, r bytes of a
// column panel. It comes from the first cache that still has it: of k nonzeros,
// m1 miss L1, m2 <= m1 miss L2 and m3 <= m2 miss L3. An access to level l takes
// a_l(r) seconds, *measured with that very loop* (so that multiply-adds, loop
// overhead and the latencies that a processor hides are in it), and with p
// panels
//
//   access = p ( (k - m1) a_1 + (m1 - m2) a_2 + (m2 - m3) a_3 + m3 a_4
//                + segments x segmentSeconds )
//   stream = streamed bytes / bandwidth of the level where all operands fit
//   seconds = (max(access, stream) + min(access, stream) / 5) / threads
//             + startSeconds
//
// since a processor does both at once, though not perfectly (the fifth is
// fitted). Streamed are indices and values of A (once per panel), C (read and
// written), and the rows of B whose predecessor was missed a moment ago: the
// processor has fetched them ahead, so that their access costs a_1.
//
// **Misses** are known in two ways. countWork walks the nonzeros in the order
// in which they run and keeps each cache in generations: a generation ends when
// it has touched as many distinct rows as two thirds of the cache hold, and a
// row is there if this generation or the one before touched it. On average that
// is a full cache of rows last used, without a list to be kept in order.
// boxWork has only counts: k draws from the columns of a box touch d distinct
// ones (Cardenas), and of the k - d repeated draws a share 1 - cache / (d r)
// misses (random replacement); none are ahead.
//
// **Worked example.** Rows of B of 512 bytes, an L1 of 32 KiB: 64 rows fit.
// 1000 nonzeros that draw from 128 columns touch d = 128 of them, so
// m1 = 128 + 872 x (1 - 64/128) = 564; with L2 of 1 MiB m2 = m3 = 128. With a_1
// = 10 ns, a_2 = 20 ns and a_4 = 100 ns: 436 x 10 + 436 x 20 + 128 x 100 ns =
// 26 us.
//
// **Complexity.** boxWork: O(log k). countWork: O(nonzeros), three counters for
// each row of B. predict: O(1).
//
// The default numbers are those of a plain server core and the same everywhere,
// so that decisions at compile time are reproducible. measureMachine() takes
// some seconds; cachedMachine() does it once and keeps a JSON file.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_COST_H
#define ASTFE_CORE_COST_H

#include "ASTFE/Core/Space.h"
#include "ASTFE/Core/SparseView.h"
#include <array>

namespace astfe::core {

/// The target's numbers. Seconds are those of one thread while all run.
struct Machine {
  /// L1, L2, L3 and memory.
  static constexpr unsigned Levels = 4;
  /// Bytes of a row of B for which accesses are measured: one float, a vector
  /// of 16, a panel of 128.
  static constexpr std::array<int64_t, 3> Widths = {4, 64, 512};

  int64_t threads = 2;
  /// L1 and L2 of a thread, L3 of all.
  std::array<int64_t, Levels - 1> cacheBytes = {32 << 10, 1 << 20, 32 << 20};
  std::array<std::array<double, 3>, Levels> accessSeconds = {{
      {0.9e-9, 1.1e-9, 5.0e-9},
      {1.2e-9, 1.8e-9, 9.0e-9},
      {2.0e-9, 5.0e-9, 20e-9},
      {6.0e-9, 12e-9, 50e-9},
  }};
  std::array<double, Levels> streamBytesPerSecond = {60e9, 40e9, 20e9, 10e9};
  /// Beginning and ending a row, with the branch that is not foreseen.
  double segmentSeconds = 5e-9;
  /// Starting and joining the threads.
  double startSeconds = 2e-6;
  /// Profile, graph and packed tables, per nonzero.
  double packSeconds = 20e-9;

  /// Sizes ascend, and every time is positive and finite.
  Status check() const;
  /// Seconds to take `bytes` of B from a level and multiply by them.
  double access(unsigned level, int64_t bytes) const;
  bool operator==(const Machine &other) const;
};

/// What is multiplied, and how it is stored.
struct Product {
  int64_t columns = 1;      ///< of B
  int64_t elementBytes = 4; ///< of values, B and C
  int64_t indexBytes = 4;   ///< per nonzero
  int64_t columnTile = 128; ///< columns of a panel, at most

  int64_t panels() const;
  /// Of B, in one panel; kernels with several columns work on whole vectors.
  int64_t rowBytes() const;
};

/// What a run of nonzeros asks of the caches.
struct Work {
  int64_t nonzeros = 0;
  int64_t segments = 0; ///< rows that are begun and ended
  int64_t inputs = 0;   ///< distinct rows of B
  /// Rows of B that L1, L2, L3 do not have.
  std::array<int64_t, 3> misses = {0, 0, 0};
  /// Of those, the ones that were fetched ahead.
  std::array<int64_t, 3> sequential = {0, 0, 0};

  void add(const Work &other);
};

/// Nonzeros somewhere in a box of a matrix, from counts alone.
Work boxWork(const Machine &machine, const Product &product, const Box &box,
             ArrayRef<int64_t> shape, int64_t nonzeros);

/// The rows of a Csr view, in order, each thread with a run of them; fails for
/// other formats. Coordinates must be in range (check()).
Result<Work> countWork(const Machine &machine, const Product &product,
                       const SparseView &view);

struct Cost {
  int64_t operations = 0; ///< a multiplication and an addition are two
  int64_t bytes = 0;      ///< from beyond L2, and streamed
  double seconds = 0;
};

/// The work shared among all threads.
Cost predict(const Machine &machine, const Product &product, const Work &work);

/// Whether packing pays: gain per run x expected runs > set-up.
struct Repartition {
  double viewSeconds = 0, packedSeconds = 0, setUpSeconds = 0;
  bool pays = false;

  double gainPerRun() const { return viewSeconds - packedSeconds; }
  /// The least number of runs that pays; 0 where none does.
  int64_t breakEven() const;
};

/// `view` and `packed` are the same nonzeros in the orders of the two layouts,
/// `packedIndexBytes` what the latter stores per nonzero.
Repartition decideRepartition(const Machine &machine, const Product &product,
                              const Work &view, const Work &packed,
                              int64_t packedIndexBytes, int64_t expectedRuns);

//===----------------------------------------------------------------------===//
// The machine at hand
//===----------------------------------------------------------------------===//

std::string toJson(const Machine &machine);
/// The error names `name`, the field and what is wrong.
Result<Machine> parseMachine(std::string_view text, const std::string &name);

/// Measures this machine with `threads` threads; some seconds.
Machine measureMachine(unsigned threads);

/// The file of measured numbers: $XDG_CACHE_HOME/astfe/machine-THREADS.json, or
/// under $HOME/.cache; empty where neither is set.
std::string machineCachePath(unsigned threads);
/// Reads that file; where there is none, measures and writes it. Fails where
/// the file is there and wrong.
Result<Machine> cachedMachine(unsigned threads);

} // namespace astfe::core

#endif // ASTFE_CORE_COST_H
