//===- BufferEffects.h - what computations read and write -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_DIALECT_BUFFEREFFECTS_H
#define ASTFE_LIB_DIALECT_BUFFEREFFECTS_H

#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// Of an op on buffers: its inputs are read, its outputs written, and read too
/// unless the op overwrites them. Ops on tensors have no effects.
void addBufferEffects(mlir::DestinationStyleOpInterface op,
                      llvm::function_ref<bool(unsigned output)> overwrites,
                      llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<
                          mlir::MemoryEffects::Effect>> &effects);

} // namespace astfe

#endif // ASTFE_LIB_DIALECT_BUFFEREFFECTS_H
