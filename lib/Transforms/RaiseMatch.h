//===- RaiseMatch.h - which linalg ops are sparse products ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question that convert-linalg-to-astfe asks of an op, apart from the
// rewriting: is it a computation over the nonzeros of one sparse matrix, and if
// not, why. The description of the pass lists the conditions.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_RAISEMATCH_H
#define ASTFE_LIB_TRANSFORMS_RAISEMATCH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <string>

namespace astfe {

/// A matched op: where its parts are.
struct SparseProduct {
  /// The number of the sparse input.
  unsigned sparseInput;
  /// Loops of the op: the sparse operand's rows and columns, and the columns of
  /// the dense operand, if there is such a loop.
  unsigned rowLoop, columnLoop;
  std::optional<unsigned> denseLoop;
  /// What the body adds to the output.
  mlir::Value contribution;
  /// The op that adds it.
  mlir::Operation *combiner;
};

/// The number of sparse operands; an op without any is no business of ours.
unsigned countSparseOperands(mlir::linalg::LinalgOp op);

/// The product that `op` computes, or nothing and a reason in `whyNot`.
std::optional<SparseProduct> matchSparseProduct(mlir::linalg::LinalgOp op,
                                                std::string &whyNot);

/// Whether `value` is zero wherever `source` is (0 x Inf counting as 0).
bool isZeroPreserving(mlir::Value value, mlir::Value source);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_RAISEMATCH_H
