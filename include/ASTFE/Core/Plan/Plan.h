//===- Plan.h - from a tensor to its graph, all steps at once -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// profile -> partition -> refine (to the fixpoint) -> fuse, with the
// arrangement (order, reordering) chosen first where none is given. The tools
// and the C API call makePlan(); passes take the same steps one by one, through
// the same functions.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PLAN_PLAN_H
#define ASTFE_CORE_PLAN_PLAN_H

#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Plan/Choose.h"

namespace astfe::core {

struct PlanOptions {
  /// None is auto: the order with the least predicted time (two modes only;
  /// other ranks then take Hilbert).
  std::optional<OrderKind> order;
  unsigned panelLog2 = 10;
  /// None is auto, as for the order; other ranks are not reordered then.
  std::optional<ReorderKind> reorder = ReorderKind::None;
  int64_t hubs = kNoHubs; ///< at most so many per mode, or kAutoHubs
  /// The number of runs within which the search of auto has to pay for itself.
  int64_t expectedRuns = kExpectedRuns;
  Machine machine = {}; ///< what products are chosen for
  /// The order is chosen for samples, S = A .* (X Y^T), instead of products.
  bool samples = false;
  /// Rows that auto chooses, and of which none are set apart, stay one block,
  /// without a profile: what a host is for. Its threads take equal runs of rows
  /// whatever the groups are, so that cutting these brings nothing
  /// (docs/Performance.md, "What the graph brings").
  bool wholeRows = false;
  ProfileOptions profile;
  PartitionOptions partition;
  RefineOptions refine;
  FuseOptions fuse;

  /// The model that FuseOptions imply; chooses the order too.
  TrafficModel model() const;
  /// One number of workers and one tau for all steps.
  void setWorkers(int64_t workers);
  void setThreshold(std::optional<double> threshold);
};

/// The graph of every step, what was decided and how long it took (seconds,
/// wall clock). The graphs do not depend on the number of threads.
struct Plan {
  Arrangement arrangement;
  /// Of every candidate; empty where order and reordering were given.
  std::vector<Score> scores;
  Profile profile;
  Graph initial, refined, fused;
  RefineLog refineLog;
  FuseLog fuseLog;
  double orderSeconds = 0, profileSeconds = 0, partitionSeconds = 0;
};

/// Fails as its steps do. The view's coordinates must be in range (check()).
Result<Plan> makePlan(const SparseView &view, const PlanOptions &options);

} // namespace astfe::core

#endif // ASTFE_CORE_PLAN_PLAN_H
