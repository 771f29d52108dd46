//===- Contraction.h - multiply-adds of computations ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_CONTRACTION_H
#define ASTFE_CONVERSION_CONTRACTION_H

#include "mlir/IR/Operation.h"

namespace astfe {

/// Lets every floating-point op in `op`, itself included, be contracted with
/// others: ASTFE's default, and what fused multiply-adds come from.
void allowContraction(mlir::Operation *op);

} // namespace astfe

#endif // ASTFE_CONVERSION_CONTRACTION_H
