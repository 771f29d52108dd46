//===- Cost.h - what a product costs on a machine -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts bytes, operations and seconds of C += A B, for a block, a graph or a
// whole matrix, from a target's numbers (Machine.h). Traffic.h counts what must
// be moved if every group starts with an empty cache; this model asks which
// cache each row of B and C comes from and how long that takes. order=auto, the
// repartition rule and the benchmarks ask it.
//
// **Definition.** For every nonzero a kernel takes a row of B, r bytes of a
// column tile. It comes from the first cache that still has it: of k nonzeros,
// m1 miss L1, m2 <= m1 miss L2, and so on. An access to level l takes
// a_l(r) seconds, *measured with that very loop* (so that multiply-adds, loop
// overhead and the latencies that a processor hides are in it), and with p
// column tiles
//
//   access = p ( (k - m1) a_1 + (m1 - m2) a_2 + (m2 - m3) a_3 + ... )
//            + segments x rowSeconds + surprises x surpriseSeconds
//            + outputs from further than L1, read and written
//   stream = streamed bytes / bandwidth of the level where all operands fit
//   seconds = (max(access, stream) + min(access, stream) / 5) / threads
//             x slowest + startSeconds
//
// since a processor does both at once, though not perfectly (the fifth is
// fitted). Threads have equal nonzeros, and a numbering may give one of them
// those that are near and another those that are not: `slowest` is the formula
// for the thread with the most over their mean. A surprise is a segment of
// another length than the one before, which no branch predictor foresees.
// Streamed are indices and values of A, and the rows of B and C whose
// predecessor was missed a moment ago: the processor has fetched them ahead, so
// that their access costs a_1. From a cache 0.7 of a_l - a_1 is added to
// that instead for wide rows, where it is less than the stream.
//
// **Samples**, S = A .* (X Y^T), take a row of Y for each nonzero as products
// take one of B, and a row of X for each segment. That is read and not written,
// so that a segment takes half of rowSeconds, rows of X that are missed cost
// what rows of Y do, and no thread shares one. From beyond L2 they cost as much
// as a row of C there, which is waited for: all nonzeros of a row need X first.
// From memory an access is waiting by itself. Where X takes more than some L2,
// kernels ask for its rows segments ahead, and nothing waits. Surprises count
// for nothing, as no sum has to be ready at the end of a row. Streamed is an
// element a nonzero more, the sample; putting these back in order takes alike
// for all orders.
//
// **Misses** are known in two ways. countWork walks the nonzeros in the order
// in which they run, as views or as packed spans, and keeps each cache in
// generations: a generation ends when it has touched as many distinct rows as
// two thirds of the cache hold, and a row is there if this generation or the
// one before touched it. On average that is a full cache of rows last used,
// without a list to be kept in order. boxWork has only counts: k draws from the
// columns of a box touch d distinct ones (Cardenas), and of the k - d repeated
// draws a share 1 - cache / (d r) misses (random replacement); none are ahead.
//
// **Worked example.** Rows of B of 512 bytes, an L1 of 32 KiB: 64 rows fit.
// 1000 nonzeros that draw from 128 columns touch d = 128 of them, so
// m1 = 128 + 872 x (1 - 64/128) = 564; with L2 of 1 MiB all others are 128.
// With a_1 = 10 ns, a_2 = 20 ns and 100 ns from memory: 436 x 10 + 436 x 20 +
// 128 x 100 ns = 26 us.
//
// **Complexity.** boxWork: O(log k). countWork: O(nonzeros), 36 bytes for each
// row of B and C. predict: O(1).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_COST_COST_H
#define ASTFE_CORE_COST_COST_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Kernel/Kernel.h"
#include "ASTFE/Core/Target/Machine.h"
#include "ASTFE/Core/Tensor/SparseView.h"
#include <limits>

