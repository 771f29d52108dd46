//===- RowSums.h - sums of a whole matrix or tensor, by rows first --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_ROWSUMS_H
#define ASTFE_LIB_TRANSFORMS_ROWSUMS_H

#include "StandIn.h"

namespace astfe {

/// An op whose output is one element that all nonzeros share, as two: the same
/// for each coordinate of the outermost level, which workers compute side by
/// side, and a reduction of these. It works for levels that are dense, since
/// the format has an array that is as long anyway, and for combiners that have
/// a neutral element, but for half floats, which would be rounded once more.
/// Worked example, for a matrix by rows:
///
///   s += a_ij x_j    becomes    y_i = a_ij x_j    and    s += y_i
class RowSums : public StandIn {
public:
  explicit RowSums(mlir::linalg::LinalgOp op);

  /// The op with an output by rows; null where there is none.
  mlir::linalg::LinalgOp inner() const { return byRows; }

private:
  mlir::linalg::GenericOp byRows;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_ROWSUMS_H
