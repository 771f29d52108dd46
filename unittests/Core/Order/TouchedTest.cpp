//===- TouchedTest.cpp - fast sums of distinct indices --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/RunTraffic.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

TEST(Touched, TheTableKeepsEveryBit) {
  std::mt19937_64 random(2);
  TouchTable table;
  for (int trial = 0; trial < 20000; ++trial) {
    auto indices = int64_t(random() >> (1 + random() % 63));
    auto draws = int64_t(random() >> (1 + random() % 63));
    ASSERT_EQ(table(indices, draws), touchProbability(indices, draws))
        << indices << " " << draws;
  }
  EXPECT_EQ(table(0, 5), 0);
  EXPECT_EQ(table(5, 0), 0);
}

/// Sides of one order, nested or disjoint, in order; some of them equal to
/// another list's.
static std::vector<Side> randomSides(std::mt19937 &random, size_t count) {
  std::vector<Side> sides;
  for (size_t i = 0; i < count; ++i) {
    unsigned log2 = random() % 6;
    int64_t lower = int64_t(random() % 64) >> log2 << log2;
    sides.push_back({lower, int64_t(1) << log2, double(random() % 100) / 100});
  }
  std::sort(sides.begin(), sides.end(), comesFirst);
  auto equal = [](const Side &a, const Side &b) {
    return a.lower == b.lower && a.length == b.length;
  };
  sides.erase(std::unique(sides.begin(), sides.end(), equal), sides.end());
  return sides;
}

/// 1 - (1-u1)(1-u2)... index by index.
static double byIndex(ArrayRef<Side> a, ArrayRef<Side> b) {
  double sum = 0;
  for (int64_t index = 0; index < 64; ++index) {
    double untouched = 1;
    for (ArrayRef<Side> sides : {a, b})
      for (const Side &side : sides)
        if (side.lower <= index && index < side.upper())
          untouched *= 1 - side.touched;
    sum += 1 - untouched;
  }
  return sum;
}

TEST(Touched, SumsAndUnionsAgreeWithCountingIndexByIndex) {
  std::mt19937 random(3);
  TouchedSum sum;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<Side> a = randomSides(random, 1 + random() % 5);
    std::vector<Side> b = randomSides(random, random() % 5);
    double expected = byIndex(a, b);
    ASSERT_NEAR(sum(a, b), expected, 1e-9);
    ASSERT_NEAR(sum(joinSides(a, b), {}), expected, 1e-9);
  }
}

TEST(Touched, SidesJoinInTheirOwnPlace) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<Side> a = randomSides(random, 1 + random() % 5);
    std::vector<Side> b = randomSides(random, 1 + random() % 5);
    std::vector<Side> expected = joinSides(a, b), pool(a);
    pool.insert(pool.end(), b.begin(), b.end());
    pool.resize(joinSides(a, {pool.data() + a.size(), b.size()}, pool.data()));
    ASSERT_EQ(pool.size(), expected.size());
    for (size_t i = 0; i < pool.size(); ++i) {
      EXPECT_EQ(pool[i].lower, expected[i].lower);
      EXPECT_EQ(pool[i].length, expected[i].length);
      EXPECT_EQ(pool[i].touched, expected[i].touched);
    }
  }
}

TEST(BoxSides, WalksFromAnyPrefixToAnyOther) {
  Space space = *Space::whole({700, 90}, OrderKind::Hilbert);
  Order order = space.parts[0].order();
  BoxSides sides(space);
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 3000; ++trial) {
    unsigned length = random() % (order.prefixBits() + 1);
    uint64_t bits = length == 0 ? 0 : random() & ~uint64_t(0) << (64 - length);
    Prefix prefix{bits, uint8_t(length)};
    ASSERT_TRUE(sides.box(0, prefix) == order.box(prefix)) << prefix.str();
  }
}
