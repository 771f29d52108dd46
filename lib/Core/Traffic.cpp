//===- Traffic.cpp - the one model of bytes moved -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Traffic.h"
#include "RunTraffic.h"
#include <algorithm>

using namespace astfe::core;

Status astfe::core::check(const TrafficModel &model) {
  auto expect = [](const char *what, int64_t least, int64_t got) -> Status {
    if (got >= least)
      return Success{};
    return Error{"expected " + std::string(what) + " from " +
                 std::to_string(least) + " but got " + std::to_string(got)};
  };
  if (Status s = expect("columns", 1, model.columns); !s)
    return s;
  if (Status s = expect("element bytes", 1, model.elementBytes); !s)
    return s;
  if (Status s = expect("index bytes", 0, model.indexBytes); !s)
    return s;
  if (Status s = expect("segment bytes", 0, model.segmentBytes); !s)
    return s;
  return expect("a penalty", 0, model.sharedPenalty);
}

int64_t Traffic::total() const {
  return saturatingAdd(saturatingAdd(inputBytes, outputBytes),
                       saturatingAdd(indexBytes, sharedBytes));
}

void Traffic::add(const Traffic &other) {
  inputBytes = saturatingAdd(inputBytes, other.inputBytes);
  outputBytes = saturatingAdd(outputBytes, other.outputBytes);
  indexBytes = saturatingAdd(indexBytes, other.indexBytes);
  sharedBytes = saturatingAdd(sharedBytes, other.sharedBytes);
}

double astfe::core::cardenas(int64_t indices, int64_t draws) {
  return double(indices) * touchProbability(indices, draws);
}

int64_t astfe::core::boxTraffic(const TrafficModel &model, const Box &box,
                                ArrayRef<int64_t> shape, int64_t nonzeros) {
  Run run;
  for (unsigned k = 0; k < box.rank; ++k) {
    int64_t left = std::max<int64_t>(shape[k] - box.lower[k], 0);
    Side side{box.lower[k], std::min(int64_t(1) << box.log2[k], left), 0};
    side.touched = touchProbability(side.length, nonzeros);
    run.sides[k].push_back(side);
  }
  RunTraffic evaluate(model, box.rank);
  return evaluate.traffic(evaluate.distinct(run), nonzeros).total();
}

Traffic astfe::core::modelTraffic(const TrafficModel &model,
                                  const Graph &graph) {
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
