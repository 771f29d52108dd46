//===- RefineTest.cpp - splitting -----------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Pack/Assign.h"
#include "Samples.h"
#include <algorithm>
#include <cmath>

using namespace astfe::core;

namespace {

const std::optional<double> kThresholds[] = {std::nullopt, 0.6, 0.9};

RefineOptions optionsFor(std::optional<double> threshold, int64_t steps = -1) {
  RefineOptions options;
  options.threshold = threshold;
  options.workers = 4;
  options.waves = 4;
  options.min = 4;
  options.steps = steps;
  return options;
}

} // namespace

TEST(Refine, CoversEachNonzeroOnce) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph coarse = *partition(profile, {200, 1});
    for (auto threshold : kThresholds) {
      Result<Graph> fine = refine(coarse, profile, optionsFor(threshold));
      ASSERT_TRUE(fine) << fine.message();
      expectCovers(*fine, sample);
      EXPECT_EQ(*fine, *refine(coarse, profile, optionsFor(threshold)));
    }
  });
}

TEST(Refine, OnceMoreAtTheFixpointChangesNothing) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph coarse = *partition(profile, {200, 1});
    for (auto threshold : kThresholds) {
      Graph fine = *refine(coarse, profile, optionsFor(threshold));
      RefineLog log;
      EXPECT_EQ(*refine(fine, profile, optionsFor(threshold), &log), fine);
      EXPECT_EQ(log.steps, 0);
      EXPECT_EQ(log.split, 0);
    }
  });
}

TEST(Refine, StepsOneByOneReachTheFixpoint) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph start = *partition(profile, {100000, 1});
    for (auto threshold : kThresholds) {
      RefineLog log;
      Graph whole = *refine(start, profile, optionsFor(threshold), &log);
      Graph graph = start;
      for (int64_t i = 0; i <= log.steps; ++i)
        graph = *refine(graph, profile, optionsFor(threshold, 1));
      EXPECT_EQ(graph.prefix, whole.prefix);
      EXPECT_EQ(graph.length, whole.length);
      EXPECT_EQ(graph.limit, whole.limit);
    }
  });
}

TEST(Refine, SplitsExactlyWhatIsHotAndKnown) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph fine = *refine(*partition(profile, {200, 1}), profile,
                         optionsFor(std::nullopt));
    int64_t limit = std::max<int64_t>(1, sample.nonzeros() / 16);
    EXPECT_EQ(fine.limit, limit);
    for (size_t i = 0; i < fine.size(); ++i) {
      int64_t bins = 0;
      for (size_t j = 0; j < profile.size(); ++j)
        bins += fine.block(i).contains(profile.bin(j));
      EXPECT_FALSE(fine.nonzeros[i] > limit && fine.nonzeros[i] >= 8 &&
                   bins >= 2);
    }
  });
}

TEST(Refine, NeverRaisesTheOptimalMakespan) {
  // The least load under which greedy filling needs no more workers.
  auto bottleneck = [](const Graph &graph, int64_t workers) {
    int64_t low = 0, high = 0;
    for (int64_t count : graph.nonzeros) {
      low = std::max(low, count);
      high += count;
    }
    while (low < high) {
      int64_t bound = low + (high - low) / 2, used = 1, load = 0;
      for (int64_t count : graph.nonzeros) {
        used += load + count > bound;
        load = load + count > bound ? count : load + count;
      }
      used <= workers ? high = bound : low = bound + 1;
    }
    return low;
  };
  forAllSamples([&](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    Graph graph = *partition(profile, {200, 1});
    for (int64_t workers : {1, 2, 3, 7, 16}) {
      Graph before = graph;
      for (int step = 0; step < 4; ++step) {
        Graph after = *refine(before, profile, optionsFor(0.6, 1));
        EXPECT_LE(bottleneck(after, workers), bottleneck(before, workers));
        before = after;
      }
    }
  });
}

TEST(Refine, LevelsPerStepGrowWithTheRootOfTheLogarithm) {
  // One hot cell among 2^10 blocks: a step takes ceil(sqrt(10)) = 4 levels.
  Profile profile;
  profile.space = *Space::whole({int64_t(1) << 20}, OrderKind::Rows);
  for (uint64_t i = 1; i < 1024; ++i) {
    profile.part.push_back(0);
    profile.length.push_back(10);
    profile.prefix.push_back(i << 54);
    profile.nonzeros.push_back(10);
  }
  // Fine bins in the first block, so that it can be split right down.
  for (uint64_t i = 1024; i-- > 0;) {
    profile.part.insert(profile.part.begin(), 0);
    profile.length.insert(profile.length.begin(), 20);
    profile.prefix.insert(profile.prefix.begin(), i << 44);
    profile.nonzeros.insert(profile.nonzeros.begin(), i ? 1 : 100000);
  }
  ASSERT_TRUE(profile.check());
  Graph grid = *partition(profile, {200, 1});
  ASSERT_EQ(grid.size(), 1024u);
  RefineOptions options = optionsFor(0.75, 1);
  options.workers = 1000000;
  for (int64_t steps : {1, 2, 3}) {
    options.steps = steps;
    Graph fine = *refine(grid, profile, options);
    EXPECT_EQ(fine.length[0], std::min<int64_t>(10 + 4 * steps, 20));
  }
}

