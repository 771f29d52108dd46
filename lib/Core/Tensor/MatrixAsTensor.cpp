//===- MatrixAsTensor.cpp - a matrix with a third mode --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include <algorithm>
#include <limits>

namespace astfe::core {

bool isFar(const SparseView &matrix) {
  return std::max({matrix.shape[0], matrix.shape[1], matrix.nonzeros()}) >
         std::numeric_limits<int32_t>::max();
}

void addUnitMode(LevelView &matrix) {
  TensorLevel level;
  level.mode = matrix.rank();
  level.size = 1;
  // Nothing here relies on either.
  level.ordered = level.unique = false;
  matrix.shape.push_back(1);
  matrix.levels.push_back(level);
}

void addUnitMode(CooTensor &matrix) {
  matrix.shape.push_back(1);
  matrix.coordinates.emplace_back(matrix.values.size(), 0);
}

static LevelArray levelArrayOf(const IndexArray &array) {
  return array.is64() ? LevelArray(array.as64(), array.size())
                      : LevelArray(array.as32(), array.size());
}

SparseView withUnitMode(const SparseView &matrix) {
  auto make =
      matrix.format == SparseFormat::Csc ? LevelView::csc : LevelView::csr;
  LevelView levels =
      make(matrix.shape[0], matrix.shape[1], levelArrayOf(matrix.positions),
           levelArrayOf(matrix.coordinates.front()));
  addUnitMode(levels);
  return SparseView::of(std::move(levels));
}

} // namespace astfe::core
