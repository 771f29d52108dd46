//===- HiddenReuseTest.cpp - whether a reordering can find anything -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/HiddenReuse.h"
#include "Generate.h"
#include <gtest/gtest.h>

using namespace astfe::core;
using namespace astfe::bench;

TEST(HiddenReuse, TheHeadersExample) {
  // Rows 0, 100, 200 and 300 are equal; all others are strangers.
  constexpr int32_t Rows = 301, Length = 16;
  std::vector<int32_t> positions{0}, coordinates;
  for (int32_t row = 0; row < Rows; ++row) {
    int32_t first = row % 100 == 0 ? 0 : Length * row;
    for (int32_t k = 0; k < Length; ++k)
      coordinates.push_back(first + k);
    positions.push_back(int32_t(coordinates.size()));
  }
  EXPECT_DOUBLE_EQ(
      hiddenReuse(SparseView::csr(
          Rows, Rows * Length, IndexArray(positions.data(), Rows + 1),
          IndexArray(coordinates.data(), int64_t(coordinates.size())))),
      0.75);
}

TEST(HiddenReuse, ShufflingHidesStructure) {
  for (MatrixClass kind : {MatrixClass::Mesh, MatrixClass::BlockDiagonal}) {
    const Matrix matrix = generate(kind, 50000);
    EXPECT_LT(hiddenReuse(matrix.view()), 0.15);
    EXPECT_GT(hiddenReuse(shuffle(matrix).view()), 0.3);
  }
  EXPECT_GT(hiddenReuse(generate(MatrixClass::PermutedBlocks, 50000).view()),
            0.4);
}

TEST(HiddenReuse, NothingIsHiddenAtRandom) {
  for (MatrixClass kind : {MatrixClass::Uniform, MatrixClass::Rmat,
                           MatrixClass::Pruned75, MatrixClass::PowerLaw})
    EXPECT_LT(hiddenReuse(generate(kind, 100000).view()), 0.25) << int(kind);
}

TEST(HiddenReuse, EmptyMatricesHideNothing) {
  std::vector<int32_t> positions{0, 0, 0};
  SparseView empty = SparseView::csr(2, 5, IndexArray(positions.data(), 3),
                                     IndexArray(positions.data(), 0));
  EXPECT_EQ(hiddenReuse(empty), 0);
}
