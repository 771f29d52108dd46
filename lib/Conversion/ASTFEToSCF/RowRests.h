//===- RowRests.h - what is left of a row behind its vectors ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the nonzeros of a row in vectors, whatever one contributes: the
// last vector, which overlaps the one before, and rows that fill none.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWRESTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWRESTS_H

#include "ComputeBody.h"

namespace astfe::host {

/// sums (combiner)= nonzero n, or the vector of nonzeros that begins with it.
using AddNonzeros =
    llvm::function_ref<mlir::Value(mlir::Value sums, mlir::Value n)>;

/// sums (combiner)= the nonzeros of [middle, end) in the vector that ends with
/// them. Those before middle have been taken, or are of rows before.
mlir::Value addLastVector(ComputeBody &body, mlir::Value sums,
                          mlir::Value middle, mlir::Value end, int64_t lanes,
                          AddNonzeros addVector);
/// The same of a row that fills a vector, if there are any.
mlir::Value addAnyLastVector(ComputeBody &body, mlir::Value sums,
                             mlir::Value middle, mlir::Value end, int64_t lanes,
                             AddNonzeros addVector);
/// The sum of the nonzeros of [begin, end), one after the other, in turn on two
/// sums, so that none waits for the one before it.
mlir::Value sumInPairs(ComputeBody &body, mlir::Value begin, mlir::Value end,
                       AddNonzeros addOne);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_ROWRESTS_H
