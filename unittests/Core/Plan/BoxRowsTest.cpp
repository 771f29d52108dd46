//===- BoxRowsTest.cpp - rows that boxes of a matrix touch ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/BoxRows.h"
#include "Generate.h"
#include <gtest/gtest.h>
#include <set>

using namespace astfe::core;
using namespace astfe::bench;

namespace {
constexpr int64_t kAll = int64_t(1) << 40;

/// What the nonzeros of each box touch.
BoxRows exact(const Matrix &matrix, unsigned log2) {
  std::set<std::pair<int64_t, int64_t>> rows, columns;
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int32_t k = matrix.positions[size_t(row)];
         k < matrix.positions[size_t(row) + 1]; ++k) {
      const int64_t column = matrix.coordinates[size_t(k)];
      rows.insert({row, column >> log2});
      columns.insert({row >> log2, column});
    }
  return {int64_t(rows.size()), int64_t(columns.size())};
}
} // namespace

TEST(BoxRows, AreThoseOfNonzerosAnywhere) {
  for (MatrixClass kind : {MatrixClass::Uniform, MatrixClass::Pruned90}) {
    const Matrix matrix = generate(kind, 50000);
    for (unsigned log2 : {0, 5, 9, 20}) {
      const BoxRows boxes = boxRows(matrix.view(), log2, kAll),
                    known = exact(matrix, log2);
      EXPECT_NEAR(double(boxes.rows), double(known.rows),
                  0.03 * double(known.rows));
      EXPECT_NEAR(double(boxes.columns), double(known.columns),
                  0.03 * double(known.columns));
    }
  }
}

TEST(BoxRows, SomeBandsTellOfAll) {
  const Matrix matrix = generate(MatrixClass::Pruned90, 200000);
  const BoxRows all = boxRows(matrix.view(), 5, kAll);
  for (int64_t sample : {1, 20000, 50000}) {
    const BoxRows some = boxRows(matrix.view(), 5, sample);
    EXPECT_NEAR(double(some.rows), double(all.rows), 0.05 * double(all.rows));
    EXPECT_NEAR(double(some.columns), double(all.columns),
                0.05 * double(all.columns));
  }
}

TEST(BoxRows, NothingTouchesNothing) {
  Matrix empty;
  empty.rows = empty.columns = 5;
  empty.positions.assign(6, 0);
  const BoxRows none = boxRows(empty.view(), 3, kAll);
  EXPECT_EQ(none.rows, 0);
  EXPECT_EQ(none.columns, 0);
}
