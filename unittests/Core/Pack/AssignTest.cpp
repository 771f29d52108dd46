//===- AssignTest.cpp - chains-on-chains against brute force --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace astfe::core;

static std::vector<int64_t> sumsOf(ArrayRef<int64_t> weights) {
  std::vector<int64_t> sums{0};
  for (int64_t weight : weights)
    sums.push_back(sums.back() + weight);
  return sums;
}

static int64_t largestRun(ArrayRef<int64_t> offsets) {
  int64_t largest = 0;
  for (size_t p = 1; p < offsets.size(); ++p)
    largest = std::max(largest, offsets[p] - offsets[p - 1]);
  return largest;
}

/// The least bottleneck of any cut into whole items: dynamic programming over
/// (workers, items).
static int64_t bestBottleneck(ArrayRef<int64_t> sums, int64_t workers) {
  std::vector<int64_t> best(sums.begin(), sums.end());
  for (int64_t p = 1; p < workers; ++p) {
    std::vector<int64_t> next(best.size());
    for (size_t end = 0; end < sums.size(); ++end) {
      next[end] = sums[end];
      for (size_t cut = 0; cut <= end; ++cut)
        next[end] =
            std::min(next[end], std::max(best[cut], sums[end] - sums[cut]));
    }
    best = next;
  }
  return best.back();
}

static void expectRuns(ArrayRef<int64_t> offsets, int64_t total,
                       int64_t workers) {
  ASSERT_EQ(int64_t(offsets.size()), workers + 1);
  EXPECT_EQ(offsets.front(), 0);
  EXPECT_EQ(offsets.back(), total);
  EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
}

/// Weights of several kinds: equal, random, skewed, with zeros, huge.
static std::vector<int64_t> randomWeights(std::mt19937_64 &random) {
  std::vector<int64_t> weights(random() % 40);
  unsigned kind = random() % 5;
  for (int64_t &weight : weights) {
    weight = kind == 0 ? 7 : int64_t(random() % 100);
    if (kind == 2 && random() % 10 == 0)
      weight *= 50;
    if (kind == 3 && random() % 2)
      weight = 0;
    if (kind == 4)
      weight <<= 45;
  }
  return weights;
}

TEST(Assign, CutsItemsOnlyWhereWholeOnesExceedTheMean) {
  std::mt19937_64 random(2);
  int cut = 0, whole = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> sums = sumsOf(randomWeights(random));
    auto workers = int64_t(1 + random() % 12);
    std::vector<int64_t> offsets = assign(sums, workers);
    expectRuns(offsets, sums.back(), workers);
    double mean = double(sums.back()) / double(workers);
    int64_t best = bestBottleneck(sums, workers);
    if (double(best) <= 1.001 * mean) {
      for (int64_t offset : offsets)
        EXPECT_TRUE(std::binary_search(sums.begin(), sums.end(), offset));
      EXPECT_EQ(largestRun(offsets), best);
      ++whole;
      continue;
    }
    // The bound of the header: 1 + P/total, that is ceil(mean) in counts.
    EXPECT_LE(largestRun(offsets), (sums.back() + workers - 1) / workers);
    EXPECT_LE(imbalance(offsets),
              1 + double(workers) / double(sums.back()) + 1e-12);
    ++cut;
  }
  EXPECT_GT(cut, 100);
  EXPECT_GT(whole, 100);
}

TEST(Assign, PrefersItemBoundariesThatCostNothing) {
  // Mean 4: the first cut falls between items, the second inside the 7.
  std::vector<int64_t> sums = sumsOf({2, 2, 7, 1});
  EXPECT_EQ(assign(sums, 3), (std::vector<int64_t>{0, 4, 8, 12}));
}

TEST(Assign, OneHugeItem) {
  std::vector<int64_t> sums{0, 1000003};
  std::vector<int64_t> offsets = assign(sums, 4);
  expectRuns(offsets, 1000003, 4);
  EXPECT_EQ(largestRun(offsets), 250001);
}

TEST(Assign, ItemsMayCostBesideTheirWeight) {
  // Six items of weight 1 and one of 12. With 2 an item beside they cost 3 and
  // 14: five items are 15 and the rest is 17.
  std::vector<int64_t> sums = sumsOf({1, 1, 1, 1, 1, 1, 12});
  EXPECT_EQ(assign(sums, 2, 0), assign(sums, 2));
  EXPECT_EQ(assign(sums, 2, 2), (std::vector<int64_t>{0, 5, 18}));
  // The second half of 10 + 5: its cost is paid where it begins.
  EXPECT_EQ(assign({0, 10}, 3, 5), (std::vector<int64_t>{0, 0, 5, 10}));
}

