//===- PartitionTest.cpp - the uniform grid -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Partition.h"
#include "Samples.h"
#include <set>

using namespace astfe::core;

TEST(Partition, CoversEachNonzeroOnce) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    for (int64_t leaf : {0, 1, 20, 100000}) {
      Result<Graph> graph = partition(sample.profile(kind, 4), {leaf, 4});
      ASSERT_TRUE(graph) << graph.message();
      expectCovers(*graph, sample);
      EXPECT_EQ(graph->totalNonzeros(), sample.nonzeros());
      EXPECT_EQ(graph->groupCount(), graph->size());
      EXPECT_EQ(graph->limit, 0);
    }
  });
}

/// Blocks of the grid of one round by definition: cut each bin's prefix.
static std::set<std::pair<uint64_t, int>> gridOf(const Profile &profile,
                                                 unsigned length) {
  std::set<std::pair<uint64_t, int>> grid;
  for (size_t i = 0; i < profile.size(); ++i) {
    Prefix prefix = profile.bin(i);
    while (prefix.length > length)
      prefix = prefix.parent();
    grid.insert({prefix.bits, prefix.length});
  }
  return grid;
}

TEST(Partition, TakesTheFirstRoundWithAMeanOfLeaf) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 2);
    Order order = profile.space.parts[0].order();
    size_t finest = gridOf(profile, 64).size();
    for (int64_t leaf : {1, 3, 10, 50, 400}) {
      std::set<std::pair<uint64_t, int>> expected;
      for (uint8_t length : order.rounds()) {
        expected = gridOf(profile, length);
        if (expected.size() == finest ||
            int64_t(expected.size()) * leaf >= sample.nonzeros())
          break;
      }
      Graph graph = *partition(profile, {leaf, 1});
      ASSERT_EQ(graph.size(), expected.size());
      for (size_t i = 0; i < graph.size(); ++i)
        EXPECT_TRUE(expected.count({graph.prefix[i], graph.length[i]}));
    }
  });
}

TEST(Partition, AutoGivesEachWorkerSixteenBlocks) {
  Sample sample = scattered("matrix", {500, 500}, 20000, 7);
  Graph graph = *partition(sample.profile(OrderKind::Hilbert, 4), {0, 8});
  EXPECT_GE(graph.size(), 8u * 16);
  EXPECT_LT(graph.size(), 8u * 16 * 4);
}

TEST(Partition, RefusesSenselessOptions) {
  Profile profile = allSamples()[0].profile(OrderKind::Rows, 1);
  EXPECT_EQ(partition(profile, {-1, 4}).message(),
            "expected a leaf from 0 but got -1");
  EXPECT_EQ(partition(profile, {0, 0}).message(),
            "expected at least 1 worker but got 0");
}

TEST(Partition, TotalsBeyond32Bits) {
  Profile profile;
  profile.space = *Space::whole({1 << 20, 1 << 20}, OrderKind::Hilbert);
  for (uint64_t i = 0; i < 1024; ++i) {
    profile.part.push_back(0);
    profile.length.push_back(10);
    profile.prefix.push_back(i << 54);
    profile.nonzeros.push_back(int64_t(1) << 40);
  }
  ASSERT_TRUE(profile.check());
  Graph graph = *partition(profile, {int64_t(1) << 42, 1});
  EXPECT_EQ(graph.size(), 256u);
  EXPECT_EQ(graph.nonzeros[0], int64_t(1) << 42);
  EXPECT_EQ(graph.totalNonzeros(), int64_t(1) << 50);
}
