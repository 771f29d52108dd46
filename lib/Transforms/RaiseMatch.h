//===- RaiseMatch.h - which linalg ops are sparse products ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question that convert-linalg-to-astfe asks of an op, apart from the
// rewriting: is it a computation over the nonzeros of one sparse tensor, and if
// not, why. The description of the pass lists the conditions.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_RAISEMATCH_H
#define ASTFE_LIB_TRANSFORMS_RAISEMATCH_H

#include "ASTFE/Analysis/ComputePlan.h"
#include "RaiseBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <string>

namespace astfe {

/// What computations are raised for.
struct RaiseTarget {
  PlanTarget target = PlanTarget::Host;
  /// Later stages pack every pattern, also those that have no code as views.
  bool packs = false;
  /// Later stages can make a sparse tensor like another, or need not.
  bool sparseOutputs = true;
  /// What others make of the nonzeros is handed on: by a chain, which runs over
  /// the pattern where it is stored.
  bool inChain = false;
};

/// A matched op: where its parts are.
struct SparseProduct {
  /// The number of the sparse input; of several that are stored at the same
  /// places, the first.
  unsigned sparseInput;
  /// The numbers of all of them.
  mlir::SmallVector<unsigned> alike;
  /// The dimension of the space (n, i1..iD, dense...) that each loop becomes.
  mlir::SmallVector<unsigned> dims;
  /// What each entry contributes, and how.
  RaisedBody body;
  /// The output has the pattern of the sparse input.
  bool sparseOutput = false;
  /// There is code for the matrix where it is stored.
  bool hasView = false;
  /// A mode has a level for blocks and one inside of them.
  bool inBlocks = false;
  /// The transpose of the matrix is packed: rows are its columns.
  bool transposed = false;
  /// The mode (0..D-1) whose rows are summed into, which says in which
  /// arrangement values are; 0 for matrices, which have one.
  unsigned key = 0;

  /// The map of an operand over the space instead of the op's own loops.
  mlir::AffineMap toComputeMap(mlir::AffineMap map) const;
};

/// An op without sparse operands is no business of ours.
bool hasSparseOperand(mlir::linalg::LinalgOp op);

/// The product that `op` computes, or nothing and a reason in `whyNot`: also
/// where `target` would have to run it one nonzero after the other.
std::optional<SparseProduct> matchSparseProduct(mlir::linalg::LinalgOp op,
                                                const RaiseTarget &target,
                                                std::string &whyNot);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_RAISEMATCH_H
