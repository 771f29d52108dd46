//===- DenseContraction.h - sums over one dimension into a matrix ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_DENSECONTRACTION_H
#define ASTFE_LIB_CONVERSION_DENSECONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace astfe {

/// C(row, column) += f(inputs), summed over `depth`: loops of a linalg op on
/// buffers. The column is the last dimension of each operand that it indexes,
/// and lies side by side there, so that vectors run over it.
struct DenseContraction {
  mlir::linalg::LinalgOp op;
  unsigned row, column, depth;
  mlir::Value contribution; ///< in the body

  static std::optional<DenseContraction> match(mlir::linalg::LinalgOp op);

  mlir::AffineMap mapOf(mlir::OpOperand &operand) const {
    auto op = this->op;
    return op.getMatchingIndexingMap(&operand);
  }
};

} // namespace astfe

#endif // ASTFE_LIB_CONVERSION_DENSECONTRACTION_H
