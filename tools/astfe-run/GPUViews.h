//===- GPUViews.h - matrices where they are stored, on a GPU ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is decided by the rows of a matrix before there are kernels, by the
// lanes that will share a nonzero (ASTFEToGPU/KernelPlan.h).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_ASTFE_RUN_GPUVIEWS_H
#define ASTFE_TOOLS_ASTFE_RUN_GPUVIEWS_H

#include "Problem.h"

namespace astfe::run {

/// Whether a view is as fast as any packing (core::suitsGPUView).
bool suitsGPUView(const Settings &settings, const Problem &problem);

/// Whether a row is cut between warps (core::hasLongGPURow).
bool hasLongGPURow(const Settings &settings, const Problem &problem);

} // namespace astfe::run

#endif // ASTFE_TOOLS_ASTFE_RUN_GPUVIEWS_H
