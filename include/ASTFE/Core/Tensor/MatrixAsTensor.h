//===- MatrixAsTensor.h - a matrix with a third mode ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bricks are of other ranks than two. What packs a matrix into them, because
// its indices need 64 bits or a product of it has none but theirs, adds a mode
// of one element behind.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_TENSOR_MATRIXASTENSOR_H
#define ASTFE_CORE_TENSOR_MATRIXASTENSOR_H

#include "ASTFE/Core/Tensor/CooTensor.h"

namespace astfe::core {

/// Whether a matrix is far: of 2^31 rows, columns or nonzeros, or more, which
/// indices of 32 bits do not reach.
bool isFar(const SparseView &matrix);

/// Adds the mode.
void addUnitMode(LevelView &matrix);
void addUnitMode(CooTensor &matrix);
/// CSR or CSC with the mode: a view of the same arrays.
SparseView withUnitMode(const SparseView &matrix);

} // namespace astfe::core

#endif // ASTFE_CORE_TENSOR_MATRIXASTENSOR_H
