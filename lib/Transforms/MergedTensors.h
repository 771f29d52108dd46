//===- MergedTensors.h - dimensions of tensors as one -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op over merged dimensions of its operands needs beside reshapes: its
// output begins as it did, results have the shape that they had, and extents
// that no longer show are compared before.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_MERGEDTENSORS_H
#define ASTFE_LIB_TRANSFORMS_MERGEDTENSORS_H

#include "StandIn.h"

namespace astfe {

/// A fill of merged tensors where `merged` is the merged tensor of a fill:
/// computations look for what their output begins as.
mlir::Value mergeFill(mlir::RewriterBase &rewriter, mlir::Value merged);

/// The same shape without tensor.expand_shape, where it makes several extents
/// that types do not know of one: upstream has no code for that.
mlir::Value reshapeUnknown(mlir::RewriterBase &rewriter, mlir::Value expanded);

/// How often a loop runs, as the operands have it.
struct LoopExtent {
  mlir::Value extent;
  mlir::Value agree; ///< i1: all have the same; null where types say so
};
LoopExtent agreedExtent(mlir::OpBuilder &b, mlir::linalg::GenericOp op,
                        unsigned loop);

/// Who computes afterwards sees merged dimensions, or slices.
void assertAgree(mlir::OpBuilder &b, mlir::Location loc, mlir::Value agree);

/// An op and what it is in, whose result is that of the op.
struct GuardedOp {
  mlir::linalg::GenericOp inner;
  mlir::Value result;
};

/// Merged extents of 2 x 6 and 3 x 4 are no longer told apart: where types do
/// not know those of the loops, a copy of the op in a loop around it that runs
/// once, or not at all. None where types know.
std::optional<GuardedOp> guardExtents(mlir::RewriterBase &rewriter,
                                      mlir::linalg::GenericOp op,
                                      mlir::ArrayRef<int64_t> loops);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_MERGEDTENSORS_H
