//===- Pipelines.h - the stages of a module, by device --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_PIPELINES_H
#define ASTFE_TOOLS_RUN_PIPELINES_H

#include "ASTFE/Compiler/LoweringStages.h"
#include "Settings.h"

namespace astfe::run {

using compiler::Lowering;
using compiler::LoweringTarget;
using compiler::Stage;

/// What settings.device (resolved) and the CPU ask of lowering.
core::Result<LoweringTarget> targetOf(const Settings &settings);

/// raised, partitioned, selected: linalg on sparse types to chosen kernels.
/// `columns` are those of A, where its type does not say; 0: not known. With
/// `split` @f_prepare and @f_run are made of @f, where there is an inspector.
std::vector<Stage> graphStages(const Settings &settings, bool gpu,
                               int64_t columns = 0, bool split = false);

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_PIPELINES_H
