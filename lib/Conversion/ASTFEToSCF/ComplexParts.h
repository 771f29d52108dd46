//===- ComplexParts.h - complex computations, part by part ------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes are no pairs (ComplexLanes.h), a computation becomes one over
// floats for each part of an output (Analysis/ComplexPlan.h), whose operands
// are the parts of the buffers, where they lie: every second float.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPLEXPARTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPLEXPARTS_H

#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe::host {

/// The computations of the parts of `op`, which planCompute has taken, on these
/// buffers of its operands. `op` stays.
llvm::SmallVector<ComputeOp> makeParts(mlir::ImplicitLocOpBuilder &b,
                                       ComputeOp op,
                                       llvm::ArrayRef<mlir::Value> inputs,
                                       llvm::ArrayRef<mlir::Value> outputs);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPLEXPARTS_H
