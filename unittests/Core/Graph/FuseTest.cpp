//===- FuseTest.cpp - coarsening and grouping -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "GraphTraffic.h"
#include "Samples.h"
#include <algorithm>

using namespace astfe::core;

namespace {

FuseOptions optionsFor(int64_t cache = 1 << 20, int64_t columns = 8) {
  FuseOptions options;
  options.workers = 3;
  options.waves = 2;
  options.cache = cache;
  options.columns = columns;
  return options;
}

RefineOptions refineOptions() {
  RefineOptions options;
  options.workers = 3;
  options.waves = 2;
  options.min = 4;
  return options;
}

int64_t totalTraffic(const Graph &graph, const FuseOptions &options) {
  return modelTraffic(modelOf(options), graph).total();
}

/// The sum of `values` over each group.
std::vector<int64_t> perGroup(const Graph &graph,
                              const std::vector<int64_t> &values) {
  std::vector<int64_t> sums;
  for (size_t g = 0; g < graph.groupCount(); ++g) {
    sums.push_back(0);
    for (int64_t i = graph.groups[g]; i < graph.groups[g + 1]; ++i)
      sums.back() += values[size_t(i)];
  }
  return sums;
}

} // namespace

TEST(Fuse, CoversEachNonzeroOnceAndIsDeterministic) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph fine = *partition(profile, {4, 1});
    Result<Graph> fused = fuse(fine, profile, optionsFor());
    ASSERT_TRUE(fused) << fused.message();
    expectCovers(*fused, sample);
    EXPECT_EQ(*fused, *fuse(fine, profile, optionsFor()));
    EXPECT_LE(fused->size(), fine.size());
  });
}

TEST(Fuse, NeverRaisesModelledTraffic) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 3);
    for (int64_t leaf : {1, 8, 60})
      for (int64_t cache : {0, 400, 3000, 1 << 20}) {
        Graph fine = *partition(profile, {leaf, 1});
        FuseLog log;
        Graph fused = *fuse(fine, profile, optionsFor(cache), &log);
        EXPECT_EQ(log.trafficBefore, totalTraffic(fine, optionsFor()));
        EXPECT_EQ(log.trafficAfter, totalTraffic(fused, optionsFor()));
        EXPECT_LE(log.trafficAfter, log.trafficBefore);
        EXPECT_EQ(log.merged + int64_t(fused.size()), int64_t(fine.size()));
        EXPECT_EQ(log.joined + int64_t(fused.groupCount()),
                  int64_t(fused.size()));
      }
  });
}

TEST(Fuse, WhatItMadeKeepsToLimitAndCache) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 3);
    Graph fine = *partition(profile, {1, 1});
    for (int64_t cache : {500, 4000}) {
      FuseOptions options = optionsFor(cache);
      Graph fused = *fuse(fine, profile, options);
      std::vector<int64_t> work = perGroup(fused, fused.nonzeros);
      for (size_t g = 0; g < fused.groupCount(); ++g) {
        bool single = fused.groups[g + 1] - fused.groups[g] == 1;
        auto first = size_t(fused.groups[g]);
        bool untouched = single &&
                         std::count(fine.prefix.begin(), fine.prefix.end(),
                                    fused.prefix[first]) &&
                         std::count(fine.nonzeros.begin(), fine.nonzeros.end(),
                                    fused.nonzeros[first]);
        if (untouched)
          continue;
        EXPECT_LE(work[g], fused.limit);
        // Dense operands alone: traffic without indices, outputs once.
        Graph one = fused;
        auto cut = [&](auto &array) {
          array.erase(array.begin() + fused.groups[g + 1], array.end());
          array.erase(array.begin(), array.begin() + fused.groups[g]);
        };
        cut(one.part), cut(one.length), cut(one.prefix), cut(one.nonzeros);
        one.groups = {0, int64_t(one.size())};
        Traffic traffic = modelTraffic(modelOf(options), one);
        EXPECT_LE(traffic.inputBytes + traffic.outputBytes / 2, cache);
      }
    }
  });
}

