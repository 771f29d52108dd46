//===- AroundSparsifier.h - passes between upstream's ----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's `--sparsifier` is one list of passes whose centre,
// sparsification-and-bufferization, turns tensors into buffers:
//
//   generalize, fuse | (before) sparsification-and-bufferization (after) | ...
//
// The list is upstream's own, not a copy of it. What ASTFE does not take goes
// through the very passes that it would go through without ASTFE.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_AROUNDSPARSIFIER_H
#define ASTFE_LIB_PIPELINES_AROUNDSPARSIFIER_H

#include "mlir/Dialect/SparseTensor/Pipelines/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace astfe {

/// Adds upstream's sparsifier, and the passes of `before` and `after` on either
/// side of its bufferization.
void buildAroundSparsifier(
    mlir::OpPassManager &pm,
    const mlir::sparse_tensor::SparsifierOptions &options,
    llvm::function_ref<void(mlir::OpPassManager &)> before,
    llvm::function_ref<void(mlir::OpPassManager &)> after);

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_AROUNDSPARSIFIER_H
