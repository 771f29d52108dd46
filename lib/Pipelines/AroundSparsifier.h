//===- AroundSparsifier.h - upstream's sparsifier in two halves -*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's `--sparsifier` is one list of passes whose centre,
// sparsification-and-bufferization, turns tensors into buffers:
//
//   generalize, fuse | (ours) sparsification-and-bufferization (ours) | ...
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

/// Adds upstream's passes up to bufferization, and those of `before` right
/// before it, and a check that nothing sparse is left behind it. With
/// `keepsEpilogues` elementwise ops are fused by `astfe-fuse-elementwise`
/// instead, as before raising: what stayed with a sparse product then stays.
void buildSparsifierToBuffers(
    mlir::OpPassManager &pm,
    const mlir::sparse_tensor::SparsifierOptions &options,
    llvm::function_ref<void(mlir::OpPassManager &)> before = {},
    bool keepsEpilogues = false);

/// Adds the rest: from buffers to the LLVM dialect.
void buildSparsifierFromBuffers(
    mlir::OpPassManager &pm,
    const mlir::sparse_tensor::SparsifierOptions &options);

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_AROUNDSPARSIFIER_H
