//===- RowSums.h - sums over more than nonzeros, by rows first --*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_ROWSUMS_H
#define ASTFE_LIB_TRANSFORMS_ROWSUMS_H

#include "StandIn.h"

namespace astfe {

/// An op whose output no mode of the sparse operand indexes, or which is summed
/// over a dense dimension, as two: the same with an output that these index,
/// which workers compute side by side, and a reduction of that. Half floats are
/// added up in f32 and rounded once. Worked examples, for a matrix by rows:
///
///   s   += a_ij x_j     becomes    y_i  = a_ij x_j     and    s   += y_i
///   c_r += a_ij B_ir    becomes    Y_ir = a_ij B_ir    and    c_r += Y_ir
///   y_i += a_ij B_jr    becomes    Y_ir = a_ij B_jr    and    y_i += Y_ir
///
/// Rows are those of the outermost level if that is dense, since the format has
/// an array that is as long anyway; else of a mode that a dense operand has;
/// else of one that is short or of unknown length. Where the output has
/// dimensions, a dense operand has these and the rows. The combiner has a
/// neutral element.
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
