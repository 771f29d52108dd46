//===- PackedRows.h - whose rows packing makes ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packing cuts a matrix into runs of rows that workers own. What sums into the
// columns, as C = A^T B does, would be left to one worker. The transpose has
// these as rows, and is the same levels under other names:
//
//   %P = astfe.pack %A                   %T = sparse_tensor.reinterpret_map %A
//   %v = astfe.values %A in %P           %P = astfe.pack %T
//   compute over %P                      %v = astfe.values %T in %P
//     (n, i, j, k) -> (j, k)      =>     compute over %P
//                                          (n, j, i, k) -> (j, k)
//
// No computation reads which mode is the first one but by its maps, so that
// what comes behind sees a matrix by columns that is summed into rows. A
// program that computes both A x and A^T y has a pattern for each.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_PACKEDROWS_H
#define ASTFE_LIB_TRANSFORMS_PACKEDROWS_H

#include "ASTFE/Dialect/ASTFEDialect.h"
#include <string>

namespace astfe {

/// Of a view: whether its transpose is what should be packed, and otherwise why
/// nothing should, as a computation that runs in parallel over the view would
/// be left to one worker; empty if there is no such. Where columns are stored
/// one after the other and summed into, C = A^T B walks them as rows, and
/// packing them would find what it finds in rows: vectors gain by it.
struct PackedRows {
  bool transposed = false;
  std::string whyStored;
};
PackedRows choosePackedRows(PackOp view);

/// Whether one worker would run a computation over the view that several run
/// over the packed pattern.
bool isAloneAsStored(PackOp view);

/// Makes `view` and all that reads it those of the transpose. The matrix has a
/// view (CompressedMatrix), and ops of ours alone use the pattern.
void transposePattern(PackOp view);

/// The same levels of a matrix under the other dimension's names.
mlir::Value transposeMatrix(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value tensor);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_PACKEDROWS_H
