//===- Outputs.h - the buffers that computations write --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lowered computation writes the buffer of its output operand, and no longer
// can bufferization give it another: an operand whose old value something else
// needs is copied first.
//
// It leaves its result there, as a tensor whose origin bufferization cannot
// see. A loop that carries it must yield the very buffer that it got:
//
//   scf.for ... iter_args(%acc = %y)      %r = to_tensor %buffer
//     %r = astfe.compute ... outs(%acc) ->  %s = materialize_in_destination %r
//     scf.yield %r                                                     in %acc
//
// The copy from a buffer to itself folds away once both are memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CONVERSION_OUTPUTS_H
#define ASTFE_CONVERSION_OUTPUTS_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe {

/// Copies those output tensors of `op` that are read again, after it or in
/// another trip of a loop around it; those that it overwrites without what they
/// hold.
void copyReusedOutputs(mlir::RewriterBase &rewriter, ComputeOp op);
void copyReusedOutputs(mlir::RewriterBase &rewriter, FusedOp op);

/// The tensor in `buffer`, which is the buffer of tensor `init`.
mlir::Value resultTensor(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value buffer, mlir::Value init);

} // namespace astfe

#endif // ASTFE_CONVERSION_OUTPUTS_H
