//===- SummedMode.h - sums over one mode as products of a matrix *- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_SUMMEDMODE_H
#define ASTFE_LIB_TRANSFORMS_SUMMEDMODE_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "StandIn.h"

namespace astfe {

/// An op over a sparse tensor of three modes or more that sums over one of them
/// as an op over a matrix (astfe.matricize, Core/Bricks/TensorMatrix.h): the
/// other modes, side by side in the output, are its rows. Worked example:
///
///   C_jkr += T_ijk B_ir    becomes    C_(jk)r += A_(jk)i B_ir
///
/// Dense operands are indexed by none of these modes, or by all of them as the
/// output is.
class SummedMode : public StandIn {
public:
  explicit SummedMode(mlir::linalg::LinalgOp op);

  /// The op over the matrix; null where the op is no such sum.
  mlir::linalg::LinalgOp inner() const { return overMatrix; }
  /// Replaces the op, and what others made of the one over the matrix.
  void keep();

private:
  mlir::linalg::GenericOp overMatrix;
  MatricizeOp matrix;
};

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_SUMMEDMODE_H
