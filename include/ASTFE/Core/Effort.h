//===- Effort.h - bytes weighed by how far they come ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The traffic model (Traffic.h) says how many bytes a partition moves; on a
// processor with caches it matters more from where. The effort of a graph is
// counted by walking the nonzeros as a packed kernel does (group by group, rows
// in their new order) through caches that forget a row of the dense operands
// after so many others: a fixed number of steps for each nonzero, so
// O(nonzeros).
//
// The unit is a byte of an input row that is in the first-level cache. All rows
// count that much, and rows from further away more; so do segments (a row's
// begin and end in a group: outputs are read and written once more), output
// rows of several runs (private partials), and pages whose address has to be
// looked up. Consecutive rows are prefetched, others wait. The weights are
// measured: least regret of the choice over nine matrices
// (docs/Algorithms/Traffic.md).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_EFFORT_H
#define ASTFE_CORE_EFFORT_H

#include "ASTFE/Core/SparseView.h"
#include "ASTFE/Core/Traffic.h"

namespace astfe::core {

/// The caches of one core.
struct CacheModel {
  int64_t nearBytes = int64_t(32) << 10; ///< first level
  int64_t farBytes = int64_t(1) << 20;   ///< what is the core's own
  int64_t pageBytes = 4096;
  int64_t nearPages = 64, farPages = 3072; ///< whose addresses are known
};

/// The effort of `graph` on the nonzeros of `view`, cut into `runs` equal runs
/// with caches of their own. Fails where the shapes differ, for other than two
/// modes, no runs, and extents above 2^31-1.
Result<int64_t> countEffort(const TrafficModel &model, const SparseView &view,
                            const Graph &graph, int64_t runs,
                            const CacheModel &caches = {},
                            unsigned threads = 1);

} // namespace astfe::core

#endif // ASTFE_CORE_EFFORT_H