TEST(Refine, WorkedExampleOfTheHeader) {
  Profile profile;
  profile.space = *Space::whole({64}, OrderKind::Rows);
  // Eight blocks of up to two bins; the last three are empty.
  const int64_t counts[5][2] = {{1, 0}, {1, 0}, {10, 0}, {5, 5}, {48, 48}};
  for (uint64_t i = 0; i < 10; ++i) {
    if (counts[i / 2][i % 2] == 0)
      continue;
    profile.part.push_back(0);
    profile.length.push_back(4);
    profile.prefix.push_back(i << 60);
    profile.nonzeros.push_back(counts[i / 2][i % 2]);
  }
  Graph grid = *partition(profile, {24, 1});
  ASSERT_EQ(grid.nonzeros, (std::vector<int64_t>{1, 1, 10, 10, 96}));
  RefineOptions options = optionsFor(0.66);
  options.workers = 100;
  options.waves = 1;
  RefineLog log;
  Graph fine = *refine(grid, profile, options, &log);
  EXPECT_EQ(log.median, 10);
  EXPECT_EQ(log.limit, 19);
  EXPECT_EQ(log.hottest, 96);
  EXPECT_EQ(log.hottestAfter, 48);
  EXPECT_EQ(log.split, 1);
  EXPECT_EQ(log.steps, 1);
  EXPECT_EQ(fine.nonzeros, (std::vector<int64_t>{1, 1, 10, 10, 48, 48}));
}

TEST(Refine, LimitIsExact) {
  Profile profile;
  profile.space = *Space::whole({4}, OrderKind::Rows);
  profile.part = {0, 0, 0, 0};
  profile.length = {2, 2, 2, 2};
  for (uint64_t i = 0; i < 4; ++i)
    profile.prefix.push_back(i << 62);
  auto limitFor = [&](std::vector<int64_t> counts, double tau) {
    profile.nonzeros = std::move(counts);
    RefineOptions options = optionsFor(tau);
    options.workers = int64_t(1) << 60;
    RefineLog log;
    EXPECT_TRUE(refine(*partition(profile, {1, 1}), profile, options, &log));
    return std::make_pair(log.median, log.limit);
  };
  // The lower median of 1 5 7 100 is 5; 3/4 : 1/4 is three times that.
  EXPECT_EQ(limitFor({100, 5, 7, 1}, 0.75),
            std::make_pair(int64_t(5), int64_t(15)));
  // Beyond what a double's 53 bits could hold.
  int64_t large = (int64_t(1) << 60) + 1;
  EXPECT_EQ(limitFor({large, large, large, large}, 0.75).second, 3 * large);
  // tau so close to 1 that the quotient passes 2^63.
  EXPECT_EQ(
      limitFor({large, large, large, large}, std::nextafter(1.0, 0)).second,
      INT64_MAX);
}

TEST(Refine, CountsCyclesWhereAllAreKnown) {
  Sample sample = scattered("matrix", {64, 64}, 1000, 8);
  Profile profile = sample.profile(OrderKind::Hilbert, 4);
  Graph coarse = *partition(profile, {200, 1});
  profile.cycles.assign(profile.size(), 1);
  profile.cycles[0] = 1000000;
  RefineLog log;
  Graph fine = *refine(coarse, profile, optionsFor(std::nullopt), &log);
  EXPECT_EQ(log.limit, (1000000 + int64_t(profile.size()) - 1) / 16);
  EXPECT_EQ(log.hottest, (*intensities(coarse, profile))[0]);
  EXPECT_GT(fine.length[0], coarse.length[0]);
  EXPECT_EQ(fine.length.back(), coarse.length.back());
  profile.cycles[1] = -1;
  EXPECT_EQ(refine(coarse, profile, optionsFor(std::nullopt))->limit,
            1000 / 16);
}

TEST(Refine, WorkInAnEmptyBoxBecomesABlock) {
  Profile profile;
  profile.space = *Space::whole({16}, OrderKind::Rows);
  profile.part = {0, 0, 0};
  profile.length = {4, 4, 4};
  profile.prefix = {uint64_t(1) << 60, uint64_t(5) << 60, uint64_t(15) << 60};
  profile.nonzeros = {3, 2, 4};
  Graph graph;
  graph.space = profile.space;
  graph.part = {0};
  graph.length = {2};
  graph.prefix = {0};
  graph.nonzeros = {9};
  graph.ungroup();
  EXPECT_EQ(*intensities(graph, profile), (std::vector<int64_t>{3}));
  Graph after = *refine(graph, profile, optionsFor(std::nullopt));
  ASSERT_TRUE(after.check()) << after.check().message();
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after.block(0).str(), "00");
  EXPECT_EQ(after.block(1).str(), "01");
  EXPECT_EQ(after.block(2).str(), "1");
  EXPECT_EQ(after.nonzeros, (std::vector<int64_t>{3, 2, 4}));
}

