//===- DenseLoops.h - computations with one dense dimension ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_DENSELOOPS_H
#define ASTFE_LIB_TRANSFORMS_DENSELOOPS_H

#include "StandIn.h"

namespace astfe {

/// An op over a sparse matrix with several dense dimensions as one that has
/// one: on tensors whose dimensions are merged, in loops over slices
/// (DensePlan.h says which).
class DenseLoops : public StandIn {
public:
  /// `slices`: kernels read slices. Without, dimensions are merged only.
  DenseLoops(mlir::linalg::LinalgOp op, bool slices);

  /// The op with one dense dimension; null where there is none.
  mlir::linalg::LinalgOp inner() const { return innermost; }

private:
  mlir::LogicalResult simplify();
  void guardMerged(mlir::ArrayRef<mlir::ReassociationIndices> merged);
  void widenSums();
  void replaceInner(mlir::Value by);
  mlir::Value loopOver(unsigned loop, mlir::linalg::GenericOp &next);

  mlir::linalg::GenericOp innermost;
  const bool slices;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_DENSELOOPS_H
