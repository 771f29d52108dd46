//===- BricksByRowsTest.cpp - bricks where blocks find no reuse -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BricksByRows.h"
#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "BrickOracle.h"
#include <map>
#include <set>

using namespace astfe::core;

namespace {
Sample uniform(std::vector<int64_t> shape, int64_t nonzeros, uint64_t seed) {
  Sample sample{"uniform", shape, {}};
  sample.coordinates.resize(shape.size());
  std::mt19937_64 random(seed);
  for (int64_t n = 0; n < nonzeros; ++n)
    for (size_t k = 0; k < shape.size(); ++k)
      sample.coordinates[k].push_back(int64_t(random() % uint64_t(shape[k])));
  return sample;
}

BrickOptions byMode(unsigned key) {
  BrickOptions options;
  options.key = key;
  return options;
}
} // namespace

TEST(BricksByRows, HoldTheSameNonzerosRowByRow) {
  for (const std::vector<int64_t> &shape : {std::vector<int64_t>{50, 40, 30},
                                            {9, 300000, 70},
                                            {70, int64_t(3) << 30, 40},
                                            {5, 6, 7, 8},
                                            {90}}) {
    const Sample sample = uniform(shape, 5000, shape.size());
    const Bricks from = packed(sample, {}, 500);
    for (unsigned key = 0; key < from.rank(); ++key)
      for (int64_t slots : {700, 64, 1 << 16}) {
        BrickOptions options = byMode(key);
        options.slots = slots;
        options.threads = 2;
        const Bricks rows = *bricksByRows(from, options);
        EXPECT_EQ(message(rows), "");
        EXPECT_EQ(rows.fingerprint, from.fingerprint);
        expectHolds(rows, sample, key);
        // Only a row that is longer than a brick is in two of them.
        std::map<int64_t, int64_t> count;
        for (int64_t row : sample.coordinates[key])
          ++count[row];
        std::set<int64_t> seen;
        int64_t last = -1;
        for (const std::vector<Slot> &brick : readSlots(rows, key)) {
          EXPECT_LE(int64_t(brick.size()), slots);
          for (const Slot &slot : brick)
            EXPECT_GE(slot.point[key], last), last = slot.point[key];
          const int64_t first = brick.front().point[key];
          if (seen.count(first))
            EXPECT_GT(count[first], slots);
          for (const Slot &slot : brick)
            seen.insert(slot.point[key]);
        }
      }
  }
}

TEST(BricksByRows, TheirRowsAscend) {
  const Sample sample = uniform({300, 200, 100}, 4000, 4);
  Bricks from = packed(sample, {}, 500);
  EXPECT_FALSE(shareRows(from, 0, 2)->rowsAscend);
  BrickOptions options = byMode(0);
  options.slots = 256;
  EXPECT_TRUE(shareRows(*bricksByRows(from, options), 0, 2)->rowsAscend);
  // Rows of twenty nonzeros, of which bricks have eight.
  options = byMode(1);
  options.slots = 8;
  EXPECT_FALSE(shareRows(*bricksByRows(from, options), 1, 2)->rowsAscend);
  // One brick has each row once.
  EXPECT_TRUE(shareRows(packed(sample, {}, 1 << 16), 0, 2)->rowsAscend);
}

TEST(BricksByRows, PayWhereBricksFindNoReuse) {
  const Bricks sparse =
      packed(uniform({20000, 20000, 20000}, 100000, 1), {}, 20000);
  const BrickReuse reuse = countReuse(sparse);
  // Rows come twice in a brick, but from windows of 2.5 MB.
  ASSERT_GT(sparse.bricks(), 1);
  ASSERT_LT(reuse.modes[0].segments, 60000);
  for (unsigned key = 0; key < 3; ++key)
    EXPECT_TRUE(walksByRows(sparse, key, reuse));
  // An output that fits costs little to write again, whatever factors are.
  const Bricks flat =
      packed(uniform({8000, 20000, 20000}, 100000, 3), {}, 20000);
  const BrickReuse reuseOfFlat = countReuse(flat);
  EXPECT_FALSE(walksByRows(flat, 0, reuseOfFlat));
  EXPECT_TRUE(walksByRows(flat, 0, reuseOfFlat, 256));
  EXPECT_TRUE(walksByRows(flat, 1, reuseOfFlat));
}

TEST(BricksByRows, WrongInputIsAnError) {
  const Bricks from = packed(uniform({50, 40, 30}, 500, 1), {}, 100);
  auto textOf = [](const Bricks &bricks, const BrickOptions &options) {
    Result<Bricks> rows = bricksByRows(bricks, options);
    return rows ? "" : rows.error().message;
  };
  EXPECT_EQ(textOf(from, byMode(3)), "expected a mode below 3 but got 3");
  BrickOptions little = byMode(0);
  little.memory = 1000;
  EXPECT_EQ(textOf(from, little),
            "expected bricks by the rows of mode 0 to take at most 1000 bytes "
            "but got 28000");
  const Bricks wide =
      packed(uniform({50, int64_t(1) << 40, 50}, 100, 1), {}, 100);
  EXPECT_NE(textOf(wide, byMode(0)).find("expected extents of at most"),
            std::string::npos);
  // None at all.
  const Bricks empty = packed(uniform({50, 40, 30}, 0, 1), {}, 100);
  EXPECT_EQ(bricksByRows(empty, byMode(1))->bricks(), 0);
}
