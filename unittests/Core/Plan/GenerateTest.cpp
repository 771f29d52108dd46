//===- GenerateTest.cpp - the benchmarks' matrices are what they say ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generate.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <map>

using namespace astfe::bench;
using namespace astfe::core;

namespace {

int64_t longestRow(const Matrix &matrix) {
  int64_t longest = 0;
  for (size_t row = 0; row < size_t(matrix.rows); ++row)
    longest = std::max<int64_t>(longest, matrix.positions[row + 1] -
                                             matrix.positions[row]);
  return longest;
}

TEST(Generate, EveryClassIsSoundSortedAndAboutAsLargeAsAsked) {
  for (MatrixClass kind : matrixClasses())
    for (int64_t wanted : {1, 100, 60000}) {
      SCOPED_TRACE(className(kind) + std::string(" of ") +
                   std::to_string(wanted));
      Matrix matrix = generate(kind, wanted);
      ASSERT_TRUE(matrix.view().check());
      ASSERT_EQ(matrix.values.size(), matrix.coordinates.size());
      for (size_t row = 0; row < size_t(matrix.rows); ++row)
        for (int32_t n = matrix.positions[row] + 1;
             n < matrix.positions[row + 1]; ++n)
          ASSERT_LT(matrix.coordinates[size_t(n) - 1],
                    matrix.coordinates[size_t(n)]);
      EXPECT_EQ(std::count(matrix.values.begin(), matrix.values.end(), 0.0f),
                0);
      if (wanted == 60000) {
        EXPECT_GT(matrix.nonzeros(), wanted * 7 / 10);
        EXPECT_LT(matrix.nonzeros(), wanted * 12 / 10);
      }
    }
}

TEST(Generate, ASeedDecidesAllAndAnotherGivesAnother) {
  for (MatrixClass kind : matrixClasses()) {
    SCOPED_TRACE(className(kind));
    Matrix first = generate(kind, 5000, 3), again = generate(kind, 5000, 3);
    EXPECT_EQ(first.coordinates, again.coordinates);
    EXPECT_EQ(first.values, again.values);
    EXPECT_NE(first.values, generate(kind, 5000, 4).values);
  }
  // The numbers themselves, so that figures can be compared over time.
  EXPECT_EQ(fingerprintPattern(generate(MatrixClass::Rmat, 1000).view()),
            uint64_t(2314766161491679223));
}

TEST(Generate, ClassesHaveTheirStructure) {
  EXPECT_EQ(longestRow(generate(MatrixClass::Mesh, 60000)), 5);
  EXPECT_EQ(longestRow(generate(MatrixClass::BlockDiagonal, 60000)), 32);
  Matrix power = generate(MatrixClass::PowerLaw, 60000);
  EXPECT_GT(longestRow(power), power.columns / 2);
  Matrix layer = generate(MatrixClass::Pruned75, 60000);
  EXPECT_NEAR(double(layer.nonzeros()) / double(layer.rows * layer.columns),
              0.25, 0.01);
  // Rows of one block have the same columns, wherever the shuffle put them.
  Matrix blocks = generate(MatrixClass::PermutedBlocks, 60000);
  std::map<std::vector<int32_t>, int> sameRows;
  for (size_t row = 0; row < size_t(blocks.rows); ++row)
    ++sameRows[{blocks.coordinates.begin() + blocks.positions[row],
                blocks.coordinates.begin() + blocks.positions[row + 1]}];
  EXPECT_EQ(int64_t(sameRows.size()), blocks.rows / 16);
}

TEST(Generate, TensorsAreSortedDistinctAndSkewedWhereAsked) {
  for (bool skewed : {false, true}) {
    Tensor tensor = generateTensor(3, 20000, skewed);
    ASSERT_TRUE(tensor.view().check());
    int64_t upper = 0;
    for (size_t n = 0; n < size_t(tensor.nonzeros()); ++n) {
      auto point = [&](size_t i) {
        return std::array<int32_t, 3>{tensor.coordinates[0][i],
                                      tensor.coordinates[1][i],
                                      tensor.coordinates[2][i]};
      };
      if (n > 0)
        ASSERT_LT(point(n - 1), point(n));
      upper += tensor.coordinates[1][n] >= tensor.shape[1] / 2;
    }
    EXPECT_NEAR(double(upper) / double(tensor.nonzeros()), skewed ? 0.27 : 0.5,
                0.03);
  }
}

} // namespace