TEST(Assign, CostsAreAsEvenAsWeights) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<int64_t> weights = randomWeights(random);
    for (int64_t &weight : weights)
      weight = std::max<int64_t>(weight, 1);
    std::vector<int64_t> sums = sumsOf(weights);
    int64_t workers = 1 + int64_t(random() % 9), cost = int64_t(random() % 20);
    std::vector<int64_t> offsets = assign(sums, workers, cost);
    expectRuns(offsets, sums.back(), workers);
    int64_t items = int64_t(sums.size()) - 1;
    int64_t mean = (sums.back() + items * cost + workers - 1) / workers;
    int64_t bound = mean + mean / 1000 + cost;
    for (size_t p = 1; p < offsets.size(); ++p) {
      auto begun = [&](int64_t offset) {
        return std::lower_bound(sums.begin(), sums.end() - 1, offset) -
               sums.begin();
      };
      int64_t load = offsets[p] - offsets[p - 1] +
                     cost * (begun(offsets[p]) - begun(offsets[p - 1]));
      EXPECT_LE(load, bound);
    }
  }
}

TEST(Assign, NoWorkAndNoItems) {
  EXPECT_EQ(assign({0}, 3), (std::vector<int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(assign({0, 0, 0}, 2), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(imbalance({0, 0, 0}), 1);
  EXPECT_EQ(imbalance({0}), 1);
  EXPECT_EQ(imbalance({0, 3, 4}), 1.5);
}

TEST(Assign, ManyItemsAndWorkers) {
  std::mt19937_64 random(3);
  std::vector<int64_t> weights(200000);
  for (int64_t &weight : weights)
    weight = int64_t(random() % 1000) << 20;
  std::vector<int64_t> sums = sumsOf(weights);
  std::vector<int64_t> offsets = assign(sums, 20);
  expectRuns(offsets, sums.back(), 20);
  for (int64_t offset : offsets)
    EXPECT_TRUE(std::binary_search(sums.begin(), sums.end(), offset));
  // No cut of whole items beats it: greedy filling with one less fails.
  int64_t bound = largestRun(offsets) - 1, used = 1, load = 0;
  for (int64_t weight : weights) {
    if (load + weight > bound) {
      ++used;
      load = 0;
    }
    load += weight;
  }
  EXPECT_GT(used, 20);
}
TEST(Assign, ItemsStayWholeWithinASlack) {
  // The example of the header.
  EXPECT_EQ(assignWhole({0, 2, 52, 54, 64}, 4, 0, {0, 0}),
            (std::vector<int64_t>{0, 16, 30, 44, 64}));
  // Where items are whole no run begins inside, and empty runs are the last.
  EXPECT_EQ(assignWhole({0, 2, 52, 54, 64}, 4, 0, {0, 4}),
            (std::vector<int64_t>{0, 2, 52, 64, 64}));
  // Pieces are as large as what stays whole: two of 25 where that is 32.
  EXPECT_EQ(assignWhole({0, 2, 52, 54, 64}, 4, 0, {0, 2}),
            (std::vector<int64_t>{0, 27, 52, 64, 64}));
  // Each group of two has half of the sum, as near as items allow.
  EXPECT_EQ(assignWhole({0, 28, 56, 58, 61, 64}, 4, 0, {0, 4, 2}),
            (std::vector<int64_t>{0, 28, 28, 56, 64}));
  EXPECT_EQ(assignWhole({0, 28, 56, 58, 61, 64}, 4, 0, {0, 4, 0}),
            (std::vector<int64_t>{0, 28, 56, 64, 64}));
  // Where whole items fit they are not cut at all.
  const std::vector<int64_t> sums{0, 10, 22, 30, 41, 50};
  EXPECT_EQ(assignWhole(sums, 5, 0, {0.2, 0}), sums);
  EXPECT_EQ(assignWhole({0}, 2, 3, {0.1, 1}), (std::vector<int64_t>{0, 0, 0}));
}

TEST(Assign, SlackBoundsEveryRunAndReachesTheEnd) {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<int64_t> sums{0};
    for (int64_t n = 1 + random() % 40; n > 0; --n)
      sums.push_back(sums.back() +
                     (random() % 8 == 0 ? random() % 500 : random() % 9));
    const int64_t workers = 1 + random() % 60, cost = random() % 4;
    const int64_t items = int64_t(sums.size()) - 1;
    const int64_t all = sums.back() + items * cost;
    const double whole = double(random() % 5);
    const auto offsets = assignWhole(sums, workers, cost, {0.04, whole});
    ASSERT_EQ(offsets.size(), size_t(workers) + 1);
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), sums.back());
    EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
    const double mean = std::ceil(double(all) / double(workers));
    const double most =
        double(sums.back()) * whole / double(workers) + double(cost);
    bool ended = false;
    for (size_t p = 1; p < offsets.size(); ++p) {
      const int64_t run = offsets[p] - offsets[p - 1];
      EXPECT_LE(double(run), mean * 1.04 + std::max(most, mean) + 1);
      if (cost == 0)
        EXPECT_TRUE(!ended || run == 0) << "an empty run before another";
      ended |= run == 0;
    }
  }
}