TEST(Refine, WorkInAnEmptyBoxCutsTheGroupAroundIt) {
  Profile profile;
  profile.space = *Space::whole({16}, OrderKind::Rows);
  for (uint64_t i : {0, 4, 8, 12}) {
    profile.part.push_back(0);
    profile.length.push_back(4);
    profile.prefix.push_back(i << 60);
    profile.nonzeros.push_back(1);
  }
  Graph graph = *partition(profile, {1, 1});
  ASSERT_EQ(graph.size(), 4u);
  graph.nonzeros.erase(graph.nonzeros.begin() + 1);
  graph.prefix.erase(graph.prefix.begin() + 1);
  graph.length.erase(graph.length.begin() + 1);
  graph.part.erase(graph.part.begin() + 1);
  graph.groups = {0, 2, 3};
  EXPECT_EQ(refine(graph, profile)->groups,
            (std::vector<int64_t>{0, 1, 2, 3, 4}));
  // Between two groups it cuts neither.
  graph.groups = {0, 1, 3};
  EXPECT_EQ(refine(graph, profile)->groups, (std::vector<int64_t>{0, 1, 2, 4}));
}

TEST(Refine, LeavesBlocksOfFewNonzeros) {
  Profile profile;
  profile.space = *Space::whole({4}, OrderKind::Rows);
  profile.part = {0, 0, 0, 0};
  profile.length = {2, 2, 2, 2};
  for (uint64_t i = 0; i < 4; ++i)
    profile.prefix.push_back(i << 62);
  profile.nonzeros = {4, 4, 4, 3};
  RefineOptions options = optionsFor(std::nullopt);
  options.workers = 100;
  // 8 = 2 x min is enough, 7 is not.
  Graph fine = *refine(*partition(profile, {8, 1}), profile, options);
  EXPECT_EQ(fine.nonzeros, (std::vector<int64_t>{4, 4, 7}));
}

TEST(Refine, KeepsGroupsThatItDoesNotTouch) {
  Profile profile;
  profile.space = *Space::whole({16}, OrderKind::Rows);
  for (uint64_t i = 0; i < 16; ++i) {
    profile.part.push_back(0);
    profile.length.push_back(4);
    profile.prefix.push_back(i << 60);
    profile.nonzeros.push_back(i < 4 ? 100 : 1);
  }
  Graph graph = *partition(profile, {60, 1});
  ASSERT_EQ(graph.size(), 8u);
  graph.groups = {0, 2, 5, 8};
  RefineOptions options = optionsFor(std::nullopt);
  options.workers = 1;
  Graph after = *refine(graph, profile, options);
  EXPECT_EQ(after.size(), 10u);
  EXPECT_EQ(after.groups, (std::vector<int64_t>{0, 1, 2, 3, 4, 7, 10}));
}

TEST(Refine, RefusesSenselessOptionsAndStrangers) {
  Sample sample = allSamples()[7];
  Profile profile = sample.profile(OrderKind::Rows, 4);
  Graph graph = *partition(profile);
  auto message = [&](auto change) {
    RefineOptions options;
    change(options);
    return refine(graph, profile, options).message();
  };
  EXPECT_EQ(message([](auto &o) { o.threshold = 0.5; }),
            "expected a threshold between 0.5 and 1 but got 0.500000");
  EXPECT_EQ(message([](auto &o) { o.threshold = NAN; }),
            "expected a threshold between 0.5 and 1 but got nan");
  EXPECT_EQ(message([](auto &o) { o.workers = 0; }),
            "expected at least 1 worker but got 0");
  EXPECT_EQ(message([](auto &o) { o.waves = -3; }),
            "expected at least 1 wave but got -3");
  EXPECT_EQ(message([](auto &o) { o.min = 0; }),
            "expected a minimum from 1 but got 0");
  EXPECT_EQ(message([](auto &o) { o.steps = -2; }),
            "expected a number of steps from 0, or -1 for all, but got -2");
  Profile other = allSamples()[8].profile(OrderKind::Rows, 4);
  EXPECT_EQ(refine(graph, other).message(),
            "expected a profile of the graph's shape [101, 67] but got "
            "[5, 3000]");
  EXPECT_EQ(refine(graph, sample.profile(OrderKind::Hilbert, 4)).message(),
            "expected a profile with the graph's parts and orders but got "
            "others");
}

TEST(Refine, AnotherTauIsAnotherLimit) {
  Sample sample = scattered("matrix", {64, 64}, 1000, 8);
  Profile profile = sample.profile(OrderKind::Hilbert, 4);
  RefineOptions options;
  options.workers = 3;
  options.waves = 200; // The median decides, not the share of a worker.
  options.min = 4;
  options.threshold = 0.9;
  Graph first = *refine(*partition(profile, {16, 1}), profile, options);
  EXPECT_EQ(refine(first, profile, options)->limit, first.limit);
  // A limit that was found with another tau says nothing.
  Graph unlimited = first;
  unlimited.limit = 0;
  options.threshold = 0.6;
  const int64_t limit = refine(unlimited, profile, options)->limit;
  EXPECT_NE(limit, first.limit);
  EXPECT_EQ(refine(first, profile, options)->limit, limit);
}
