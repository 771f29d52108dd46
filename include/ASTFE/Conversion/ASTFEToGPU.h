//===- ASTFEToGPU.h - astfe.compute to kernels and launches ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_ASTFETOGPU_H
#define ASTFE_CONVERSION_ASTFETOGPU_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe {

struct GPUKernelOptions {
  /// Columns of a warp where the op has no kernel attribute: 128, 64 or 32.
  int64_t columnTile = 128;
  /// Dense operands, values and the arrays of views are in device memory.
  bool deviceOperands = false;
  /// Where they are there: rows of views may be too long for a warp. Elsewhere
  /// the host sees which there are.
  bool longRows = false;

  bool cutsRows() const { return !deviceOperands || longRows; }
};

/// Adds a gpu.module with the kernels of `op` to its module and replaces the op
/// by host code that launches them. Fails with a diagnostic on what a GPU
/// kernel cannot do.
mlir::LogicalResult convertComputeToGPU(mlir::RewriterBase &rewriter,
                                        ComputeOp op,
                                        const GPUKernelOptions &options);

} // namespace astfe

#endif // ASTFE_CONVERSION_ASTFETOGPU_H
