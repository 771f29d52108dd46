//===- EffortTest.cpp - bytes weighed by how far they come ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Effort.h"
#include "ASTFE/Core/Arrange.h"
#include "Generate.h"
#include "Samples.h"

using namespace astfe::core;
using astfe::bench::generate;
using astfe::bench::MatrixClass;

namespace {

TrafficModel modelOf(int64_t columns) {
  TrafficModel model;
  model.columns = columns;
  return model;
}

int64_t effortOf(const SparseView &view, const Arrangement &arrangement,
                 int64_t runs = 2, const CacheModel &caches = {},
                 int64_t columns = 32) {
  Result<Space> space = arrange(view, arrangement);
  EXPECT_TRUE(space) << space.message();
  Graph graph = *partition(*countProfile(view, *space, {256, 1}));
  Result<int64_t> effort =
      countEffort(modelOf(columns), view, graph, runs, caches, 1);
  EXPECT_TRUE(effort) << effort.message();
  return *effort;
}

int64_t plainEffort(const Sample &sample, const CacheModel &caches = {},
                    int64_t runs = 1) {
  Graph graph = *partition(sample.profile(OrderKind::Rows, 64), {1000, 1});
  return *countEffort(modelOf(16), sample.view(), graph, runs, caches);
}

} // namespace

TEST(Effort, WorkedExampleByHand) {
  // (0,0) (0,1) (1,0) with 16 columns of 4 bytes: rows of 64 bytes. Three
  // nonzeros (64 + 100) and two segments (1900). Four rows are touched for the
  // first time: near and far misses (25/16 and 10/16 of their bytes), of which
  // all but column 1 (after column 0) and row 1 (after row 0) are random (68);
  // they lie on two pages, new to both lists (134 and 24000).
  Sample sample{"three", {2, 2}, {{0, 0, 1}, {0, 1, 0}}};
  EXPECT_EQ(plainEffort(sample), 3 * (64 + 100) + 2 * 1900 + 4 * 64 * 35 / 16 +
                                     2 * 68 + 2 * (134 + 24000));
  // Two runs of the same: the second has 1 nonzero, 2 segments more, and row 0
  // if the cut is in it.
  EXPECT_GT(plainEffort(sample, {}, 2), plainEffort(sample));
  EXPECT_EQ(plainEffort({"none", {2, 2}, {{}, {}}}), 0);
}

TEST(Effort, WideOutputsAreReadAndWritten) {
  // One nonzero a segment, rows of 2048 bytes: a curve through a matrix without
  // structure reads and writes an output row for nearly every nonzero.
  auto matrix = generate(MatrixClass::Uniform, 300000, 1);
  int64_t rows = effortOf(matrix.view(), {OrderKind::Rows}, 2, {}, 512);
  int64_t curve = effortOf(matrix.view(), {OrderKind::Hilbert}, 2, {}, 512);
  EXPECT_GT(curve, rows + rows / 10);
  // Nothing is added where rows are as narrow as those that were measured.
  Sample sample{"one", {1, 1}, {{0}, {0}}};
  Graph graph = *partition(sample.profile(OrderKind::Rows, 64), {1000, 1});
  CacheModel onePage;
  onePage.pageBytes = 1 << 20;
  auto effort = [&](int64_t columns) {
    return *countEffort(modelOf(columns), sample.view(), graph, 1, onePage);
  };
  // For each column: 4 bytes in the cache, 2 misses of 4 (35/16), and 24 of the
  // output where the row is wider than 512 bytes.
  EXPECT_NEAR(effort(128) - effort(64), 64 * (4 + 17.5), 2);
  EXPECT_NEAR(effort(256) - effort(128), 128 * (4 + 17.5 + 24), 2);
}

TEST(Effort, CachesForget) {
  // A column used again after 40 others: a hit in a cache of 64 rows only.
  Sample sample{"again", {2, 100}, {{}, {}}};
  for (int64_t j = 0; j < 41; ++j) {
    sample.coordinates[0].push_back(0);
    sample.coordinates[1].push_back(j);
  }
  sample.coordinates[0].push_back(1);
  sample.coordinates[1].push_back(0);
  CacheModel large, small;
  large.nearBytes = large.farBytes = 64 * 64;
  small.nearBytes = 64 * 64, small.farBytes = 32 * 64;
  // A far miss more: 10/16 of its bytes, and not prefetched.
  EXPECT_EQ(plainEffort(sample, small) - plainEffort(sample, large),
            64 * 10 / 16 + 68);
}

TEST(Effort, ReorderingPaysWhereStructureIsHidden) {
  astfe::bench::Matrix blocks = generate(MatrixClass::PermutedBlocks, 200000);
  Arrangement rows, labels;
  labels.reorder = ReorderKind::Labels;
  EXPECT_LT(10 * effortOf(blocks.view(), labels),
            9 * effortOf(blocks.view(), rows));
  // And hardly on a mesh that is in order.
  astfe::bench::Matrix mesh = generate(MatrixClass::Mesh, 200000);
  EXPECT_GT(20 * effortOf(mesh.view(), labels),
            19 * effortOf(mesh.view(), rows));
}

TEST(Effort, DoesNotDependOnThreads) {
  Sample sample = scattered("matrix", {3000, 2000}, 200000, 9);
  Graph graph = *partition(sample.profile(OrderKind::Hilbert, 64));
  for (int64_t runs : {1, 2, 7})
    EXPECT_EQ(*countEffort({}, sample.view(), graph, runs, {}, 1),
              *countEffort({}, sample.view(), graph, runs, {}, 5));
}

TEST(Effort, RefusesSenselessInput) {
  Sample sample = scattered("matrix", {10, 10}, 20, 1);
  Graph graph = *partition(sample.profile(OrderKind::Rows, 4));
  EXPECT_EQ(countEffort({}, sample.view(), graph, 0).message(),
            "expected at least 1 run but got 0");
  Sample other = scattered("matrix", {10, 11}, 20, 1);
  EXPECT_EQ(countEffort({}, other.view(), graph, 1).message(),
            "expected a tensor of the graph's shape but got another");
  Sample cube = scattered("cube", {4, 4, 4}, 20, 1);
  EXPECT_FALSE(countEffort({}, cube.view(),
                           *partition(cube.profile(OrderKind::Rows, 4)), 1));
  EXPECT_FALSE(countEffort(modelOf(0), sample.view(), graph, 1));
}
