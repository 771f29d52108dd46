//===- CooTensorTest.cpp - owned tensors and their CSR form ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/CooTensor.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {

using Indices = std::vector<int64_t>;

CooTensor randomMatrix(int64_t rows, int64_t columns, int64_t count,
                       unsigned seed) {
  std::mt19937_64 random(seed);
  CooTensor tensor;
  tensor.shape = {rows, columns};
  tensor.coordinates.resize(2);
  for (int64_t i = 0; i < count; ++i) {
    tensor.coordinates[0].push_back(int64_t(random() % uint64_t(rows)));
    tensor.coordinates[1].push_back(int64_t(random() % uint64_t(columns)));
    tensor.values.push_back(double(i));
  }
  return tensor;
}

} // namespace

TEST(CooTensor, ViewBorrowsAllModes) {
  CooTensor tensor{{2, 3, 4}, {{0, 1}, {2, 0}, {3, 3}}, {1, 2}};
  SparseView view = tensor.view();
  EXPECT_EQ(view.format, SparseFormat::Coo);
  EXPECT_EQ(view.rank(), 3u);
  EXPECT_EQ(view.coordinates[1][0], 2);
}

TEST(CooTensor, CsrIsStableByRowAndColumn) {
  // More than 2^16 entries, so that the sort works in several chunks.
  for (int64_t count : {0, 1, 1000, 100000}) {
    CooTensor tensor = randomMatrix(300, 5000, count, 7);
    Result<CsrMatrix> matrix = toCsr(tensor);
    ASSERT_TRUE(matrix) << matrix.message();
    std::vector<std::array<int64_t, 3>> expected, got;
    for (int64_t i = 0; i < count; ++i)
      expected.push_back({tensor.coordinates[0][size_t(i)],
                          tensor.coordinates[1][size_t(i)], i});
    std::sort(expected.begin(), expected.end());
    for (int64_t row = 0; row < 300; ++row)
      for (int64_t k = matrix->positions[size_t(row)];
           k < matrix->positions[size_t(row) + 1]; ++k)
        got.push_back({row, matrix->coordinates[size_t(k)],
                       int64_t(matrix->values[size_t(k)])});
    EXPECT_EQ(got, expected);
  }
}

TEST(CooTensor, CsrOfColumnsInOrder) {
  CooTensor tensor{{2, 2}, {{1, 0, 1}, {0, 1, 1}}, {1, 2, 3}};
  CsrMatrix matrix = *toCsr(tensor);
  EXPECT_EQ(matrix.positions, Indices({0, 1, 3}));
  EXPECT_EQ(matrix.coordinates, Indices({1, 0, 1}));
  EXPECT_EQ(matrix.values, std::vector<double>({2, 1, 3}));
  EXPECT_EQ(matrix.view().positions.size(), 3);
  EXPECT_TRUE(matrix.imaginaries.empty());
  tensor.imaginaries = {4, 5, 6};
  EXPECT_EQ(toCsr(tensor)->imaginaries, std::vector<double>({5, 4, 6}));
}

TEST(CooTensor, OnlyMatricesBecomeCsr) {
  CooTensor tensor{{2, 2, 2}, {{0}, {0}, {0}}, {1}};
  EXPECT_EQ(toCsr(tensor).message(),
            "expected a matrix but got a tensor of rank 3");
}

TEST(CooTensor, RowsThatNoMemoryHolds) {
  CooTensor tensor{{int64_t(1) << 62, 1}, {{5}, {0}}, {1}};
  EXPECT_EQ(toCsr(tensor).message(),
            "out of memory for a matrix of 4611686018427387904 rows");
}
