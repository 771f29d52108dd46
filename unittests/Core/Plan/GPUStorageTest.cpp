//===- GPUStorageTest.cpp - a view or a pattern, on a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/GPUStorage.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {
/// Rows of 12 nonzeros, and one that is longer.
struct Rows {
  static constexpr int64_t kRows = 4096, kColumns = 8192;
  std::vector<int32_t> positions{0}, coordinates;

  explicit Rows(int64_t longest = 12) {
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t i = 0; i < (row == 7 ? longest : 12); ++i)
        coordinates.push_back(int32_t(i));
      positions.push_back(int32_t(coordinates.size()));
    }
  }
  IndexArray places() const {
    return {positions.data(), int64_t(positions.size())};
  }
  SparseView view() const {
    return SparseView::csr(kRows, kColumns, places(),
                           {coordinates.data(), int64_t(coordinates.size())});
  }
  bool isView(const GPUProducts &products,
              const Arrangement &arrangement = {}) const {
    return takesGPUView(view(), arrangement, products);
  }
};

GPUProducts columns(int64_t n, Element result = Element::F32) {
  return {result, n, /*warps=*/4224};
}
} // namespace

/// More rows than warps.
static GPUProducts fewWarps(GPUProducts products) {
  products.warps = 4095;
  return products;
}

TEST(GPUStorage, ViewsAreOfFewColumnsAndEvenRows) {
  const Rows even, uneven(5000);
  EXPECT_TRUE(even.isView(fewWarps(columns(1))));
  EXPECT_TRUE(even.isView(fewWarps(columns(8))));
  EXPECT_FALSE(uneven.isView(fewWarps(columns(8))));
}

TEST(GPUStorage, ViewsAreOfWholeRowsThatHaveAWarpEach) {
  const Rows even;
  for (int64_t n : {1, 8, 12, 64, 128, 256})
    EXPECT_TRUE(even.isView(columns(n))) << n;
  EXPECT_TRUE(even.isView(columns(128, Element::F64)));
  EXPECT_FALSE(Rows(33).isView(fewWarps(columns(64))));
  // From 96 nonzeros on a warp's row is cut, with fewer columns later.
  EXPECT_TRUE(Rows(95).isView(columns(64)));
  EXPECT_FALSE(Rows(96).isView(columns(64)));
  EXPECT_TRUE(Rows(96).isView(columns(8)));
  EXPECT_TRUE(Rows(3 * 512 - 1).isView(columns(8)));
  EXPECT_FALSE(Rows(3 * 512).isView(columns(8)));
}

TEST(GPUStorage, ViewsAreOfRowsThatAWarpReadsAtOnce) {
  for (int64_t n : {64, 128, 512}) {
    EXPECT_TRUE(Rows(32).isView(fewWarps(columns(n)))) << n;
    EXPECT_FALSE(Rows(33).isView(fewWarps(columns(n)))) << n;
  }
}

TEST(GPUStorage, ViewsHaveAtMostFiveShortRowsForEachWarpInAllTiles) {
  const Rows rows;
  auto isView = [&](int64_t n, int64_t warps) {
    GPUProducts products = columns(n);
    products.warps = warps;
    return rows.isView(products);
  };
  EXPECT_TRUE(isView(64, 820));
  EXPECT_FALSE(isView(64, 819));
  EXPECT_TRUE(isView(512, 4 * 820));
  EXPECT_FALSE(isView(512, 4 * 819));
  // Teams take several rows at a time.
  EXPECT_TRUE(isView(8, 819));
}

TEST(GPUStorage, SumsDecideHowManyColumnsAreFew) {
  const Rows rows;
  // 16 halves are summed up in f32, as 16 floats are; doubles take twice the
  // lanes.
  EXPECT_EQ(columns(16, Element::F16).lanes(), columns(16).lanes());
  EXPECT_EQ(*columns(16, Element::F64).lanes(), 2 * *columns(16).lanes());
}

TEST(GPUStorage, WhatIsReorderedIsPacked) {
  const Rows rows;
  Arrangement arrangement;
  EXPECT_TRUE(rows.isView(columns(8), arrangement));
  arrangement.reorder = ReorderKind::Labels;
  EXPECT_FALSE(rows.isView(columns(8), arrangement));
  arrangement = {};
  arrangement.order = OrderKind::Hilbert;
  EXPECT_FALSE(rows.isView(columns(8), arrangement));
}

TEST(GPUStorage, ChainsThatRunTogetherShareTheBlocks) {
  EXPECT_EQ(warpsOfEach(6336, 1), 6336);
  EXPECT_EQ(warpsOfEach(30, 1), 30);
  // Whole blocks of four warps, and one at least.
  EXPECT_EQ(warpsOfEach(6336, 16), 396);
  EXPECT_EQ(warpsOfEach(6336, 17), 372);
  EXPECT_EQ(warpsOfEach(6336, 100000), 4);
  // So rows that are long for each of some are not for all.
  EXPECT_TRUE(cutsGPUChainRows(2000, 1000000, warpsOfEach(6336, 1)));
  EXPECT_FALSE(cutsGPUChainRows(2000, 1000000, warpsOfEach(6336, 16)));
}

TEST(GPUStorage, RowsAreCutFromThreePiecesOfTheirTeamsOn) {
  EXPECT_EQ(longestRun(Rows(5000).places()), 5000);
  EXPECT_EQ(longestRun({}), 0);
  EXPECT_TRUE(cutsGPURows(3 * 512, 60000, columns(8)));
  EXPECT_FALSE(cutsGPURows(3 * 512 - 1, 60000, columns(8)));
  // A row that a whole warp has.
  EXPECT_TRUE(cutsGPURows(96, 60000, columns(64)));
  EXPECT_FALSE(cutsGPURows(95, 60000, columns(64)));
}
