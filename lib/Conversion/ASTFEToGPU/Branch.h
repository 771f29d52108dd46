//===- Branch.h - an if with bodies given as functions --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For kernels and for the host code around them.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_BRANCH_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_BRANCH_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace astfe::gpukernel {

inline void branch(mlir::ImplicitLocOpBuilder &b, mlir::Value cond,
                   llvm::function_ref<void()> then,
                   llvm::function_ref<void()> otherwise = nullptr) {
  auto chosen =
      mlir::scf::IfOp::create(b, cond, /*withElseRegion=*/bool(otherwise));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(chosen.thenBlock());
  then();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(chosen.elseBlock());
  otherwise();
}

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_BRANCH_H
