//===- LowerFused.h - one astfe.fused to loops ------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_LOWERFUSED_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_LOWERFUSED_H

#include "LowerCompute.h"

namespace astfe::host {

/// Replaces the op, which is on buffers and over a view, by loops; an error on
/// it where it has no host form.
mlir::LogicalResult lowerFused(mlir::RewriterBase &rewriter, FusedOp op,
                               const HostKernelOptions &options);

/// Gives what a product computes slowly for each nonzero a computation of its
/// own, before it.
void splitSlotWork(mlir::RewriterBase &rewriter, FusedOp op);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_LOWERFUSED_H