namespace astfe::core {

/// What is multiplied, and how it is stored.
struct Product {
  int64_t columns = 1;      ///< of B
  int64_t elementBytes = 4; ///< of values, B and C
  int64_t indexBytes = 4;   ///< per nonzero
  int64_t columnTile = 128; ///< columns that a kernel takes at a time, at most
  /// S = A .* (X Y^T) instead, of rows of X and Y with so many columns.
  bool samples = false;
  int64_t inputRows = 0; ///< of X

  /// Whether kernels ask for the rows of X ahead, and early enough.
  bool fetchesInputs() const;
  /// Of A, and of samples, for each nonzero.
  int64_t streamedBytes() const;
  int64_t columnTiles() const;
  /// Of B, in one column tile; kernels with several columns work on whole
  /// vectors.
  int64_t rowBytes() const;
  /// Of a whole row of B or C.
  int64_t denseBytes() const;
  /// The classes that pack may use for it on a host.
  ClassSet classes() const;
  /// Columns of its windows.
  int64_t windowColumns() const;
};

/// Rows of one dense operand that the caches do not have, and those of them
/// that were fetched ahead.
struct Misses {
  std::array<int64_t, Machine::Caches> all = {}, sequential = {};

  void add(const Misses &other);
};

/// What a run of nonzeros asks of the caches.
struct Work {
  int64_t nonzeros = 0;
  int64_t segments = 0;  ///< rows that are begun and ended
  int64_t surprises = 0; ///< of those, of another length than the one before
  int64_t outputs = 0;   ///< rows of C that are read and written, each time
  int64_t tiled = 0;     ///< nonzeros in dense tiles
  Misses b, c;
  /// Distinct rows of B and C, of all threads together and of each, added up.
  int64_t rows = 0, threadRows = 0;
  /// Rows of C that several threads write, once for each.
  int64_t shared = 0;
  /// Time of the slowest thread over the mean: threads with equal nonzeros may
  /// take different times.
  double slowest = 1;

  void add(const Work &other);
};

/// Nonzeros somewhere in a box of a matrix, from counts alone.
Work boxWork(const Machine &machine, const Product &product, const Box &box,
             ArrayRef<int64_t> shape, int64_t nonzeros);

/// The rows of a Csr view, in order, each thread with a run of them; fails for
/// other formats. Coordinates must be in range (check()).
Result<Work> countWork(const Machine &machine, const Product &product,
                       const SparseView &view);

/// How a packed pattern is counted.
struct CountOptions {
  /// Look at about so many nonzeros only, in four stretches along the order.
  int64_t sample = std::numeric_limits<int64_t>::max();
  unsigned threads = 1; ///< only changes the time
};

/// The nonzeros as pack() would store them by `graph`, each thread with an
/// equal run of them. Fails where the shapes differ, for other than two modes
/// and for extents above 2^31-1. Coordinates must be in range (check()).
Result<Work> countWork(const Machine &machine, const Product &product,
                       const SparseView &view, const Graph &graph,
                       const CountOptions &options = {});

struct Cost {
  int64_t operations = 0; ///< a multiplication and an addition are two
  int64_t bytes = 0;      ///< from beyond L2, and streamed
  double seconds = 0;
};

/// The fitted numbers of the formula: benchmarks/cost tries others.
struct CostWeights {
  double notHidden = rules::kNotHidden;
  double tileSaves = rules::kTileSaves;
  double oneColumnTileSaves = rules::kOneColumnTileSaves;
  double randomOutput = rules::kRandomOutput;
  double randomOutputFromMemory = rules::kRandomOutputFromMemory;
  double fetchedOutputFromMemory = rules::kFetchedOutputFromMemory;
  double streamedOutput = rules::kStreamedOutput;
  double aheadInCache = rules::kAheadInCache;
};

/// The work shared among all threads.
Cost predict(const Machine &machine, const Product &product, const Work &work,
             const CostWeights &weights = {});

/// What no order of the same nonzeros can beat: every row of B taken from L1,
/// A, B and C streamed once from where they fit.
double leastSeconds(const Machine &machine, const Product &product,
                    const Work &work);

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

} // namespace astfe::core

#endif // ASTFE_CORE_COST_COST_H
