//===- LoopExtents.h - how often the loops of an op run ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_LOOPEXTENTS_H
#define ASTFE_LIB_TRANSFORMS_LOOPEXTENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace astfe {

/// The extent of a loop as each operand that has it says: first the one that
/// types know, if any does (more agree, or the op would not verify), then those
/// of dense operands, then those of sparse ones. No fill is kept alive by it.
llvm::SmallVector<mlir::OpFoldResult>
extentsOf(mlir::OpBuilder &b, mlir::linalg::LinalgOp op, unsigned loop);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_LOOPEXTENTS_H
