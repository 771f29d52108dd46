//===- Plan.cpp - from a tensor to its graph, all steps at once -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Plan.h"
#include <chrono>

namespace astfe::core {
namespace {

/// Seconds since it was made.
class Timer {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  }

private:
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

/// Fills the arrangement and returns its space.
Result<Space> chooseSpace(const SparseView &view, const PlanOptions &options,
                          Plan &plan) {
  bool isMatrix = view.rank() == 2;
  plan.arrangement = {
      options.order.value_or(OrderKind::Hilbert), options.panelLog2,
      options.reorder.value_or(ReorderKind::None),
      isMatrix || options.hubs != kAutoHubs ? options.hubs : kNoHubs};
  if (!isMatrix && plan.arrangement.reorder != ReorderKind::None)
    return Error{"expected none or auto to reorder a tensor of rank " +
                 std::to_string(view.rank()) + " by but got " +
                 std::string(reorderName(plan.arrangement.reorder)) +
                 ", which renumbers a matrix's rows and columns"};
  if (!isMatrix || (options.order && options.reorder))
    return arrange(view, plan.arrangement);
  auto choice =
      choose(options.model(), view, options.partition.workers, options.profile,
             {options.order, options.reorder, options.panelLog2, options.hubs,
              options.expectedRuns, options.machine, options.samples});
  if (!choice)
    return choice.error();
  plan.scores = std::move(choice->scores);
  plan.arrangement = plan.scores[choice->best].arrangement;
  return std::move(choice->space);
}

Status arrangeView(const SparseView &view, const PlanOptions &options,
                   Plan &plan) {
  Timer timer;
  auto space = chooseSpace(view, options, plan);
  if (!space)
    return space.error();
  plan.profile.space = std::move(*space);
  plan.orderSeconds = timer.seconds();
  return Success();
}

/// Whether the steps from the profile on are left out.
bool staysWhole(const PlanOptions &options, const Space &space) {
  return options.wholeRows && !options.order && space.isByRows();
}

Status count(const SparseView &view, const PlanOptions &options, Plan &plan) {
  Timer timer;
  auto profile = countProfile(view, plan.profile.space, options.profile);
  if (!profile)
    return profile.error();
  plan.profile = std::move(*profile);
  plan.profileSeconds = timer.seconds();
  return Success();
}

Status cut(const PlanOptions &options, Plan &plan) {
  Timer timer;
  auto initial = partition(plan.profile, options.partition);
  if (!initial)
    return initial.error();
  plan.initial = std::move(*initial);
  auto refined =
      refine(plan.initial, plan.profile, options.refine, &plan.refineLog);
  if (!refined)
    return refined.error();
  plan.refined = std::move(*refined);
  auto fused = fuse(plan.refined, plan.profile, options.fuse, &plan.fuseLog);
  if (!fused)
    return fused.error();
  plan.fused = std::move(*fused);
  plan.partitionSeconds = timer.seconds();
  return Success();
}

} // namespace

TrafficModel PlanOptions::model() const {
  TrafficModel model;
  model.columns = fuse.columns;
  model.elementBytes = fuse.elementBytes;
  return model;
}

void PlanOptions::setWorkers(int64_t workers) {
  partition.workers = refine.workers = fuse.workers = workers;
}

void PlanOptions::setThreshold(std::optional<double> threshold) {
  refine.threshold = fuse.threshold = threshold;
}

Result<Plan> makePlan(const SparseView &view, const PlanOptions &options) {
  Plan plan;
  if (auto status = arrangeView(view, options, plan); !status)
    return status.error();
  if (staysWhole(options, plan.profile.space)) {
    plan.initial = plan.refined = plan.fused =
        wholeGraph(plan.profile.space, view.nonzeros());
    return plan;
  }
  if (auto status = count(view, options, plan); !status)
    return status.error();
  if (auto status = cut(options, plan); !status)
    return status.error();
  return plan;
}

} // namespace astfe::core
