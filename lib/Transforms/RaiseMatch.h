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

#include "ASTFE/Analysis/ComputePlan.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <string>

namespace astfe {

/// A matched op: where its parts are.
struct SparseProduct {
  /// The number of the sparse input.
  unsigned sparseInput;
  /// The dimension of the space (n, i1..iD, dense...) that each loop becomes.
  mlir::SmallVector<unsigned> dims;
  /// What the body adds to the output, or is the output.
  mlir::Value contribution;
  /// The op that adds it; null where there is none.
  mlir::Operation *combiner = nullptr;
  /// The output has the pattern of the sparse input.
  bool sparseOutput = false;

  /// The map of an operand over the space instead of the op's own loops.
  mlir::AffineMap toComputeMap(mlir::AffineMap map) const;
};

/// An op without sparse operands is no business of ours.
bool hasSparseOperand(mlir::linalg::LinalgOp op);

/// The product that `op` computes, or nothing and a reason in `whyNot`: also
/// where `target` would have to run it one nonzero after the other.
std::optional<SparseProduct> matchSparseProduct(mlir::linalg::LinalgOp op,
                                                PlanTarget target,
                                                std::string &whyNot);

/// Whether `value` is zero wherever `source` is (0 x Inf counting as 0).
bool isZeroPreserving(mlir::Value value, mlir::Value source);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_RAISEMATCH_H
