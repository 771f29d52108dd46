//===- DenseColumns.h - how wide a computation's dense operand is ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_TRANSFORMS_DENSECOLUMNS_H
#define ASTFE_LIB_TRANSFORMS_DENSECOLUMNS_H

#include "ASTFE/Dialect/ASTFEDialect.h"

namespace astfe {

/// The static extent of the last dense dimension of `compute`, `assumed` where
/// it is dynamic, nothing where the computation has no dense dimension.
std::optional<int64_t> denseColumns(ComputeOp compute, int64_t assumed);

/// The most columns that a computation over one of the patterns has (1 without
/// a dense dimension); nothing where no computation reads them.
std::optional<int64_t> widestColumns(llvm::ArrayRef<PackOp> packs,
                                     int64_t assumed);

/// The bytes that an element takes in memory: at least 1, and 8 for an index.
unsigned elementBytes(mlir::Type element);

} // namespace astfe

#endif // ASTFE_LIB_TRANSFORMS_DENSECOLUMNS_H
