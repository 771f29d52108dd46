//===- Partition.h - G(0), the uniform grid -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// G(0): blocks after a complete round of the order, the first round at which a
// non-empty block holds at most `leaf` nonzeros on average. A bin of the
// profile that is coarser than that grid stays one block: finer blocks would be
// a guess.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_PARTITION_H
#define ASTFE_CORE_GRAPH_PARTITION_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Target/Constants.h"

namespace astfe::core {

struct PartitionOptions {
  /// Mean nonzeros of a non-empty block; 0 is "auto": fine enough that the
  /// largest of `workers` x 16 equal shares holds one block.
  int64_t leaf = 0;
  int64_t workers = rules::kPlannedWorkers;
};

Result<Graph> partition(const Profile &profile,
                        const PartitionOptions &options = {});

/// One block of everything in a space of one part; none of no nonzeros.
Graph wholeGraph(const Space &space, int64_t nonzeros);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_PARTITION_H
