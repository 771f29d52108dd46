//===- SparseInput.h - inputs whose zeros contribute nothing --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_SPARSEINPUT_H
#define ASTFE_LIB_EXECUTION_SPARSEINPUT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace astfe {

/// Whether the body leaves all outputs as they are where the `inputs`, which
/// are stored at the same places, are zero: each gets what it was, plus or
/// minus a product with one of them (which Inf and NaN do not count against, as
/// in docs/Rationale.md); or where they are not stored, as ops of sparse_tensor
/// say. A sparse output that the body does not read gets nothing there.
bool zerosContributeNothing(mlir::linalg::LinalgOp op,
                            llvm::ArrayRef<unsigned> inputs);

/// Whether the body has ops of sparse_tensor that ask what is stored.
bool readsEntries(mlir::linalg::LinalgOp op);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_SPARSEINPUT_H
