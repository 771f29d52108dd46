//===- StandIn.h - another op in place of one -------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_STANDIN_H
#define ASTFE_LIB_TRANSFORMS_STANDIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe {

/// Erases what nobody reads any more.
void eraseDead(mlir::RewriterBase &rewriter, mlir::Value value);

/// The op may be one over other operands, for points or slices of its own: it
/// has one output, of tensors, maps that only choose and order loops, and no
/// `linalg.index`. False for a null op.
bool isPlainGeneric(mlir::linalg::GenericOp op);

/// Ops that compute what an op computes. They stand before it, and go again
/// unless they are kept.
class StandIn {
public:
  StandIn(const StandIn &) = delete;
  /// Replaces the op by what was made.
  void keep();

protected:
  explicit StandIn(mlir::linalg::LinalgOp op);
  ~StandIn();

  mlir::linalg::LinalgOp original; ///< null once it was replaced
  mlir::Value result;              ///< in place of the op's
  mlir::IRRewriter rewriter;

private:
  mlir::Operation *const before; ///< what is made is between it and the op
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_STANDIN_H
