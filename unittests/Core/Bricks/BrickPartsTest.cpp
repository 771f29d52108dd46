//===- BrickPartsTest.cpp - how warps of a GPU walk through bricks --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickParts.h"
#include "ASTFE/Core/Bricks/BricksByRows.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "BrickOracle.h"
#include <algorithm>

using namespace astfe::core;

namespace {

/// All slots in the order in which parts have them; fails where a slot has no
/// part or two, or a part has others' rows.
void expectEverySlotOnce(const Bricks &bricks, unsigned mode,
                         const BrickParts &parts) {
  const SlotRuns &segments = bricks.copies[mode]->segments;
  std::vector<int> seen(size_t(bricks.nonzeros), 0);
  const int64_t ends = parts.parts() + 1;
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t origin = bricks.origin[size_t(b) * bricks.rank() + mode];
    const int64_t base = bricks.brickSlot[size_t(b)];
    for (int64_t p = 0; p < parts.parts(); ++p) {
      const auto at = size_t(b * ends + p);
      if (parts.slot[at] < parts.slot[at + 1]) {
        ASSERT_GE(b, parts.brick[2 * size_t(p)]);
        ASSERT_LT(b, parts.brick[2 * size_t(p) + 1]);
      }
      int64_t segment = parts.segment[at];
      for (int64_t slot = parts.slot[at]; slot < parts.slot[at + 1]; ++slot) {
        ++seen[size_t(slot)];
        while (segments.last[size_t(segment)] + base < slot)
          ++segment;
        const int64_t row =
            origin + segments.coordinate.visit([&](const auto *data) {
              return int64_t(data[segment]);
            });
        ASSERT_GE(row, parts.rows[size_t(p)]);
        if (parts.left[size_t(p)])
          ASSERT_EQ(row, parts.rows[size_t(p)]);
        else
          ASSERT_LT(row, parts.rows[size_t(p) + 1]);
      }
    }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(),
                          [](int times) { return times == 1; }));
}

/// Rows of mode 0 with so many slots each, anywhere in the other modes.
Sample withRows(const std::vector<int64_t> &slots) {
  Sample sample{"rows", {int64_t(slots.size()), 300, 200}, {{}, {}, {}}};
  std::mt19937_64 random(7);
  for (size_t row = 0; row < slots.size(); ++row)
    for (int64_t n = 0; n < slots[row]; ++n) {
      sample.coordinates[0].push_back(int64_t(row));
      sample.coordinates[1].push_back(int64_t(random() % 300));
      sample.coordinates[2].push_back(int64_t(random() % 200));
    }
  return sample;
}

} // namespace

TEST(BrickParts, TheWorkedExample) {
  Bricks bricks = packed(withRows({2, 300, 10}), {}, 10000);
  BrickParts parts = *cutParts(bricks, 0, 10);
  EXPECT_EQ(rules::kLeastPart, 32);
  ASSERT_EQ(parts.parts(), 11);
  EXPECT_EQ(parts.ofRows, 9);
  EXPECT_EQ(parts.rows,
            (std::vector<int64_t>{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3}));
  EXPECT_EQ(parts.left,
            (std::vector<int64_t>{0, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(parts.slot, (std::vector<int64_t>{0, 2, 35, 68, 102, 135, 168, 202,
                                              235, 268, 302, 312}));
  EXPECT_EQ(parts.segment,
            (std::vector<int64_t>{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3}));
  for (size_t part = 0; part < 11; ++part) {
    EXPECT_EQ(parts.brick[2 * part], 0);
    EXPECT_EQ(parts.brick[2 * part + 1], 1);
  }
  expectEverySlotOnce(bricks, 0, parts);
}

/// Long rows at both ends, side by side and between empty ones, in many bricks.
TEST(BrickParts, HaveEverySlotOnce) {
  std::vector<int64_t> slots(40, 3);
  slots[0] = 900;
  slots[17] = 2000;
  slots[18] = 401;
  slots[19] = slots[20] = slots[38] = 0;
  slots[39] = 700;
  for (int64_t most : {100, 4000}) {
    Bricks bricks = packed(withRows(slots), {}, most);
    for (int64_t workers : {1, 6, 64, 4224}) {
      BrickParts parts = *cutParts(bricks, 0, workers);
      expectEverySlotOnce(bricks, 0, parts);
      EXPECT_EQ(parts.rows.front(), 0);
      EXPECT_EQ(parts.rows.back(), 40);
      EXPECT_LE(parts.parts(), 2 * workers + 10);
      EXPECT_EQ(parts.ofRows > 0, workers > 6);
      // Each row is a whole range's, or of parts that are counted down.
      for (int64_t p = 0; p + 1 < parts.parts(); ++p)
        if (parts.left[size_t(p)] > 1) {
          EXPECT_EQ(parts.left[size_t(p) + 1], parts.left[size_t(p)] - 1);
          EXPECT_EQ(parts.rows[size_t(p) + 1], parts.rows[size_t(p)]);
        } else {
          EXPECT_GT(parts.rows[size_t(p) + 1], parts.rows[size_t(p)]);
        }
    }
  }
}

TEST(BrickParts, OfOneRowAreEven) {
  Bricks bricks = packed(withRows({5000}), {}, 300);
  BrickParts parts = *cutParts(bricks, 0, 20);
  EXPECT_EQ(parts.parts(), 20);
  std::vector<int64_t> slots(20, 0);
  for (int64_t b = 0; b < bricks.bricks(); ++b)
    for (int64_t p = 0; p < 20; ++p)
      slots[size_t(p)] +=
          parts.slot[size_t(b * 21 + p + 1)] - parts.slot[size_t(b * 21 + p)];
  EXPECT_EQ(slots, std::vector<int64_t>(20, 250));
}

/// By rows a part has slots in one brick or two, and walks no others.
TEST(BrickParts, SkipBricksThatHaveNoneOfTheirs) {
  Bricks boxes = packed(withRows(std::vector<int64_t>(40, 50)), {}, 100);
  BrickOptions options;
  options.slots = 100;
  Bricks bricks = *bricksByRows(boxes, options);
  ASSERT_EQ(bricks.bricks(), 20);
  BrickParts parts = *cutParts(bricks, 0, 20);
  expectEverySlotOnce(bricks, 0, parts);
  for (int64_t part = 0; part < parts.parts(); ++part)
    EXPECT_LE(parts.brick[2 * size_t(part) + 1] - parts.brick[2 * size_t(part)],
              2);
}

TEST(BrickParts, AreWholeRowsWhereNoneIsMuchLonger) {
  auto partsOfRows = [](int64_t longest) {
    Bricks bricks = packed(withRows({longest, 65, 1}), {}, 10000);
    return cutParts(bricks, 0, 4224)->ofRows;
  };
  EXPECT_EQ(partsOfRows(3 * 32), 0);
  EXPECT_EQ(partsOfRows(3 * 32 + 1), 3 + 2);
}

TEST(BrickParts, OfNothingAreEmpty) {
  Bricks bricks = packed(withRows({0, 0, 0}), {}, 300);
  BrickParts parts = *cutParts(bricks, 0, 20);
  EXPECT_EQ(parts.rows, (std::vector<int64_t>{0, 3}));
  EXPECT_EQ(parts.left, std::vector<int64_t>{0});
  EXPECT_FALSE(cutParts(bricks, 0, 0));
  EXPECT_FALSE(cutParts(bricks, 1, 4));
  EXPECT_FALSE(cutParts(bricks, 9, 4));
}