TEST(Fuse, StopsOnlyAtLimitOrCache) {
  // With room in the cache, no two neighbouring groups could still be joined.
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 3);
    Graph fused = *fuse(*partition(profile, {1, 1}), profile,
                        optionsFor(int64_t(1) << 40));
    std::vector<int64_t> work = perGroup(fused, fused.nonzeros);
    for (size_t g = 1; g < work.size(); ++g)
      EXPECT_GT(work[g - 1] + work[g], fused.limit);
  });
}

TEST(Fuse, RefineAfterFuseChangesNothing) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    for (std::optional<double> tau : {std::optional<double>(), {0.6}, {0.8}}) {
      RefineOptions options = refineOptions();
      options.threshold = tau;
      Graph graph = *partition(profile, {100, 1});
      graph = *refine(graph, profile, options);
      graph = *fuse(graph, profile, optionsFor());
      EXPECT_EQ(*refine(graph, profile, options), graph);
      EXPECT_EQ(*fuse(graph, profile, optionsFor()), graph);
    }
  });
}

TEST(Fuse, UsesTheLimitOfTheGraph) {
  Sample sample = scattered("matrix", {64, 64}, 1000, 8);
  Profile profile = sample.profile(OrderKind::Hilbert, 4);
  Graph fine = *partition(profile, {4, 1});
  EXPECT_EQ(fuse(fine, profile, optionsFor())->limit, 1000 / 6);
  fine.limit = 50;
  fine.threshold = 0.7;
  Graph fused = *fuse(fine, profile, optionsFor());
  EXPECT_EQ(fused.limit, 50);
  EXPECT_EQ(fused.threshold, 0.7);
  for (int64_t work : perGroup(fused, fused.nonzeros))
    EXPECT_LE(work, 50);
}

TEST(Fuse, WorkedExampleOfFourQuarters) {
  // 4x4, one nonzero in each cell of the upper half: bins are single cells.
  Profile profile;
  profile.space = *Space::whole({4, 4}, OrderKind::Morton);
  for (uint64_t i = 0; i < 8; ++i) {
    profile.part.push_back(0);
    profile.length.push_back(4);
    profile.prefix.push_back(i << 60);
    profile.nonzeros.push_back(1);
  }
  Graph cells = *partition(profile, {1, 1});
  ASSERT_EQ(cells.size(), 8u);
  cells.limit = 6;
  FuseLog log;
  FuseOptions options = optionsFor();
  options.columns = 1;
  // C(parent) < 3: pairs merge and pairs of pairs do not; three pairs are T.
  Graph fused = *fuse(cells, profile, options, &log);
  EXPECT_EQ(fused.size(), 4u);
  EXPECT_EQ(log.merged, 4);
  EXPECT_EQ(fused.block(1).str(), "001");
  ASSERT_EQ(fused.groupCount(), 2u);
  for (int64_t work : perGroup(fused, fused.nonzeros))
    EXPECT_LE(work, 6);
}

TEST(Fuse, TiesGoToTheSmallerPrefix) {
  // Four rows with a nonzero each in a column vector: all gains are equal.
  Profile profile;
  profile.space = *Space::whole({4}, OrderKind::Rows);
  profile.part = {0, 0, 0};
  profile.length = {2, 2, 2};
  profile.prefix = {0, uint64_t(1) << 62, uint64_t(2) << 62};
  profile.nonzeros = {1, 1, 1};
  Graph graph = *partition(profile, {1, 1});
  graph.limit = 2;
  EXPECT_EQ(fuse(graph, profile)->groups, (std::vector<int64_t>{0, 2, 3}));
}

TEST(Fuse, LargestGainFirst) {
  // Upper right, lower left, lower right quarter of a 4x4 space, four nonzeros
  // each: the first two share nothing, the last two their rows.
  Profile profile = quarters(1, 4);
  Graph graph = *partition(profile, {1, 1});
  graph.limit = 8;
  EXPECT_EQ(fuse(graph, profile)->groups, (std::vector<int64_t>{0, 1, 3}));
}

