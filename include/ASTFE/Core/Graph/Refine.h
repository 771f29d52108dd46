//===- Refine.h - V(t+1) = f(V(t), C(t)): split what does most ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refine splits each block with C_i > T and at least 2 x min nonzeros, and its
// children, at most d = max(1, ceil(sqrt(log2 |V|))) levels in one step.
//   T = max(tau/(1-tau) M, T_min),  T_min = total / (workers x waves),
// M the median intensity over non-empty blocks; threshold "auto" is T_min
// alone. All arithmetic is in integers, so that every machine makes the same
// graph. While tau stays the same, T is that of the graph's `limit`, if it has
// one: the median falls as blocks split, and T must not. A block is split only
// where the profile knows what is inside. Groups stay, but those with a split
// block fall apart.
//
//   C = 1 1 10 10 96, tau = 0.66, workers x waves = 100:
//   M = 10, T = max(19, 1): only 96 is split.
//
// docs/Algorithms/RefineAndFuse.md has the paper's formula and why ours
// differs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_REFINE_H
#define ASTFE_CORE_GRAPH_REFINE_H

#include "ASTFE/Core/Graph/Graph.h"
#include "ASTFE/Core/Target/Constants.h"
#include <optional>
#include <string_view>

namespace astfe::core {

struct RefineOptions {
  /// tau in (1/2, 1); none is "auto".
  std::optional<double> threshold;
  int64_t workers = rules::kPlannedWorkers;
  int64_t waves = rules::kWaves;
  int64_t min = rules::kLeastSplit;
  /// Steps to take; -1 repeats to the fixpoint.
  int64_t steps = -1;
};

/// What a refinement did, for remarks and tests.
struct RefineLog {
  int64_t steps = 0;   ///< taken, the last one that changed nothing excluded
  int64_t split = 0;   ///< blocks that were split
  int64_t limit = 0;   ///< T
  int64_t median = 0;  ///< M of the first step
  int64_t hottest = 0; ///< largest C_i before
  int64_t hottestAfter = 0;
};

/// tau of a text: "auto" (none), or a number above 0.5 and below 1.
Result<std::optional<double>> parseThreshold(std::string_view text);

Status check(const RefineOptions &options);
Result<Graph> refine(const Graph &graph, const Profile &profile,
                     const RefineOptions &options = {},
                     RefineLog *log = nullptr);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_REFINE_H
