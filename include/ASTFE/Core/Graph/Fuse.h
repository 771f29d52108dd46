//===- Fuse.h - merge and group what does little --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two stages. Coarsen: sibling leaves merge where C(parent) < T/2, the parent
// fits the cache and its box is not modelled to move more than its children's.
// Group: consecutive groups join while C <= T and their footprint fits the
// cache, the larger gain in modelled traffic first, ties by the smaller prefix.
// Blocks are regrouped from scratch; T is the graph's `limit` or, without one,
// refine's.
//
// Fuse never raises modelled traffic, and merges nothing that refine would
// split again. docs/Algorithms/RefineAndFuse.md has the reasons and the costs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_FUSE_H
#define ASTFE_CORE_GRAPH_FUSE_H

#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Target/Constants.h"

namespace astfe::core {

struct FuseOptions {
  /// Used for T where the graph carries none.
  std::optional<double> threshold;
  int64_t workers = rules::kPlannedWorkers;
  int64_t waves = rules::kWaves;
  /// Bytes that a group's inputs and outputs may occupy.
  int64_t cache = rules::kGroupCache;
  /// Columns of the dense operand and bytes of an element, for the footprint.
  int64_t columns = 1;
  int64_t elementBytes = 4;
};

struct FuseLog {
  int64_t merged = 0;        ///< sibling pairs merged
  int64_t joined = 0;        ///< groups joined
  int64_t trafficBefore = 0; ///< modelled bytes, one group per block
  int64_t trafficAfter = 0;
};

Status check(const FuseOptions &options);
/// The traffic model that these options mean.
TrafficModel modelOf(const FuseOptions &options);
Result<Graph> fuse(const Graph &graph, const Profile &profile,
                   const FuseOptions &options = {}, FuseLog *log = nullptr);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_FUSE_H
