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

/// Whether the body leaves all outputs as they are where `input` is zero: each
/// gets what it was, plus or minus a product with the input (which Inf and NaN
/// do not count against, as in docs/Rationale.md); or where it is not stored,
/// as ops of sparse_tensor say.
bool zerosContributeNothing(mlir::linalg::LinalgOp op, unsigned input);

/// Whether the body has ops of sparse_tensor that ask what is stored.
bool readsEntries(mlir::linalg::LinalgOp op);

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_SPARSEINPUT_H
