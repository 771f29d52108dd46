//===- ASTFEBufferize.h - astfe ops on buffers ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_DIALECT_ASTFEBUFFERIZE_H
#define ASTFE_DIALECT_ASTFEBUFFERIZE_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace astfe {

/// Makes One-Shot bufferization turn the dense operands of astfe.compute into
/// buffers, outputs in place where it can.
void registerBufferization(mlir::DialectRegistry &registry);
/// The same for astfe.fused and the ops of its region.
void registerFusedBufferization(mlir::DialectRegistry &registry);

} // namespace astfe

#endif // ASTFE_DIALECT_ASTFEBUFFERIZE_H
