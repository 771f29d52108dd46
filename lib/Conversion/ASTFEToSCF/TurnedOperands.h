//===- TurnedOperands.h - copies whose columns lie side by side -*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C_ik += a_ij B_kj reads an element of each row of B for each nonzero. Where
// there are enough nonzeros, a copy B'_jk is made first, in memory that the
// pattern lends, and a nonzero reads a row of that.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_TURNEDOPERANDS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_TURNEDOPERANDS_H

#include "ASTFE/Analysis/ComputePlan.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe::host {

/// Whether the computation reads inputs that are worth a copy at times.
bool mayTurn(ComputeOp op, const ComputePlan &plan);

/// The computations on copies, and on the inputs as they are, of which one
/// runs: on these buffers of the operands of `op`, which stays.
llvm::SmallVector<ComputeOp> makeTurned(mlir::ImplicitLocOpBuilder &b,
                                        ComputeOp op, const ComputePlan &plan,
                                        llvm::ArrayRef<mlir::Value> inputs,
                                        llvm::ArrayRef<mlir::Value> outputs,
                                        bool serial);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_TURNEDOPERANDS_H
