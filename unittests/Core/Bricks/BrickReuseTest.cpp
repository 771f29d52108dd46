//===- BrickReuseTest.cpp - how often bricks meet the same rows -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickReuse.h"
#include "BrickOracle.h"
#include <map>
#include <set>

using namespace astfe::core;

TEST(BrickReuse, CountsSegmentsAndClassesOfRows) {
  const Sample sample = scattered("cube", {500, 60, 700}, 20000, 5);
  Bricks bricks = packed(sample, {}, 4000);
  const BrickReuse reuse = countReuse(bricks);
  ASSERT_EQ(reuse.modes.size(), 3u);
  for (unsigned mode = 0; mode < 3; ++mode) {
    ASSERT_TRUE(addCopy(bricks, mode));
    EXPECT_EQ(reuse.modes[mode].segments,
              double(bricks.copies[mode]->segments.count()));
    std::map<int64_t, int64_t> nonzeros;
    for (int64_t row : sample.coordinates[mode])
      ++nonzeros[row];
    EXPECT_EQ(reuse.modes[mode].rows(), double(nonzeros.size()));
    const std::vector<BrickReuse::RowClass> &classes =
        reuse.modes[mode].classes;
    for (size_t k = 0; k < classes.size(); ++k) {
      BrickReuse::RowClass wanted;
      for (auto [row, count] : nonzeros)
        if (count >> k == 1) {
          ++wanted.rows;
          wanted.nonzeros += double(count);
        }
      EXPECT_EQ(classes[k].rows, wanted.rows);
      EXPECT_EQ(classes[k].nonzeros, wanted.nonzeros);
    }
  }
}

TEST(BrickReuse, FewRowsShareAPlaceOfATableThatIsShort) {
  const Sample sample = scattered("wide", {30, int64_t(3) << 30, 40}, 20000, 5);
  const Bricks bricks = packed(sample, {}, 4000);
  EXPECT_LT(BrickReuse::bytesToCount(bricks), int64_t(20000) * 40);
  const std::set<int64_t> rows(sample.coordinates[1].begin(),
                               sample.coordinates[1].end());
  // Half of the places or fewer are taken.
  EXPECT_GT(countReuse(bricks).modes[1].rows(), 0.7 * double(rows.size()));
}

TEST(BrickReuse, OfNothingThereIsNone) {
  const Bricks empty = packed(scattered("empty", {5, 6, 7}, 0, 1), {}, 100);
  const BrickReuse reuse = countReuse(empty);
  EXPECT_EQ(reuse.modes[2].segments, 0);
  EXPECT_EQ(reuse.modes[2].rows(), 0);
}
