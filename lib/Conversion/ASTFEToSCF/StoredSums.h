//===- StoredSums.h - rows whose sums read stored values only ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row sums, `y_i += a_ij`, and scaled ones, `y_i += a_ij x_i`: what a row reads
// for each nonzero lies side by side. So vectors are as wide as there are,
// and a long row has several sums of vectors, each of which waits for the one
// before it. What these leave, and a short row, is taken under masks where the
// processor has them. Elsewhere the last vector of a row overlaps the one before
// it, and a row that fills none is taken in vectors of a quarter, if it fills
// one of these, else in pairs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_STOREDSUMS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_STOREDSUMS_H

#include "ComputeBody.h"

namespace astfe::host {

/// Every input of the computation, which has no dense dimensions, is indexed by
/// the nonzero, or by no mode but the row.
bool readsStoredOnly(ComputeBody &body, unsigned rowDim);

/// The sum over nonzeros [begin, end) of the row that `point` has, a scalar, in
/// vectors of at most `lanes`.
mlir::Value sumStored(ComputeBody &body, llvm::ArrayRef<mlir::Value> point,
                      mlir::Value begin, mlir::Value end, int64_t lanes);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_STOREDSUMS_H
