//===- ChooseOrder.cpp - the order of a product's graph -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseOrder.h"
#include "PlanOptions.h"

namespace astfe::run {

core::Result<ChosenOrder> chooseOrder(const Settings &settings,
                                      const Problem &problem) {
  const core::PlanOptions options = planOptions(settings);
  const core::SparseView view = problem.view();
  auto plan = core::makePlan(view, options);
  if (!plan)
    return plan.error();
  ChosenOrder chosen{
      plan->arrangement.order, settings, {}, 0, plan->orderSeconds};
  chosen.settings.order = plan->arrangement.order;
  chosen.settings.reorder = plan->arrangement.reorder;
  chosen.settings.hubs = plan->arrangement.hubs;
  auto traffic = core::countTraffic(options.model(), view, plan->fused,
                                    options.partition.workers);
  if (!traffic)
    return traffic.error();
  chosen.trafficBytes = traffic->total();
  chosen.graph = std::move(plan->fused);
  return chosen;
}

} // namespace astfe::run
