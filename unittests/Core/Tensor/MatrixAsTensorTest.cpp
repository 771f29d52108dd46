//===- MatrixAsTensorTest.cpp - a matrix with a third mode ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/MatrixAsTensor.h"
#include <gtest/gtest.h>

using namespace astfe::core;

TEST(MatrixAsTensorTest, FarOnesNeedWideIndices) {
  constexpr int64_t kMost = INT32_MAX;
  const int64_t none = 0;
  auto matrix = [&](int64_t rows, int64_t columns, int64_t nonzeros) {
    const IndexArray array(&none, nonzeros); // never read
    return SparseView::coo({rows, columns}, {array, array});
  };
  EXPECT_FALSE(isFar(matrix(kMost, kMost, kMost)));
  EXPECT_TRUE(isFar(matrix(kMost + 1, 1, 0)));
  EXPECT_TRUE(isFar(matrix(1, kMost + 1, 0)));
  EXPECT_TRUE(isFar(matrix(1, 1, kMost + 1)));
}

TEST(MatrixAsTensorTest, TheModeHasOneElement) {
  // [[0 5 0 6] [0 0 0 0] [7 0 0 0]], and its coordinates.
  const std::vector<int64_t> positions{0, 2, 2, 3}, columns{1, 3, 0};
  CooTensor coo{{3, 4}, {{0, 0, 2}, columns}, {5, 6, 7}};
  addUnitMode(coo);
  ASSERT_TRUE(coo.view().check());
  EXPECT_EQ(coo.shape, (std::vector<int64_t>{3, 4, 1}));
  const SparseView csr = withUnitMode(SparseView::csr(
      3, 4, IndexArray(positions.data(), 4), IndexArray(columns.data(), 3)));
  ASSERT_TRUE(csr.check()) << csr.check().message();
  EXPECT_EQ(csr.shape, coo.shape);
  EXPECT_EQ(csr.nonzeros(), 3);
  EXPECT_EQ(fingerprintPattern(csr), fingerprintPattern(coo.view()));

  // Of the transposed matrix, in 32 bits, without a copy.
  const std::vector<int32_t> ends{0, 2, 2, 3}, rows{1, 3, 0};
  const SparseView csc = withUnitMode(SparseView::csc(
      4, 3, IndexArray(ends.data(), 4), IndexArray(rows.data(), 3)));
  ASSERT_TRUE(csc.check()) << csc.check().message();
  std::swap(coo.shape[0], coo.shape[1]);
  std::swap(coo.coordinates[0], coo.coordinates[1]);
  EXPECT_EQ(csc.shape, coo.shape);
  EXPECT_EQ(fingerprintPattern(csc), fingerprintPattern(coo.view()));
  ASSERT_TRUE(csc.levels);
  EXPECT_EQ(csc.levels->levels[1].coordinates.as32(), rows.data());
}
