//===- BrickSlicesTest.cpp - a mode's copy, a few bricks at a time --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickSlices.h"
#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "BrickOracle.h"

using namespace astfe::core;

/// Slices together have what the copy has, brick by brick.
static void expectSlices(const Bricks &whole, unsigned mode, int64_t slices) {
  const auto want = readSlots(whole, mode);
  const std::optional<unsigned> fibers = fiberModeOf(whole, mode);
  EXPECT_EQ(fibers, whole.copies[mode]->fiberMode);
  size_t brick = 0;
  int64_t largest = 0;
  std::vector<int64_t> sizes;
  for (int64_t s = 0; s < slices; ++s) {
    Result<Bricks> slice = makeSlice(whole, *whole.copies[whole.anyKey()], mode,
                                     fibers, s, slices, 2);
    ASSERT_TRUE(slice) << slice.message();
    EXPECT_EQ(slice->copies[mode]->fiberMode, fibers);
    for (const std::vector<Slot> &mine : readSlots(*slice, mode)) {
      ASSERT_LT(brick, want.size());
      ASSERT_EQ(mine.size(), want[brick].size());
      for (size_t i = 0; i < mine.size(); ++i) {
        EXPECT_EQ(mine[i].nonzero, want[brick][i].nonzero);
        EXPECT_EQ(mine[i].point, want[brick][i].point);
      }
      ++brick;
    }
    EXPECT_TRUE(shareRows(*slice, mode, 3));
    sizes.push_back(slice->nonzeros);
    largest = std::max(largest, slice->nonzeros);
  }
  EXPECT_EQ(brick, want.size());
  EXPECT_EQ(sizes[size_t(largestSlice(whole, slices))], largest);
}

TEST(BrickSlices, AreTheCopyOfTheirBricks) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{300},
                                     {40, 30, 20},
                                     {9, 8, 7, 6},
                                     {5, 6, 7, 3, 4}}) {
    Sample sample = scattered("sliced", shape, 3000, 4);
    Bricks bricks = packed(sample, {}, 200);
    for (unsigned mode = 0; mode < bricks.rank(); ++mode) {
      ASSERT_TRUE(addCopy(bricks, mode));
      for (int64_t slices : {int64_t(1), int64_t(3), bricks.bricks()})
        expectSlices(bricks, mode, slices);
    }
  }
}

TEST(BrickSlices, HaveABrickForEachThread) {
  Sample sample = scattered("sliced", {40, 30, 20}, 3000, 4);
  Bricks bricks = packed(sample, {}, 200);
  const int64_t count = bricks.bricks();
  EXPECT_EQ(sliceCount(bricks, 1), count);
  EXPECT_EQ(sliceCount(bricks, 4), (count + 3) / 4);
  EXPECT_EQ(sliceCount(bricks, 1000), 1);
  // Of nothing there is one, too: kernels clear their output in the first.
  Sample empty{"empty", {4, 5, 6}, {{}, {}, {}}};
  Bricks none = packed(empty);
  EXPECT_EQ(sliceCount(none, 1), 1);
  EXPECT_EQ(
      makeSlice(none, *none.copies[none.anyKey()], 1, std::nullopt, 0, 1, 1)
          ->nonzeros,
      0);
}

TEST(BrickSlices, ValuesLieAsTheyDid) {
  Sample sample = scattered("sliced", {40, 30, 20}, 3000, 4);
  Bricks bricks = packed(sample, {}, 200);
  // The second parts of pairs, of any width.
  auto expectValues = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> source(6000);
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = T(i % 251);
    const ValueLayout layout{sizeof(T), 1, 2};
    const Bricks slice = *makeSlice(bricks, *bricks.copies[bricks.anyKey()], 2,
                                    std::nullopt, 1, 4, 2);
    ASSERT_EQ(layout.bytesOf(slice.nonzeros),
              size_t(1 + 2 * slice.nonzeros) * sizeof(T));
    std::vector<T> packed(size_t(1 + 2 * slice.nonzeros));
    packSlice(slice, 2, layout, source.data(), packed.data(), 2);
    size_t place = 1;
    for (const std::vector<Slot> &brick : readSlots(slice, 2))
      for (const Slot &slot : brick) {
        ASSERT_EQ(packed[place], source[size_t(1 + 2 * slot.nonzero)]);
        place += 2;
      }
  };
  expectValues(uint8_t());
  expectValues(uint16_t());
  expectValues(float());
  expectValues(double());
  expectValues(std::complex<double>());
}
