//===- TournamentTest.cpp - the largest of many numbers that change -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tournament.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

TEST(Tournament, FindsTheFirstOfTheLargest) {
  Tournament one({3});
  EXPECT_EQ(one.best(), 3);
  EXPECT_EQ(one.bestPlace(), 0u);
  Tournament many({1, 7, 2, 7, 0, 0, 0, 0, 0, 7});
  EXPECT_EQ(many.best(), 7);
  EXPECT_EQ(many.bestPlace(), 1u);
  EXPECT_EQ(Tournament({}).best(), Tournament::kOut);
  EXPECT_EQ(Tournament({Tournament::kOut}).best(), Tournament::kOut);
}

TEST(Tournament, AgreesWithASearchAfterEveryChange) {
  std::mt19937 random(4);
  for (size_t count : {1u, 7u, 8u, 9u, 64u, 65u, 600u}) {
    std::vector<int64_t> values(count);
    for (int64_t &value : values)
      value = int64_t(random() % 50) - 1;
    Tournament tournament(values);
    for (int change = 0; change < 2000; ++change) {
      size_t i = random() % count;
      values[i] = int64_t(random() % 50) - 1;
      tournament.change(i, values[i]);
      tournament.settle(Tournament::nodeOf(i));
      auto best = std::max_element(values.begin(), values.end());
      ASSERT_EQ(tournament.best(), *best);
      if (*best != Tournament::kOut)
        ASSERT_EQ(tournament.bestPlace(), size_t(best - values.begin()));
    }
  }
}
