//===- RowEpilogue.h - what follows the computations of a row ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWEPILOGUE_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWEPILOGUE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace astfe::host {

/// Runs an all-parallel op over (key, dense...) at one key. `bufferOf` gives
/// the buffer of an operand, or a scalar: its value at this key.
void emitEpilogue(mlir::ImplicitLocOpBuilder &b, mlir::linalg::GenericOp op,
                  mlir::Value key, bool contract,
                  llvm::function_ref<mlir::Value(mlir::Value)> bufferOf);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWEPILOGUE_H
