//===- Inspector.h - which ops look at a pattern --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_INSPECTOR_H
#define ASTFE_LIB_TRANSFORMS_INSPECTOR_H

#include "WrittenValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace astfe {

/// Ops that read a tensor once and make something of their own of it: they may
/// run earlier, or once for several. Not views and their values, which cost
/// nothing: these *are* the tensor, and where they stand bufferization sees
/// that it is read. Values that the program writes (WrittenValues.h) stay, too.
inline bool isInspector(mlir::Operation *op) {
  // A transpose or a matrix that is packed is one of our own.
  if (mlir::isa<mlir::sparse_tensor::ReinterpretMapOp, MatricizeOp>(op))
    return llvm::all_of(op->getUsers(), isInspector);
  if (auto pack = mlir::dyn_cast<PackOp>(op))
    return !pack.getResult().getType().getLayout().isView();
  if (auto values = mlir::dyn_cast<ValuesOp>(op))
    return !values.getPattern().getType().getLayout().isView();
  return mlir::isa<ProfileOp, PartitionOp, RefineOp, FuseOp, GraphOp>(op);
}

/// Functions with a body that somebody may call, callees before their callers;
/// those that call themselves, by others or not, are added to `cycles`.
mlir::SmallVector<mlir::func::FuncOp>
functionsCalleesFirst(mlir::ModuleOp module,
                      llvm::DenseSet<mlir::Operation *> &cycles);

/// Leaves the inspectors of a function's arguments to its callers in the module
/// and returns how many these are; 0 where there are none, or no callers. The
/// function is not part of a cycle. Values that may be `written` stay.
unsigned liftInspectors(mlir::func::FuncOp function, mlir::SymbolTable &symbols,
                        const WrittenValues &written);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_INSPECTOR_H
