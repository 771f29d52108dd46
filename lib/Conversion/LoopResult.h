//===- LoopResult.h - results that stay in their buffer
//--------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lowered computation leaves its result in the buffer of its output operand,
// as a tensor whose origin bufferization cannot see. A loop that carries it
// must yield the very buffer that it got:
//
//   scf.for ... iter_args(%acc = %y)      %r = to_tensor %buffer
//     %r = astfe.compute ... outs(%acc) ->  %s = materialize_in_destination %r
//     scf.yield %r                                                     in %acc
//
// The copy from a buffer to itself folds away once both are memrefs. Outside
// loops nothing is added: there a result may go to a buffer of its own, which
// the copy would fill a second time.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_LOOPRESULT_H
#define ASTFE_LIB_CONVERSION_LOOPRESULT_H

#include "mlir/IR/Builders.h"

namespace astfe {

/// The tensor in `buffer`, which is the buffer of tensor `init`.
mlir::Value resultTensor(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value buffer, mlir::Value init);

} // namespace astfe

#endif // ASTFE_LIB_CONVERSION_LOOPRESULT_H
