//===- ComputeShape.h - which emitter a computation gets ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows: one output that is indexed by the dimension the storage walks, so that
// a row is reduced in registers. Columns: the output is indexed by the other
// dimension, so that every nonzero updates memory, and lanes over dense columns
// share the work. Scalar: everything else, a serial loop over the nonzeros.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPUTESHAPE_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPUTESHAPE_H

#include "RowEmitters.h"

namespace astfe::host {

enum class ComputeShape { Rows, Columns, Scalar };

struct ShapeChoice {
  ComputeShape shape = ComputeShape::Scalar;
  llvm::StringRef whyScalar; ///< for Scalar
};

/// `majorDim` is the iteration dimension that the storage walks: kRowDim for
/// packed patterns and CSR, kColumnDim for CSC.
ShapeChoice classify(ComputeBody &body, unsigned majorDim);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_COMPUTESHAPE_H
