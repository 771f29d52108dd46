//===- TruthOperands.h - buffers of truth values ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_TRUTHOPERANDS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_TRUTHOPERANDS_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe::gpukernel {

/// Makes a computation over i1 one over buffers of the bytes, 0 or 1, that these
/// take in memory: the body makes truth values of what it reads, and bytes of
/// what it yields. Others are returned as they are.
ComputeOp readTruthsAsBytes(mlir::RewriterBase &rewriter, ComputeOp op);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_TRUTHOPERANDS_H
