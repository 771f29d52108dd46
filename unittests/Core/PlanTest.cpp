//===- PlanTest.cpp - all steps at once -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan.h"
#include "gtest/gtest.h"
#include <random>

using namespace astfe::core;

namespace {

struct Matrix {
  std::vector<int64_t> rows, columns;
  std::vector<int64_t> shape;
  SparseView view() const {
    return SparseView::coo(
        shape, {IndexArray(rows.data(), int64_t(rows.size())),
                IndexArray(columns.data(), int64_t(columns.size()))});
  }
};

Matrix randomMatrix(int64_t extent, int64_t nonzeros, unsigned seed) {
  std::mt19937_64 rng(seed);
  Matrix m;
  m.shape = {extent, extent};
  for (int64_t i = 0; i < nonzeros; ++i) {
    m.rows.push_back(int64_t(rng() % uint64_t(extent)));
    m.columns.push_back(int64_t(rng() % uint64_t(extent)));
  }
  return m;
}

TEST(Plan, TakesTheStepsOneByOne) {
  Matrix m = randomMatrix(300, 4000, 1);
  PlanOptions options;
  options.order = OrderKind::Hilbert;
  options.profile.min = options.refine.min = 16;
  options.partition.leaf = 200;
  options.setWorkers(8);
  auto plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->order, OrderKind::Hilbert);
  EXPECT_TRUE(plan->traffic.empty());

  auto space = Space::whole(m.shape, OrderKind::Hilbert);
  ASSERT_TRUE(space);
  auto profile = countProfile(m.view(), *space, options.profile);
  ASSERT_TRUE(profile);
  auto initial = partition(*profile, options.partition);
  ASSERT_TRUE(initial);
  EXPECT_TRUE(plan->initial == *initial);
  auto refined = refine(*initial, *profile, options.refine);
  ASSERT_TRUE(refined);
  EXPECT_TRUE(plan->refined == *refined);
  auto fused = fuse(*refined, *profile, options.fuse);
  ASSERT_TRUE(fused);
  EXPECT_TRUE(plan->fused == *fused);
}

TEST(Plan, AutoTakesTheOrderWithLeastTraffic) {
  Matrix m = randomMatrix(500, 3000, 2);
  PlanOptions options;
  options.setWorkers(4);
  auto plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  ASSERT_EQ(plan->traffic.size(), 4u);
  for (int64_t bytes : plan->traffic)
    EXPECT_LE(plan->traffic[size_t(plan->order)], bytes);
}

TEST(Plan, RefusesATauOutOfRange) {
  Matrix m = randomMatrix(10, 20, 3);
  PlanOptions options;
  options.setThreshold(0.2);
  EXPECT_FALSE(makePlan(m.view(), options));
}

} // namespace
