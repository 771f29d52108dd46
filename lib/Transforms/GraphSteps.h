//===- GraphSteps.h - adding a link to the chains of graphs ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_GRAPHSTEPS_H
#define ASTFE_LIB_TRANSFORMS_GRAPHSTEPS_H

#include "GraphChain.h"

namespace astfe {

/// Makes the op of one step from a graph and its profile; `packs` are those
/// that the result is for.
using StepBuilder = llvm::function_ref<mlir::Operation *(
    mlir::OpBuilder &, mlir::Location, mlir::Value graph, mlir::Value profile,
    llvm::ArrayRef<PackOp> packs)>;

/// Adds a step to the graph of every pack in `root`: an op, or, where graph and
/// profile are known, its value. Graphs without a profile stay, with a remark;
/// so do those that `isDone`, if given, says have had the step. Returns how
/// many graphs got it.
llvm::FailureOr<unsigned>
appendStep(mlir::Operation *root, llvm::StringRef passName, StepBuilder build,
           llvm::function_ref<bool(StepsTaken)> isDone = nullptr);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_GRAPHSTEPS_H
