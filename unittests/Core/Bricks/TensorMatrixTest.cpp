//===- TensorMatrixTest.cpp - the matrix that a tensor is for a sum -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/TensorMatrix.h"
#include "BrickOracle.h"
#include <random>

using namespace astfe::core;

namespace {
Sample drawn(std::vector<int64_t> shape, int64_t nonzeros) {
  Sample sample{"drawn", shape, {}};
  sample.coordinates.resize(shape.size());
  std::mt19937_64 random(shape.size());
  for (int64_t n = 0; n < nonzeros; ++n)
    for (size_t k = 0; k < shape.size(); ++k)
      sample.coordinates[k].push_back(int64_t(random() % uint64_t(shape[k])));
  return sample;
}

/// (row, column, nonzero), as the comment of the header says.
std::vector<std::array<int64_t, 3>> expected(const Sample &sample,
                                             const MatrixModes &modes) {
  std::vector<std::array<int64_t, 3>> entries;
  for (size_t n = 0; n < sample.coordinates[0].size(); ++n) {
    int64_t row = 0;
    for (unsigned mode : modes.rows)
      row = row * sample.shape[mode] + sample.coordinates[mode][n];
    entries.push_back({row, sample.coordinates[modes.column][n], int64_t(n)});
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

void expectMatrix(const Sample &sample, const MatrixModes &modes) {
  auto made = tensorMatrix(packed(sample), modes, 1 << 30, 2);
  ASSERT_TRUE(made) << made.message();
  const SparseView view = made->view();
  EXPECT_TRUE(view.check());
  std::vector<std::array<int64_t, 3>> entries;
  for (int64_t row = 0; row < view.shape[0]; ++row)
    for (int64_t i = view.positions[row]; i < view.positions[row + 1]; ++i)
      entries.push_back(
          {row, view.coordinates[0][i], made->nonzeroOf[size_t(i)]});
  EXPECT_EQ(entries, expected(sample, modes));
}
} // namespace

TEST(TensorMatrix, IsThatOfTheHeader) {
  const Sample sample{
      "header", {2, 3, 2}, {{0, 1, 0, 1}, {2, 0, 2, 1}, {1, 0, 0, 1}}};
  auto made = tensorMatrix(packed(sample), {{0, 1}, 2});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->positions, (std::vector<int64_t>{0, 0, 0, 2, 3, 4, 4}));
  EXPECT_EQ(made->columns, (Table<int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(made->nonzeroOf, (Table<int64_t>{2, 0, 1, 3}));
}

TEST(TensorMatrix, HoldsEveryNonzeroAtItsPlace) {
  expectMatrix(drawn({20, 30, 40}, 3000), {{0, 1}, 2});
  expectMatrix(drawn({20, 30, 40}, 3000), {{2, 0}, 1});
  // Nonzeros that differ in a mode that is summed over are of one place.
  expectMatrix(drawn({20, 30, 40}, 3000), {{1}, 0});
  expectMatrix(drawn({5, 70000, 3, 9}, 2000), {{3, 0, 1}, 2});
  expectMatrix(drawn({4, 3}, 0), {{0}, 1});
}

TEST(TensorMatrix, NumbersRowsWith32Bits) {
  const MatrixModes modes{{0, 1}, 2};
  using Shape = std::array<int64_t, 2>;
  EXPECT_EQ(modes.shapeOf({46340, 46340, 7}), (Shape{46340 * 46340, 7}));
  EXPECT_EQ(modes.shapeOf({65536, 32768, 7}), std::nullopt);
  EXPECT_EQ(modes.shapeOf({1, 1, int64_t(1) << 31}), std::nullopt);
  EXPECT_EQ(modes.shapeOf({int64_t(1) << 40, 0, 7}), std::nullopt);
  EXPECT_EQ(modes.shapeOf({0, int64_t(1) << 40, 7}), std::nullopt);
  EXPECT_EQ(modes.shapeOf({0, 5, 7}), (Shape{0, 7}));
}

TEST(TensorMatrix, NeedsModesAndMemory) {
  const Bricks bricks = packed(drawn({20, 30, 40}, 3000));
  EXPECT_EQ(tensorMatrix(bricks, {{0, 3}, 1}).message(),
            "expected modes below 3");
  EXPECT_EQ(tensorMatrix(bricks, {{0, 1}, 2}, 1000).message(),
            "expected the matrix of a tensor to take at most 1000 bytes but "
            "got 112808");
}

TEST(TensorMatrix, PaysByWhatIsReadAndWritten) {
  // Four elements, read and written for each nonzero, are eight positions.
  EXPECT_TRUE(prefersMatrix(4, 8000, 1000, 4, 4));
  EXPECT_FALSE(prefersMatrix(4, 8001, 1000, 4, 4));
  EXPECT_TRUE(prefersMatrix(4, 64000, 1000, 32, 4));
  EXPECT_FALSE(prefersMatrix(4, 64001, 1000, 32, 4));
  // Beyond the caches they are a line: 80 MB, of 10 million rows.
  EXPECT_TRUE(prefersMatrix(3, 10000000, 312500, 2, 4));
  EXPECT_FALSE(prefersMatrix(3, 10000000, 312499, 2, 4));
  // So is an element of one column.
  EXPECT_TRUE(prefersMatrix(3, 32000, 1000, 1, 4));
  EXPECT_FALSE(prefersMatrix(3, 32001, 1000, 1, 4));
  // A complex number is one, and two columns in a cache.
  EXPECT_TRUE(prefersMatrix(3, 3000000, 93750, 1, 8, 2));
  EXPECT_FALSE(prefersMatrix(3, 3000000, 93749, 1, 8, 2));
  EXPECT_FALSE(prefersMatrix(3, 30000, 60000, 1, 8, 2));
  EXPECT_TRUE(prefersMatrix(3, 29999, 60000, 1, 8, 2));
  // No product of these overflows.
  EXPECT_TRUE(prefersMatrix(3, 1, int64_t(1) << 62, int64_t(1) << 59, 8));
}

TEST(TensorMatrix, IsSlowerWhereRowsOfFewNonzerosAreInACache) {
  EXPECT_FALSE(prefersMatrix(5, 500, 1000, 2, 4));
  EXPECT_TRUE(prefersMatrix(5, 499, 1000, 2, 4));
  EXPECT_FALSE(prefersMatrix(3, 500, 1000, 8, 4));
  EXPECT_TRUE(prefersMatrix(4, 500, 1000, 8, 4));
  EXPECT_FALSE(prefersMatrix(3, 500, 1000, 15, 4));
  EXPECT_TRUE(prefersMatrix(3, 500, 1000, 16, 4));
  // 15 MiB beside nonzeros of one, and a row more.
  EXPECT_FALSE(prefersMatrix(3, 15 << 15, 1 << 17, 8, 4));
  EXPECT_TRUE(prefersMatrix(3, (15 << 15) + 1, 1 << 17, 8, 4));
}
