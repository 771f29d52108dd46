//===- WorkSample.h - the nonzeros that work is counted on ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counting caches along all nonzeros takes as long as packing them. Four
// stretches along the order tell as much of a large matrix; rows in their own
// order, or in that of new numbers, need not even be sorted for it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_COST_WORKSAMPLE_H
#define ASTFE_LIB_CORE_COST_WORKSAMPLE_H

#include "ASTFE/Core/Cost/Cost.h"
#include "Pack/PackStages.h"

namespace astfe::core {

/// A run of chunks.
struct Stretch {
  size_t first, last;
  int64_t thread;
};

/// Nonzeros in the order in which they run, and those stretches of them that
/// are looked at.
struct Sample {
  SortedNonzeros nonzeros;
  std::vector<Stretch> stretches;
  /// Of all nonzeros, whatever the sample is.
  Work distinct;
};

/// The nonzeros as pack() would store them, each thread with an equal run of
/// them, and of those about `options.sample`; all where a few long rows would
/// make it a sample of none.
Sample sampleOf(const SparseView &view, const Graph &graph, int64_t threads,
                const CountOptions &options);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_COST_WORKSAMPLE_H
