//===- TensorRun.h - runs a product of a tensor, checks and times it ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_TENSORRUN_H
#define ASTFE_TOOLS_RUN_TENSORRUN_H

#include "Report.h"
#include "Settings.h"

namespace astfe::run {

/// Fills the report, but for what the command line alone says.
core::Status runTensor(const Settings &settings, Report &report);
/// The same of a far matrix.
core::Status runFarMatrix(const Settings &settings, core::CooTensor matrix,
                          Report &report);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_TENSORRUN_H
