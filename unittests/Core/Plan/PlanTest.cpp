//===- PlanTest.cpp - all steps at once -----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Plan.h"
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
  EXPECT_TRUE(plan->arrangement == (Arrangement{OrderKind::Hilbert}));
  EXPECT_TRUE(plan->scores.empty());

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

TEST(Plan, AutoTakesTheOrderWithTheLeastTime) {
  Matrix m = randomMatrix(3000, 120000, 2);
  PlanOptions options;
  options.setWorkers(4);
  options.fuse.columns = 512;
  // In one run nothing but rows is worth a look.
  options.expectedRuns = 1;
  auto plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->scores.size(), 1u);
  EXPECT_EQ(plan->arrangement, Arrangement());
  options.expectedRuns = int64_t(1) << 40;
  plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  ASSERT_EQ(plan->scores.size(), 4u);
  double first = plan->scores[0].seconds, least = first, chosen = 0;
  for (const Score &score : plan->scores) {
    least = std::min(least, score.seconds);
    if (score.arrangement == plan->arrangement)
      chosen = score.seconds;
  }
  if (least < 0.92 * first)
    EXPECT_LE(0.97 * chosen, least);
  else
    EXPECT_EQ(chosen, first);
}

TEST(Plan, RowsThatAutoChoosesStayWhole) {
  Matrix m = randomMatrix(400, 3000, 4);
  PlanOptions options;
  options.wholeRows = true;
  options.expectedRuns = 1;
  auto plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  ASSERT_EQ(plan->arrangement, Arrangement());
  EXPECT_EQ(plan->profile.size(), 0u);
  EXPECT_TRUE(plan->initial == plan->fused);
  EXPECT_EQ(plan->fused.size(), 1u);
  EXPECT_EQ(plan->fused.totalNonzeros(), 3000);
  EXPECT_TRUE(plan->fused.check());
  // Rows that are asked for are cut.
  options.order = OrderKind::Rows;
  plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_GT(plan->fused.size(), 1u);
  // As are those of a curve.
  options.order = OrderKind::Hilbert;
  plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_GT(plan->fused.size(), 1u);
}

TEST(Plan, NothingStaysNoBlock) {
  Matrix m = randomMatrix(4, 0, 4);
  PlanOptions options;
  options.wholeRows = true;
  auto plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->fused.size(), 0u);
  EXPECT_TRUE(plan->fused.check());
}

TEST(Plan, ReordersWhereAsked) {
  Matrix m = randomMatrix(400, 3000, 4);
  PlanOptions options;
  options.order = OrderKind::Hilbert;
  options.reorder = ReorderKind::Labels;
  options.hubs = kAutoHubs;
  auto plan = makePlan(m.view(), options);
  ASSERT_TRUE(plan) << plan.message();
  auto space = arrange(
      m.view(), {OrderKind::Hilbert, 10, ReorderKind::Labels, kAutoHubs});
  ASSERT_TRUE(space) << space.message();
  EXPECT_TRUE(plan->fused.space == *space);
  EXPECT_FALSE(space->permutations.empty());
  EXPECT_EQ(plan->fused.totalNonzeros(), 3000);
}

TEST(Plan, AutoComparesReorderings) {
  // Rows that are equal are 40 rows apart.
  constexpr int32_t Rows = 800, Kinds = 40, Length = 16;
  std::vector<int32_t> positions{0}, coordinates;
  for (int32_t i = 0; i < Rows; ++i) {
    for (int32_t k = 0; k < Length; ++k)
      coordinates.push_back(i % Kinds * Length + k);
    positions.push_back(int32_t(coordinates.size()));
  }
  SparseView view = SparseView::csr(
      Rows, Kinds * Length, IndexArray(positions.data(), Rows + 1),
      IndexArray(coordinates.data(), int64_t(coordinates.size())));
  PlanOptions options;
  options.reorder = std::nullopt;
  options.hubs = kAutoHubs;
  options.fuse.columns = 512;
  options.expectedRuns = int64_t(1) << 40;
  auto plan = makePlan(view, options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_GE(plan->scores.size(), 2u);
  EXPECT_EQ(plan->arrangement.reorder, ReorderKind::Twins);
}

TEST(Plan, AutoLeavesOtherRanksAsTheyAre) {
  std::vector<int64_t> index{0, 1, 2};
  IndexArray array(index.data(), 3);
  PlanOptions options;
  options.reorder = std::nullopt;
  options.hubs = kAutoHubs;
  auto plan =
      makePlan(SparseView::coo({4, 5, 6}, {array, array, array}), options);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_TRUE(plan->arrangement == (Arrangement{OrderKind::Hilbert}));
}

TEST(Plan, RefusesATauOutOfRange) {
  Matrix m = randomMatrix(10, 20, 3);
  PlanOptions options;
  options.setThreshold(0.2);
  EXPECT_FALSE(makePlan(m.view(), options));
}

} // namespace
