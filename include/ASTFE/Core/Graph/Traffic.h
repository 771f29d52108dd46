//===- Traffic.h - the one model of bytes moved ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// traffic(group) = inputs + 2 x outputs + indices, in bytes, where inputs and
// outputs are distinct rows of the dense operands times columns times the
// element's bytes, and indices are what the packed pattern streams; a row that
// several workers write costs a penalty more. One model, for order=auto, fuse
// and the kernel choice. Distinct rows come from counts, r (1-(1-1/r)^k)
// (Cardenas 1975), or exactly from the nonzeros. Counts of a group's blocks are
// those of their union, rounded up to whole rows. Sums that pass 2^63 stay at
// its largest value. docs/Algorithms/Traffic.md derives it.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_TRAFFIC_H
#define ASTFE_CORE_GRAPH_TRAFFIC_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Target/Constants.h"

namespace astfe::core {

struct TrafficModel {
  int64_t columns = 1;                         ///< of the dense operand
  int64_t elementBytes = 4;                    ///< of values and dense operands
  int64_t indexBytes = 4;                      ///< per nonzero
  int64_t segmentBytes = rules::kSegmentBytes; ///< per (group, row)
  int64_t sharedPenalty =
      rules::kSharedPenalty; ///< extra output-row transfers per sharing worker
};

Status check(const TrafficModel &model);

/// Expected number of distinct ones among `draws` draws of `indices` values:
/// r (1-(1-1/r)^k).
double cardenas(int64_t indices, int64_t draws);

struct Traffic {
  int64_t inputBytes = 0, outputBytes = 0, indexBytes = 0, sharedBytes = 0;
  int64_t total() const;
  void add(const Traffic &other);
};

/// Exact distinct inputs and outputs per worker when the nonzeros, sorted along
/// the graph's order, are cut into `workers` equal runs; O(nonzeros). `threads`
/// only changes the time.
Result<Traffic> countTraffic(const TrafficModel &model, const SparseView &view,
                             const Graph &graph, int64_t workers,
                             unsigned threads = 1);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_TRAFFIC_H
