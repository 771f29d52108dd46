//===- GPUGridTest.cpp ----------------------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/GPUGrid.h"
#include "gtest/gtest.h"
#include <set>

using namespace astfe::core;

namespace {

constexpr int64_t kUnits = 132;

void expectGrid(int64_t blocks, int64_t tiles, int64_t x, int64_t y,
                int64_t z) {
  const GPUGrid grid = gpuGrid(blocks, tiles, 0, kUnits);
  EXPECT_EQ(grid.x, x) << blocks << " blocks, " << tiles << " tiles";
  EXPECT_EQ(grid.y, y) << blocks << " blocks, " << tiles << " tiles";
  EXPECT_EQ(grid.z, z) << blocks << " blocks, " << tiles << " tiles";
}

} // namespace

TEST(GPUGrid, TilesHaveMultiprocessorsOfTheirOwn) {
  // The example of the header.
  expectGrid(1056, 4, 4, 33, 8);
  expectGrid(264, 4, 4, 33, 8);
  expectGrid(1056, 1, 1, 132, 8);
  // Two passes over the tiles, and one multiprocessor that has all of them.
  expectGrid(1056, 8, 4, 33, 8);
  expectGrid(1056, 5, 1, 132, 8);
}

TEST(GPUGrid, FewBlocksLieOnDifferentMultiprocessors) {
  expectGrid(10, 4, 4, 10, 1);
  expectGrid(131, 1, 1, 131, 1);
  // One block more than there are multiprocessors: neighbours share one, and
  // some have none.
  expectGrid(133, 1, 1, 132, 2);
}

TEST(GPUGrid, TilesComeOneAfterAnotherWhereTheyAreToldTo) {
  // Only so many as divide the multiprocessors.
  EXPECT_EQ(gpuGrid(1056, 4, 3, kUnits).x, 2);
  const GPUGrid grid = gpuGrid(1056, 4, 1, kUnits);
  EXPECT_EQ(grid.x, 1);
  EXPECT_EQ(grid.y, 132);
  EXPECT_EQ(grid.z, 8);
  EXPECT_EQ(gpuGrid(10, 4, 1, kUnits).x, 1);
}

TEST(GPUGrid, EveryBlockHasAPlace) {
  for (int64_t blocks : {1, 7, 131, 132, 133, 1000, 1 << 20, 1 << 28})
    for (int64_t tiles : {1, 2, 3, 5, 16, 1000})
      for (int64_t units : {0, 1, 3, 132, 1 << 20}) {
        const GPUGrid grid = gpuGrid(blocks, tiles, 0, units);
        EXPECT_GE(grid.x, 1);
        EXPECT_LE(grid.x, tiles);
        EXPECT_LE(std::max(grid.y, grid.z), 65535);
        // It goes over the blocks as often as one of all that are resident.
        EXPECT_LE(grid.z, 8);
        auto passes = [&](int64_t each) {
          return (blocks - 1) / (grid.y * each) + 1;
        };
        EXPECT_EQ(passes(grid.z), passes(8));
      }
}

TEST(GPUGrid, PassesOverTheBlocksAreAboutAsLong) {
  // 19 blocks for each multiprocessor are three passes: of 8 they would leave
  // two thirds of the multiprocessors idle in the last one.
  expectGrid(2500, 1, 1, 132, 7);
  expectGrid(1188, 1, 1, 132, 5);
}

TEST(GPUGrid, BlocksOfAMultiprocessorAreNeighboursWithOneTile) {
  // 200 leave some of the multiprocessors without a block; 776 go over the rows
  // three times.
  for (const auto [blocks, expected] :
       {std::pair(264, 8u), {200, 7u}, {776, 8u}}) {
    const GPUGrid grid = gpuGrid(blocks, 4, 4, kUnits);
    std::set<int64_t> tiles, rows;
    // By number, every 132nd block is the same multiprocessor's.
    for (int64_t number = 22; number < grid.x * grid.y * grid.z;
         number += kUnits) {
      const int64_t x = number % grid.x, y = number / grid.x % grid.y,
                    z = number / grid.x / grid.y;
      tiles.insert(x);
      rows.insert(y * grid.z + z);
    }
    EXPECT_EQ(tiles.size(), 1u);
    EXPECT_EQ(rows.size(), expected);
    EXPECT_EQ(*rows.rbegin() - *rows.begin(), int64_t(expected) - 1);
  }
}
