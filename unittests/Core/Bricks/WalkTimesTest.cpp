//===- WalkTimesTest.cpp - which walk takes less time ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BricksByRows.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

/// A tensor of so many nonzeros and bricks, of which only counts are known.
struct Counts {
  Counts(std::vector<int64_t> shape, int64_t nonzeros, int64_t count) {
    bricks.shape = std::move(shape);
    bricks.nonzeros = nonzeros;
    bricks.brickSlot.assign(size_t(count) + 1, 0);
    reuse.modes.resize(bricks.shape.size());
  }
  /// `rows` rows of a mode with as many nonzeros each.
  void addRows(unsigned mode, double rows, double nonzeros) {
    auto &classes = reuse.modes[mode].classes;
    const size_t which = llvm::Log2_64(uint64_t(nonzeros / rows));
    classes.resize(std::max(classes.size(), which + 1));
    classes[which].rows += rows;
    classes[which].nonzeros += nonzeros;
  }
  /// A cube's modes, all alike.
  void setModes(double rows, double segments) {
    for (unsigned mode = 0; mode < 3; ++mode) {
      reuse.modes[mode].segments = segments;
      addRows(mode, rows, double(bricks.nonzeros));
    }
  }
  bool byRows(unsigned mode, int64_t rowBytes = 128) const {
    return walksByRows(bricks, mode, reuse, rowBytes);
  }

  Bricks bricks;
  BrickReuse reuse;
};

} // namespace

TEST(WalkTimes, WindowsThatAreNoSmallerThanCachesBringNothing) {
  // Each brick meets a half of all rows, twice: five windows of 2.5 MB.
  Counts few({20000, 20000, 20000}, 100000, 5);
  few.setModes(19900, 48500);
  EXPECT_TRUE(few.byRows(0));
  // Windows of 1.3 MB, whose rows are met ten times.
  Counts many({20000, 20000, 20000}, 3000000, 63);
  many.setModes(20000, 309000);
  EXPECT_FALSE(many.byRows(0));
}

TEST(WalkTimes, WindowsOfLongFactorsPayWhereTheOutputIsShort) {
  Counts slab({400000, 20000, 20000}, 2000000, 68);
  for (unsigned mode = 0; mode < 3; ++mode)
    slab.reuse.modes[mode].segments = 820000;
  slab.addRows(0, 397000, 2000000);
  slab.addRows(1, 20000, 2000000);
  slab.addRows(2, 20000, 2000000);
  EXPECT_TRUE(slab.byRows(0));
  EXPECT_FALSE(slab.byRows(1));
}

TEST(WalkTimes, DependOnTheBytesOfRows) {
  Counts cube({50000, 50000, 50000}, 1000000, 37);
  cube.setModes(50000, 420000);
  EXPECT_TRUE(cube.byRows(0, 64));
  EXPECT_TRUE(cube.byRows(0, 256));
  // Factors of 25 MB each come from memory.
  EXPECT_FALSE(cube.byRows(0, 512));
}

TEST(WalkTimes, RowsWithoutNonzerosAreClearedOneByOne) {
  Counts half({100000, 100000, 100000}, 100000, 3);
  half.setModes(63200, 72500);
  EXPECT_FALSE(half.byRows(0, 64));
  // The same without gaps.
  Counts all({63200, 63200, 63200}, 100000, 3);
  all.setModes(63200, 72500);
  EXPECT_TRUE(all.byRows(0, 64));
}

TEST(WalkTimes, RowsThatComeOftenAreInCachesAnyway) {
  auto timesOf = [](bool isSkewed) {
    Counts counts({200000, 200000, 200000}, 2000000, 200);
    for (unsigned mode = 0; mode < 3; ++mode) {
      counts.reuse.modes[mode].segments = 1100000;
      counts.addRows(mode, 197000, isSkewed ? 1200000 : 2000000);
      if (isSkewed)
        counts.addRows(mode, 3000, 800000);
    }
    return timeWalks(counts.bricks, 0, counts.reuse, 128, Machine());
  };
  const WalkTimes even = timesOf(false), skewed = timesOf(true);
  // What boxes find again is that.
  EXPECT_LT(skewed.rows / skewed.boxes, 0.95 * even.rows / even.boxes);
}

TEST(WalkTimes, OneBrickIsByRowsAlready) {
  Counts one({20000, 20000, 20000}, 60000, 1);
  one.setModes(19000, 19000);
  EXPECT_FALSE(one.byRows(0));
  // Local coordinates do not reach.
  Counts wide({20000, int64_t(1) << 40, 20000}, 100000, 5);
  wide.setModes(19900, 48500);
  EXPECT_FALSE(wide.byRows(0));
}
