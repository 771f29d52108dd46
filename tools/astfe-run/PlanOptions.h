//===- PlanOptions.h - the plan that the command line asks for ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PLANOPTIONS_H
#define ASTFE_TOOLS_RUN_PLANOPTIONS_H

#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Runtime/ABI.h"
#include "Settings.h"

namespace astfe::run {

inline core::PlanOptions planOptions(const Settings &settings) {
  core::PlanOptions options;
  options.order = settings.order;
  options.reorder = settings.reorder;
  options.hubs = settings.hubs;
  options.expectedRuns = settings.expectedRuns;
  options.profile.min = options.refine.min = settings.min;
  options.profile.threads = unsigned(_mlir_ciface_astfe_rt_threads());
  options.partition.leaf = settings.leaf;
  options.setThreshold(settings.threshold);
  options.fuse.columns = settings.columns;
  options.fuse.elementBytes = settings.isDouble ? 8 : 4;
  return options;
}

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PLANOPTIONS_H
