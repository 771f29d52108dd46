//===- GraphTraffic.h - the modelled traffic of a whole graph -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fuse lowers, summed over groups: Cardenas's counts, no workers and so no
// penalty. TrafficTest.cpp holds it to brute force.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_CORE_GRAPHTRAFFIC_H
#define ASTFE_UNITTESTS_CORE_GRAPHTRAFFIC_H

#include "Graph/RunTraffic.h"

namespace astfe::core {

inline Traffic modelTraffic(const TrafficModel &model, const Graph &graph) {
  BoxSides sides(graph.space);
  RunTraffic evaluate(model, graph.space.rank());
  Traffic traffic;
  for (size_t g = 0; g < graph.groupCount(); ++g) {
    auto block = size_t(graph.groups[g]), end = size_t(graph.groups[g + 1]);
    while (block < end) {
      uint32_t part = graph.part[block];
      std::vector<Run> runs;
      for (; block < end && graph.part[block] == part; ++block)
        runs.push_back(
            sides.run(part, graph.block(block), graph.nonzeros[block]));
      // Pairs of neighbours, then pairs of pairs: O(n log n) for a long group.
      for (size_t step = 1; step < runs.size(); step *= 2)
        for (size_t i = 0; i + step < runs.size(); i += 2 * step)
          runs[i] = evaluate.join(runs[i], runs[i + step]);
      traffic.add(
          evaluate.traffic(evaluate.distinct(runs[0]), runs[0].nonzeros));
    }
  }
  return traffic;
}

} // namespace astfe::core

#endif // ASTFE_UNITTESTS_CORE_GRAPHTRAFFIC_H
