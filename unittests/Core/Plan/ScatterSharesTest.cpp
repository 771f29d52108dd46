//===- ScatterSharesTest.cpp - how sums by coordinates are shared out -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/ScatterShares.h"
#include <gtest/gtest.h>
#include <limits>

using namespace astfe::core;

static std::pair<bool, int64_t> shares(const ScatteredSums &sums) {
  const ScatterShares made = shareScattered(sums);
  return {made.arePieces, made.count};
}
static std::pair<bool, int64_t> pieces(int64_t count) { return {true, count}; }
static std::pair<bool, int64_t> parts(int64_t count) { return {false, count}; }

TEST(ScatterShares, WorkedExample) {
  EXPECT_EQ(shares({30000, 200000, 600000, 16, 4}), pieces(4));
  EXPECT_EQ(shares({30000, 200000, 600000, 64, 4}), parts(3));
}

TEST(ScatterShares, PiecesHaveAsManyNonzerosForARowAsThereAreOfThem) {
  EXPECT_EQ(shares({1000, 100000, 3999, 1, 4}), parts(1)); // Less than a run.
  EXPECT_EQ(shares({10000, 100000, 39999, 1, 4}), parts(1));
  EXPECT_EQ(shares({10000, 100000, 40000, 1, 4}), pieces(2));
  EXPECT_EQ(shares({10000, 100000, 159999, 1, 4}), pieces(2));
  EXPECT_EQ(shares({10000, 100000, 160000, 1, 4}), pieces(4));
  EXPECT_EQ(shares({10000, 100000, 640000, 1, 4}), pieces(8));
  EXPECT_EQ(shares({10, 100, 4095, 1, 4}), parts(1));
  EXPECT_EQ(shares({10, 100, 4096, 1, 4}), pieces(2));
}

TEST(ScatterShares, SumsOfPiecesAreNearButForTwoVectors) {
  const int64_t quarter = 1 << 19; // 2 MiB of f32, and four of them 8.
  EXPECT_EQ(shares({quarter, 1 << 20, 64 * quarter, 1, 4}), pieces(4));
  EXPECT_EQ(shares({quarter + 1, 1 << 20, 64 * quarter + 64, 1, 4}), pieces(2));
  EXPECT_EQ(shares({8 * quarter, 1 << 20, 64 * quarter, 1, 4}), pieces(2));
  // Two columns of 16 nonzeros a row are one part; two pieces have 8 MiB.
  EXPECT_EQ(shares({quarter, 1 << 22, 64 * quarter, 2, 4}), pieces(2));
  EXPECT_EQ(shares({quarter + 1, 1 << 22, 64 * quarter + 64, 2, 4}), parts(1));
}

TEST(ScatterShares, PartsUpdateEnoughOfEachRowAndInAll) {
  // Eight columns of 32 nonzeros a row: 1024 bytes. Looking takes 64 for each
  // row, C has 32.
  EXPECT_EQ(shares({4000, 1000, 32000, 8, 4}), parts(1)); // 1 MB in all
  EXPECT_EQ(shares({400000, 100000, 3200000, 8, 4}), parts(4));
  EXPECT_EQ(shares({100000, 100000, 3200000, 8, 4}), pieces(2));
  // Nobody walks anything.
  EXPECT_EQ(shares({0, 0, 0, 8, 4}), parts(1));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(shareScattered({most, 1, most, most, 8}).arePieces);
}
