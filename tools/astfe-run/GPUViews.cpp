//===- GPUViews.cpp - matrices where they are stored, on a GPU ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUViews.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Runtime/ABI.h"

namespace astfe::run {

/// Of a team; none where there are none. A matrix of one column has no teams,
/// which a vector has.
static std::optional<int64_t> lanesOf(const Settings &settings) {
  if (settings.kernel != Kernel::SpMV && settings.columns == 1)
    return std::nullopt;
  // What is narrower is summed up in 32 bits, so that sums are widest.
  const int64_t bytes =
      std::max<int64_t>(4, core::elementBytes(settings.arithmetic.result()));
  return core::teamLanes(settings.columns, unsigned(bytes));
}

bool suitsGPUView(const Settings &settings, const Problem &problem) {
  const std::optional<int64_t> lanes = lanesOf(settings);
  return lanes && core::suitsGPUView(problem.view(), *lanes,
                                     _mlir_ciface_astfe_rt_device_workers());
}

bool hasLongGPURow(const Settings &settings, const Problem &problem) {
  return core::hasLongGPURow(
      problem.view(), lanesOf(settings).value_or(core::rules::kWarpLanes),
      _mlir_ciface_astfe_rt_device_workers());
}

} // namespace astfe::run
