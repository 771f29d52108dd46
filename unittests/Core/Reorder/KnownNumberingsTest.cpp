//===- KnownNumberingsTest.cpp - the last numberings of a process ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reorder/KnownNumberings.h"
#include "Generate.h"
#include <gtest/gtest.h>

using namespace astfe::core;
using namespace astfe::bench;

TEST(KnownNumberings, AreMadeOnceForAPattern) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 5000);
  auto first = knownNumbering(matrix.view(), ReorderKind::Labels, kAutoHubs),
       again = knownNumbering(matrix.view(), ReorderKind::Labels, kAutoHubs);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  // Of the same shape, with as many nonzeros, but another pattern.
  const Matrix other = shuffle(matrix, 9);
  auto others = knownNumbering(other.view(), ReorderKind::Labels, kAutoHubs);
  auto rcm = knownNumbering(matrix.view(), ReorderKind::Rcm, kAutoHubs);
  ASSERT_TRUE(others && rcm);
  EXPECT_NE(*others, *first);
  EXPECT_NE(*rcm, *first);
  EXPECT_EQ(
      (*others)->permutations,
      renumber(other.view(), ReorderKind::Labels, kAutoHubs)->permutations);
}
