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
/// but with dense dimensions kept
///
///   s   += a_ij B_jr    becomes    y_i  = a_ij B_jr    and    s   += y_i
///   y_i += a_ij B_jr    of halves becomes f32, and is rounded into y_i
///
/// The reduction's floating-point additions may be reassociated, so that it is
/// vectorized; it runs on one thread.
///
/// The first mode, from the outermost level on, is taken for which the array of
/// the rows' sums is no burden: the outermost level is dense, so that the
/// format has an array that is as long, and a row of sums takes a cache line at
/// most; or a dense operand is as large; or it is known to fit a cache. Else
/// one sum for each of a mode whose length is unknown, which is most likely
/// shorter than the nonzeros are many: where it is not (three nonzeros in 2^31
/// rows), the sums take longer than the nonzeros. Otherwise there is nothing on
/// a host; on a GPU, which would have no code at all, there are sums of any
/// size that is not known to be beyond numbers of 32 bits. The combiner has a
/// neutral element.
class RowSums : public StandIn {
public:
  /// `keepsDense`: dense dimensions that are summed over stay so, which a host
  /// has code for, but of complex numbers.
  RowSums(mlir::linalg::LinalgOp op, bool onGPU, bool keepsDense);

  /// The op with an output by rows; null where there is none.
  mlir::linalg::LinalgOp inner() const { return byRows; }
  /// There is none as the rows' sums might take too much memory.
  bool isTooLarge() const { return large; }

private:
  mlir::linalg::GenericOp byRows;
  bool large = false;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_ROWSUMS_H
