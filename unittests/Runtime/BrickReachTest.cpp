//===- BrickReachTest.cpp - how far apart a brick's coordinates are -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against the coordinates of the nonzeros that each brick has.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/BricksHandle.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace astfe;

TEST(BrickReach, IsThatOfTheNonzerosOfEachBrick) {
  const std::vector<int64_t> shape{90, 70, 300};
  constexpr int64_t kNonzeros = 2000;
  std::mt19937_64 random{5};
  std::vector<std::vector<int64_t>> coordinates(3);
  for (int64_t n = 0; n < kNonzeros; ++n)
    for (size_t m = 0; m < 3; ++m)
      coordinates[m].push_back(int64_t(random() % uint64_t(shape[m])));
  std::vector<core::IndexArray> arrays;
  for (const std::vector<int64_t> &mode : coordinates)
    arrays.emplace_back(mode.data(), kNonzeros);
  const core::SparseView view = core::SparseView::coo(shape, arrays);
  auto space = core::arrange(view, {core::OrderKind::Hilbert, 10,
                                    core::ReorderKind::None, core::kNoHubs});
  ASSERT_TRUE(space) << space.message();
  auto counted = core::countProfile(view, *space, {});
  ASSERT_TRUE(counted) << counted.message();
  auto graph = core::partition(*counted, {256, 1});
  ASSERT_TRUE(graph) << graph.message();
  core::BrickOptions packing;
  packing.slots = 256;
  packing.oneWidth = true;
  auto packed = core::packBricks(view, *graph, packing);
  ASSERT_TRUE(packed) << packed.message();
  ASSERT_GT(packed->bricks(), 4);
  std::vector<int64_t> wanted(3, 0);
  for (int64_t b = 0; b < packed->bricks(); ++b)
    for (size_t m = 0; m < 3; ++m) {
      int64_t least = shape[m], most = -1;
      for (int64_t h = packed->brickSlot[size_t(b)];
           h < packed->brickSlot[size_t(b) + 1]; ++h) {
        const int64_t at = coordinates[m][size_t(packed->nonzeroOf[size_t(h)])];
        least = std::min(least, at);
        most = std::max(most, at);
      }
      wanted[m] += most - least + 1;
    }
  auto *handle = new rt::BricksHandle(std::move(*packed));
  for (int64_t m = 0; m < 3; ++m)
    EXPECT_EQ(_mlir_ciface_astfe_rt_brick_reach(handle, m), wanted[size_t(m)]);
  for (int64_t m : {-1, 3})
    EXPECT_EQ(_mlir_ciface_astfe_rt_brick_reach(handle, m), 0);
  _mlir_ciface_astfe_rt_release(handle);
  EXPECT_EQ(_mlir_ciface_astfe_rt_brick_reach(nullptr, 0), 0);
}