TEST(Fuse, AGroupMayFillTheCacheToTheLastByte) {
  // The lower quarters of a 4x4 space, all cells full: together they touch two
  // rows of the output and four of the input, of 8 columns of 4 bytes.
  Profile profile = quarters(2, 4);
  constexpr int64_t kBytes = (2 + 4) * 8 * 4;
  // Joined as groups, and merged into one block.
  for (int64_t limit : {8, 32}) {
    Graph graph = *partition(profile, {1, 1});
    graph.limit = limit;
    for (int64_t cache : {kBytes - 1, kBytes})
      EXPECT_EQ(fuse(graph, profile, optionsFor(cache))->groupCount(),
                cache == kBytes ? 1u : 2u)
          << limit << ", " << cache;
  }
}

TEST(Fuse, DoesNotMergeWhatABoxWouldForget) {
  // 1000 nonzeros in one half and one in the other: a box around both would
  // seem to touch 639 rows, the two of them touch 440 and 1.
  Profile profile;
  profile.space = *Space::whole({1024}, OrderKind::Rows);
  profile.part = {0, 0};
  profile.length = {1, 1};
  profile.prefix = {0, uint64_t(1) << 63};
  profile.nonzeros = {1000, 1};
  Graph graph = *partition(profile, {600, 1});
  ASSERT_EQ(graph.size(), 2u);
  graph.limit = 10000;
  FuseLog log;
  Graph fused = *fuse(graph, profile, {}, &log);
  EXPECT_EQ(fused.size(), 2u);
  EXPECT_EQ(fused.groups, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(log.trafficAfter, log.trafficBefore);
  // As many in both halves are one block.
  profile.nonzeros = {500, 500};
  EXPECT_EQ(fuse(graph, profile)->size(), 1u);
}

TEST(Fuse, GroupsStayInTheirPart) {
  Sample sample = scattered("matrix", {50, 70}, 2000, 11);
  Space space = withHubs(sample.shape, 3, OrderKind::Hilbert);
  Profile profile = *countProfile(sample.view(), space, {4, 1});
  Graph graph = *partition(profile, {8, 1});
  expectCovers(graph, sample);
  graph = *refine(graph, profile, refineOptions());
  expectCovers(graph, sample);
  FuseOptions options = optionsFor();
  options.workers = options.waves = 1;
  graph.limit = 0;
  graph = *fuse(graph, profile, options);
  expectCovers(graph, sample);
  // All of it is within the new T, but the hubs are not the rest.
  ASSERT_EQ(graph.groupCount(), 2u);
  EXPECT_EQ(graph.part[size_t(graph.groups[1]) - 1], 0u);
  EXPECT_EQ(graph.part[size_t(graph.groups[1])], 1u);
}

TEST(Fuse, RefusesSenselessOptions) {
  Profile profile = allSamples()[7].profile(OrderKind::Rows, 4);
  Graph graph = *partition(profile);
  auto message = [&](auto change) {
    FuseOptions options;
    change(options);
    return fuse(graph, profile, options).message();
  };
  EXPECT_EQ(message([](auto &o) { o.threshold = 1; }),
            "expected a threshold between 0.5 and 1 but got 1.000000");
  EXPECT_EQ(message([](auto &o) { o.cache = -1; }),
            "expected a cache from 0 bytes but got -1");
  EXPECT_EQ(message([](auto &o) { o.columns = 0; }),
            "expected columns from 1 but got 0");
  EXPECT_EQ(message([](auto &o) { o.elementBytes = 0; }),
            "expected element bytes from 1 but got 0");
  EXPECT_EQ(message([](auto &o) { o.workers = 0; }),
            "expected at least 1 worker but got 0");
}

TEST(Fuse, HugeExtentsAndColumnsDoNotOverflow) {
  Sample sample = allSamples().back();
  Profile profile = sample.profile(OrderKind::Hilbert, 4);
  FuseOptions options = optionsFor();
  options.columns = int64_t(1) << 60;
  FuseLog log;
  Result<Graph> fused =
      fuse(*partition(profile, {4, 1}), profile, options, &log);
  ASSERT_TRUE(fused) << fused.message();
  EXPECT_EQ(log.trafficBefore, INT64_MAX);
  EXPECT_EQ(log.joined, 0);
}
