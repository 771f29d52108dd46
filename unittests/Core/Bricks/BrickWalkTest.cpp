//===- BrickWalkTest.cpp - which copy a product walks ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "BrickOracle.h"
#include <algorithm>
#include <numeric>

using namespace astfe::core;

TEST(BrickWalk, CopiesWhereSegmentsSaveMoreThanTheyCost) {
  // Mode 0 has four rows, mode 1 about as many as nonzeros.
  Sample sample = scattered("cube", {4, 5000, 90}, 3000, 2);
  BrickOptions options;
  options.key = 2;
  Bricks bricks = packed(sample, options, 10000);
  EXPECT_GT(slotsPerSegment(bricks, 0), 100);
  EXPECT_LT(slotsPerSegment(bricks, 1), 3);
  WalkChoice many = chooseWalk(bricks, 0);
  EXPECT_TRUE(many.copy);
  EXPECT_EQ(many.key, 0u);
  WalkOptions once;
  once.runs = 1;
  once.rowBytes = 4;
  WalkChoice few = chooseWalk(bricks, 1, once);
  EXPECT_FALSE(few.copy);
  EXPECT_EQ(few.key, 2u);
  WalkOptions little;
  little.memory = many.bytes - 1;
  WalkChoice choice = chooseWalk(bricks, 0, little);
  EXPECT_FALSE(choice.copy);
  EXPECT_STREQ(choice.reason, "memory is short");
  little.memory = many.bytes;
  EXPECT_TRUE(chooseWalk(bricks, 0, little).copy);
  EXPECT_TRUE(chooseWalk(bricks, 2, once).copy);
}

TEST(BrickWalk, ExpectationsAreNearTheCounts) {
  Sample sample{"uniform", {400, 300, 500}, {{}, {}, {}}};
  std::mt19937_64 random(3);
  for (int64_t n = 0; n < 40000; ++n)
    for (unsigned k = 0; k < 3; ++k)
      sample.coordinates[k].push_back(
          int64_t(random() % uint64_t(sample.shape[k])));
  Bricks bricks = packed(sample, {}, 4000);
  for (unsigned mode : {1, 2}) {
    const double expected = slotsPerSegment(bricks, mode);
    ASSERT_TRUE(addCopy(bricks, mode));
    EXPECT_NEAR(slotsPerSegment(bricks, mode) / expected, 1, 0.1);
  }
}

TEST(BrickWalk, SharesAreEvenUpToARow) {
  Sample sample = scattered("cube", {500, 60, 70}, 20000, 5);
  Bricks bricks = packed(sample, {}, 4000);
  const int64_t workers = 6;
  BrickShares shares = *shareRows(bricks, 0, workers);
  std::vector<int64_t> slots(size_t(workers), 0), byRow(500, 0);
  for (int64_t row : sample.coordinates[0])
    ++byRow[size_t(row)];
  for (int64_t w = 0; w < workers; ++w)
    slots[size_t(w)] =
        std::accumulate(byRow.begin() + shares.rows[size_t(w)],
                        byRow.begin() + shares.rows[size_t(w) + 1], int64_t(0));
  EXPECT_LE(*std::max_element(slots.begin(), slots.end()),
            20000 / workers + *std::max_element(byRow.begin(), byRow.end()));
  // Ranges for the cache only where rows hardly come twice in a brick.
  EXPECT_EQ(rangesForCache(bricks, 0, 1, 128, 1024), 1);
  Sample sparse{"sparse", {100000, 90, 80}, {{}, {}, {}}};
  for (int64_t n = 0; n < 20000; ++n)
    for (unsigned k = 0; k < 3; ++k)
      sparse.coordinates[k].push_back((n * 4999 + k) % sparse.shape[k]);
  Bricks far = packed(sparse, {}, 4000);
  EXPECT_LT(slotsPerSegment(far, 0), 2);
  EXPECT_EQ(rangesForCache(far, 0, 1, 128, 8 << 20), 3);
  EXPECT_EQ(rangesForCache(far, 0, 2, 128, 8 << 20), 1);
  EXPECT_EQ(rangesForCache(far, 0, 2, 128, 1024), 9);
  EXPECT_FALSE(shareRows(bricks, 1, 2));
  EXPECT_FALSE(shareRows(bricks, 0, 0));
}
