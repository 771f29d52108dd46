//===- PlanOptions.h - the plan that the command line asks for ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PLANOPTIONS_H
#define ASTFE_TOOLS_RUN_PLANOPTIONS_H

#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Runtime/ABI.h"
#include "Settings.h"

namespace astfe::run {

inline product::MatrixOptions matrixOptions(const Settings &settings) {
  product::MatrixOptions options;
  options.arithmetic = settings.arithmetic;
  options.columns = settings.columns;
  options.samples = settings.kernel == Kernel::SDDMM;
  options.expectedRuns = settings.expectedRuns;
  options.cpu = settings.cpu;
  options.features = settings.features;
  return options;
}

/// Whether the command line says how the graph is cut.
inline bool asksForGraph(const Settings &settings) {
  return settings.leaf != 0 || settings.threshold ||
         settings.min != core::rules::kLeastSplit;
}

inline core::PlanOptions planOptions(const Settings &settings) {
  core::PlanOptions options = product::planOptions(matrixOptions(settings));
  if (settings.device != Device::Host)
    options.machine = core::gpuMachine();
  options.samples &= settings.device == Device::Host;
  // What a graph is to be cut by is not ignored.
  options.wholeRows &=
      settings.device == Device::Host && !asksForGraph(settings);
  options.order = settings.order;
  options.reorder = settings.reorder;
  options.hubs = settings.hubs;
  options.profile.min = options.refine.min = settings.min;
  options.partition.leaf = settings.leaf;
  options.setThreshold(settings.threshold);
  return options;
}

/// What the storage on a GPU depends on.
inline core::GPUProducts gpuProducts(const Settings &settings) {
  return {settings.arithmetic.result(), settings.columns,
          _mlir_ciface_astfe_rt_device_workers()};
}

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PLANOPTIONS_H
