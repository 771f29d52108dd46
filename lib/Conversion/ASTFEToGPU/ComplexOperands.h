//===- ComplexOperands.h - operands of complex numbers ----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_COMPLEXOPERANDS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_COMPLEXOPERANDS_H

#include "Emitter.h"

namespace astfe::gpukernel {

/// Makes the buffers of a computation those of the plan's operands.
void readFloats(mlir::OpBuilder &builder, const KernelPlan &plan,
                Values &inputs, mlir::Value &output);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_COMPLEXOPERANDS_H
