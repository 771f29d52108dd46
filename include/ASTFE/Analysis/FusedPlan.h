//===- FusedPlan.h - which chains have a kernel of their own ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain runs key by key: for each row it runs every computation in order, on
// what a worker keeps of that row. So each computation needs a plan that walks
// segments of the chain's key, and its result has to be one value for each
// nonzero or one for the key.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_FUSEDPLAN_H
#define ASTFE_ANALYSIS_FUSEDPLAN_H

#include "ASTFE/Analysis/ComputePlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace astfe {

/// Why the host has no fused kernel of `op`; empty if it has.
std::string whyNotFusedOnHost(FusedOp op);
/// The same of a GPU (ChainPlan.h).
std::string whyNotFusedOnGPU(FusedOp op);

/// Halves of an epilogue are computed with in f32, unless somebody looks at
/// their bits.
bool widensHalves(mlir::linalg::GenericOp epilogue);

} // namespace astfe

#endif // ASTFE_ANALYSIS_FUSEDPLAN_H
