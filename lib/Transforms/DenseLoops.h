//===- DenseLoops.h - computations with one dense dimension ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_DENSELOOPS_H
#define ASTFE_LIB_TRANSFORMS_DENSELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace astfe {

/// An op over a sparse matrix with several dense dimensions as one that has
/// one: on tensors whose dimensions are merged, in loops over slices
/// (DensePlan.h says which). It stands beside the op, and goes again unless it
/// is kept.
class DenseLoops {
public:
  explicit DenseLoops(mlir::linalg::LinalgOp op);
  ~DenseLoops();
  DenseLoops(const DenseLoops &) = delete;

  /// The op with one dense dimension; null where there is none.
  mlir::linalg::LinalgOp inner() const { return innermost; }
  /// Replaces the op by what was made.
  void keep();

private:
  mlir::LogicalResult simplify();
  void replaceInner(mlir::Value by);
  mlir::Value loopOver(unsigned loop, mlir::linalg::GenericOp &next);

  mlir::linalg::LinalgOp original; ///< null once it was replaced
  mlir::Operation *const before;   ///< what is made is between it and the op
  mlir::linalg::GenericOp innermost;
  mlir::Value result; ///< in place of the op's
  mlir::IRRewriter rewriter;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_DENSELOOPS_H
