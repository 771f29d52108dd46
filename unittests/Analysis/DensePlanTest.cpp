//===- DensePlanTest.cpp - several dense dimensions become one ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/DensePlan.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace astfe;

namespace {
using Runs = SmallVector<SmallVector<int64_t, 2>>;

struct DensePlanTest : testing::Test {
  AffineMap map(ArrayRef<unsigned> loops) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : loops)
      results.push_back(getAffineDimExpr(loop, &context));
    return AffineMap::get(6, 0, results, &context);
  }
  MLIRContext context;
};
} // namespace

// Loops 0 and 1 are the matrix's.

TEST_F(DensePlanTest, NeighboursAreMerged) {
  DensePlan plan =
      planDense({map({0, 1}), map({1, 2, 3, 4}), map({0, 2, 3, 4})}, {2, 3, 4});
  EXPECT_EQ(plan.merged, (Runs{{2, 3, 4}}));
  EXPECT_TRUE(plan.around.empty());
}

TEST_F(DensePlanTest, OnlyWhereTheyAreNeighboursEverywhere) {
  // The bias has the second alone, the other order is none.
  for (AffineMap other : {map({3}), map({3, 2})}) {
    DensePlan plan =
        planDense({map({0, 1}), map({1, 2, 3}), other, map({0, 2, 3})}, {2, 3});
    EXPECT_TRUE(plan.merged.empty());
    EXPECT_EQ(plan.around, (SmallVector<unsigned>{2}));
  }
}

TEST_F(DensePlanTest, LoopsGoAroundInTheOutputsOrder) {
  DensePlan plan = planDense(
      {map({0, 1}), map({2, 4, 1, 3, 5}), map({4, 2, 0, 3, 5})}, {2, 3, 4, 5});
  EXPECT_EQ(plan.merged, (Runs{{3, 5}}));
  EXPECT_EQ(plan.around, (SmallVector<unsigned>{4, 2}));
}

TEST_F(DensePlanTest, VectorsGoAlongTheEndOfMostOperands) {
  // A sampled product of two heads: its output has no dense dimension.
  DensePlan plan = planDense(
      {map({0, 1}), map({2, 0, 3}), map({2, 1, 3}), map({0, 1})}, {2, 3});
  EXPECT_TRUE(plan.merged.empty());
  EXPECT_EQ(plan.around, (SmallVector<unsigned>{2}));
}

TEST_F(DensePlanTest, OneDimensionStays) {
  DensePlan plan = planDense({map({0, 1}), map({1, 2}), map({0, 2})}, {2});
  EXPECT_TRUE(plan.merged.empty() && plan.around.empty());
}
