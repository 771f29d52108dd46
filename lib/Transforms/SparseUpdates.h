//===- SparseUpdates.h - sparse tensors changed in place --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg op may change the stored values of its output in place:
//
//   linalg.generic outs(%P : tensor<?x?xf64, #CSC>) { p * 0.5 }
//
// Where %P comes from the buffers of an entry (ExposeBuffers.cpp),
// bufferization copies it before, as it does not know that these may be
// written, and upstream's sparse-reinterpret-map ends the process at a copy of
// a tensor whose levels are not its dimensions (LLVM 22). The same op from an
// input into a new tensor needs no copy. In a loop that carries %P, which
// cannot carry a new tensor, it is an error.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_SPARSEUPDATES_H
#define ASTFE_LIB_TRANSFORMS_SPARSEUPDATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace astfe {

/// Has linalg.generic ops in `function` that change a sparse tensor, whose
/// levels are not its dimensions in their order, make a new one. Emits an error
/// at one that changes what a loop carries.
mlir::LogicalResult updateIntoNewTensors(mlir::func::FuncOp function);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_SPARSEUPDATES_H
