//===- ComplexFunctions.h - what ops on complex numbers compute -*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_COMPLEXFUNCTIONS_H
#define ASTFE_LIB_EXECUTION_COMPLEXFUNCTIONS_H

#include "ScalarProgram.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

namespace astfe {

/// None where the op has nothing to do with complex numbers, or is not known.
std::optional<ScalarFunction> complexFunction(mlir::Operation *op);
std::optional<ScalarFunction> complexCombiner(mlir::arith::AtomicRMWKind kind);
Number complexConstant(mlir::complex::ConstantOp op);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_COMPLEXFUNCTIONS_H
