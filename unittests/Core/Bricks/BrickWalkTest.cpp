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
  EXPECT_FALSE(shareRows(bricks, 1, 2));
  EXPECT_FALSE(shareRows(bricks, 0, 0));
}
