//===- DensePlan.h - several dense dimensions become one --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for matrices runs along one dense dimension. Where a computation has
// more, dimensions that lie side by side wherever they occur are merged into
// one, and each of the others becomes a loop around the computation.
//
// Worked examples, of a matrix A_ij:
//
//   C_ijk += A_il B_ljk            (j, k) is one dimension
//   C_bik += A_ij B_bjk            a loop over b, along k
//   C_bikl += A_ij B_bjkl          a loop over b, along (k, l)
//   s_ij = A_ij X_ihd Y_jhd        (h, d) is one, which is summed over
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_ANALYSIS_DENSEPLAN_H
#define ASTFE_ANALYSIS_DENSEPLAN_H

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallVector.h"

namespace astfe {

/// A unit attribute of a cf.assert: it asserts that operands of a computation
/// agree about an extent. A lowering may report this to the runtime instead.
constexpr llvm::StringLiteral kExtentsAttr = "astfe.extents";

struct DensePlan {
  /// Loops that are merged, as they follow each other: a dimension each.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>> merged;
  /// Loops that go around the computation, outermost first; of merged ones the
  /// first is named.
  llvm::SmallVector<unsigned> around;
};

/// Where a map, a projected permutation, has a loop.
std::optional<unsigned> placeOf(mlir::AffineMap map, unsigned loop);

/// The plan for a computation with these maps, projected permutations, the last
/// of which is the output's. `dense` are the loops that the sparse operand does
/// not have, in order. Linear in the maps' results for each dense loop.
DensePlan planDense(llvm::ArrayRef<mlir::AffineMap> maps,
                    llvm::ArrayRef<unsigned> dense);

} // namespace astfe

#endif // ASTFE_ANALYSIS_DENSEPLAN_H
