//===- Fuse.cpp - merge and group what does little ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Fuse.h"
#include "Graph/Coarsen.h"
#include "Graph/JoinGroups.h"
#include "Graph/Limit.h"

using namespace astfe::core;

Status astfe::core::check(const FuseOptions &options) {
  Status status =
      checkLimitOptions(options.threshold, options.workers, options.waves);
  if (!status)
    return status;
  if (options.cache < 0)
    return Error{"expected a cache from 0 bytes but got " +
                 std::to_string(options.cache)};
  return check(modelOf(options));
}

TrafficModel astfe::core::modelOf(const FuseOptions &options) {
  TrafficModel model;
  model.columns = options.columns;
  model.elementBytes = options.elementBytes;
  return model;
}

Result<Graph> astfe::core::fuse(const Graph &graph, const Profile &profile,
                                const FuseOptions &options, FuseLog *log) {
  if (Status status = check(options); !status)
    return status.error();
  if (Status status = checkSameSpace(graph.space, profile.space); !status)
    return status.error();
  std::vector<Leaf> leaves = overlay(graph, profile);
  removeEmpty(leaves);
  bool known = graph.limit > 0;
  FuseRules rules;
  rules.cache = options.cache;
  rules.limit = known ? graph.limit
                      : workLimit(leaves, options.threshold, options.workers,
                                  options.waves);

  BoxSides sides(graph.space);
  RunTraffic evaluate(modelOf(options), graph.space.rank());
  FuseLog done;
  Coarsened coarse = coarsen(leaves, rules, sides, evaluate);
  done.merged = coarse.merges;
  done.trafficBefore = coarse.trafficBefore;
  Graph result = graphOf(graph.space, leaves);
  result.groups = joinGroups(leaves, std::move(coarse.boxes), rules, evaluate,
                             done.trafficAfter);
  done.joined = int64_t(leaves.size()) - int64_t(result.groupCount());
  result.limit = rules.limit;
  result.threshold = known ? graph.threshold : options.threshold;
  if (log)
    *log = done;
  return result;
}
