//===- BricksTest.cpp - bricks against a reading by hand ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "BrickOracle.h"
#include <algorithm>

using namespace astfe::core;

namespace {

Sample example() {
  return {"example", {4, 4, 4}, {{2, 2, 3, 2}, {1, 0, 1, 1}, {3, 3, 2, 2}}};
}

void expectValuesComeBack(const Bricks &bricks, unsigned mode) {
  std::vector<double> values(size_t(bricks.nonzeros)), packed(values.size()),
      back(values.size(), -1);
  for (size_t n = 0; n < values.size(); ++n)
    values[n] = n % 5 ? double(n) + 0.25 : 0;
  packValues(bricks, mode, values.data(), packed.data(), 2);
  int64_t slot = 0;
  for (const auto &brick : readSlots(bricks, mode))
    for (const Slot &s : brick)
      ASSERT_EQ(packed[size_t(slot++)], values[size_t(s.nonzero)]);
  unpackValues(bricks, mode, packed.data(), back.data(), 2);
  EXPECT_EQ(back, values);
}

/// Each segment is in the range of the worker that has its row, and only there.
void expectShares(const Bricks &bricks, unsigned mode, int64_t workers) {
  BrickShares shares = *shareRows(bricks, mode, workers);
  const ModeCopy &a = *bricks.copies[mode];
  EXPECT_EQ(shares.rows.front(), 0);
  EXPECT_EQ(shares.rows.back(), bricks.shape[mode]);
  EXPECT_EQ(int64_t(shares.lastFiber.size()),
            a.fiberMode ? a.segments.count() : 0);
  EXPECT_TRUE(std::is_sorted(shares.rows.begin(), shares.rows.end()));
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    const int64_t *mine = &shares.segment[size_t(b * (workers + 1))];
    EXPECT_EQ(mine[0], a.segments.begin[size_t(b)]);
    EXPECT_EQ(mine[workers], a.segments.begin[size_t(b) + 1]);
    for (int64_t w = 0; w < workers; ++w)
      for (int64_t g = mine[w]; g < mine[w + 1]; ++g) {
        const int64_t row = bricks.origin[size_t(b) * bricks.rank() + mode] +
                            a.segments.coordinate[size_t(g)];
        ASSERT_GE(row, shares.rows[size_t(w)]);
        ASSERT_LT(row, shares.rows[size_t(w) + 1]);
      }
    for (int64_t g = mine[0]; a.fiberMode && g < mine[workers]; ++g)
      EXPECT_EQ(shares.lastFiber[size_t(g)],
                a.fibers.find(b, a.segments.last[size_t(g)]) -
                    a.fibers.begin[size_t(b)]);
    for (int64_t w = 0; w <= workers; ++w) {
      const int64_t slot = a.segments.firstSlot(b, mine[w]);
      const auto at = size_t(b * (workers + 1) + w);
      EXPECT_EQ(shares.slot[at], bricks.brickSlot[size_t(b)] + slot);
      EXPECT_EQ(shares.fiber[at], a.fiberMode ? a.fibers.find(b, slot) : 0);
    }
  }
}

template <typename T>
std::vector<T> list(const Table<T> &table) {
  return {table.begin(), table.end()};
}

std::vector<uint32_t> list(const LocalArray &array) {
  std::vector<uint32_t> result;
  for (size_t i = 0; i < array.size(); ++i)
    result.push_back(array[i]);
  return result;
}

} // namespace

TEST(Bricks, WorkedExampleOfTheHeader) {
  Bricks bricks = packed(example());
  ASSERT_TRUE(addCopy(bricks, 2));
  ASSERT_EQ(bricks.bricks(), 1);
  EXPECT_EQ(bricks.origin, (std::vector<int64_t>{2, 0, 2}));
  EXPECT_EQ(bricks.reach, (std::vector<uint32_t>{1, 1, 1}));
  EXPECT_EQ(list(bricks.nonzeroOf), (std::vector<int64_t>{1, 3, 0, 2}));
  const ModeCopy &first = *bricks.copies[0], &third = *bricks.copies[2];
  EXPECT_EQ(list(first.segments.coordinate), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(list(first.segments.last), (std::vector<uint16_t>{2, 3}));
  EXPECT_EQ(list(first.home), (std::vector<uint16_t>{0, 1, 2, 3}));
  EXPECT_EQ(list(first.coordinates[1]), (std::vector<uint32_t>{0, 1, 1, 1}));
  EXPECT_EQ(list(first.coordinates[2]), (std::vector<uint32_t>{1, 0, 1, 0}));
  EXPECT_EQ(list(third.segments.coordinate), (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(list(third.segments.last), (std::vector<uint16_t>{1, 3}));
  EXPECT_EQ(list(third.home), (std::vector<uint16_t>{1, 3, 0, 2}));
  EXPECT_EQ(list(third.coordinates[0]), (std::vector<uint32_t>{0, 1, 0, 0}));
  EXPECT_EQ(list(third.coordinates[1]), (std::vector<uint32_t>{1, 1, 0, 1}));
  EXPECT_FALSE(bricks.copies[1]);
  BrickShares shares = *shareRows(bricks, 0, 2);
  EXPECT_EQ(shares.rows, (std::vector<int64_t>{0, 3, 4}));
  EXPECT_EQ(shares.segment, (std::vector<int64_t>{0, 1, 2}));
}

TEST(Bricks, HoldEveryNonzeroOfEverySample) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    Graph graph = groupsOf(sample, kind, 60);
    BrickOptions options;
    options.slots = 50; // Some groups are cut.
    options.key = unsigned(sample.shape.size() - 1);
    Result<Bricks> bricks = packBricks(sample.view(), graph, options);
    ASSERT_TRUE(bricks) << bricks.message();
    EXPECT_EQ(bricks->fingerprint, fingerprintPattern(sample.view()));
    for (unsigned mode = 0; mode < bricks->rank(); ++mode) {
      ASSERT_TRUE(addCopy(*bricks, mode));
      expectHolds(*bricks, sample, mode);
      expectValuesComeBack(*bricks, mode);
      for (int64_t workers : {1, 2, 7})
        expectShares(*bricks, mode, workers);
      EXPECT_LE(bricks->copies[mode]->bytes(), bricks->mostBytesOf(mode));
    }
    EXPECT_EQ(message(*bricks), "");
  });
}

TEST(Bricks, AnyRank) {
  for (unsigned rank = 1; rank <= kMaxRank; ++rank) {
    std::vector<int64_t> shape;
    for (unsigned k = 0; k < rank; ++k)
      shape.push_back(3 + 5 * k);
    Sample sample = scattered("rank", shape, 700, rank);
    Bricks bricks = packed(sample, {}, 90);
    for (unsigned mode = 0; mode < rank; ++mode) {
      ASSERT_TRUE(addCopy(bricks, mode));
      expectHolds(bricks, sample, mode);
    }
    EXPECT_EQ(message(bricks), "");
  }
}

TEST(Bricks, FibersWhereSlotsShareACoordinate) {
  // Lines of five along mode 1, and a few nonzeros beside them.
  Sample sample{"lines", {50, 400, 60, 70}, {{}, {}, {}, {}}};
  std::mt19937_64 random(8);
  for (int64_t line = 0; line < 900; ++line) {
    const std::vector<int64_t> at{
        int64_t(random() % 50), int64_t(random() % 400), int64_t(random() % 60),
        int64_t(random() % 70)};
    for (int64_t i = 0; i < (line % 9 ? 5 : 1); ++i)
      for (unsigned k = 0; k < 4; ++k)
        sample.coordinates[k].push_back(k == 1 ? (at[k] + 7 * i) % 400 : at[k]);
  }
  Bricks bricks = packed(sample, {}, 1000);
  ASSERT_GT(bricks.bricks(), 1);
  for (unsigned mode = 0; mode < 4; ++mode) {
    ASSERT_TRUE(addCopy(bricks, mode));
    expectHolds(bricks, sample, mode);
    expectValuesComeBack(bricks, mode);
    // Two lines of one row and one other coordinate are one fiber.
    EXPECT_EQ(bool(bricks.copies[mode]->fiberMode), mode != 1);
  }
  EXPECT_EQ(message(bricks), "");
  const ModeCopy &copy = *bricks.copies[0];
  EXPECT_GE(bricks.nonzeros, 2 * copy.fibers.count());
  EXPECT_GT(copy.fibers.count(), copy.segments.count());
  // The tables do not depend on which copy they come from.
  BrickOptions options;
  options.key = 3;
  Bricks other = packed(sample, options, 1000);
  ASSERT_TRUE(addCopy(other, 0));
  EXPECT_TRUE(same(*other.copies[0], copy));
  auto broken = [&](auto change) {
    Bricks wrong = bricks;
    change(*wrong.copies[0]);
    EXPECT_NE(message(wrong), "");
  };
  broken([](ModeCopy &c) { c.fiberMode = 0; });
  broken([](ModeCopy &c) { c.fiberMode.reset(); });
  broken([](ModeCopy &c) { --c.fibers.begin[1]; });
  broken([](ModeCopy &c) { ++c.fibers.last[0]; });
  broken([](ModeCopy &c) {
    c.fibers.coordinate.visit([](auto *entries) { ++entries[0]; });
  });
}

TEST(Bricks, ChecksFindWhatIsWrong) {
  Bricks good = packed(scattered("cube", {30, 20, 10}, 300, 2), {}, 60);
  ASSERT_TRUE(addCopy(good, 1));
  ASSERT_GT(good.bricks(), 1);
  ASSERT_EQ(message(good), "");
  auto broken = [&](auto change) {
    Bricks bricks = good;
    change(bricks);
    EXPECT_NE(message(bricks), "");
    return message(bricks);
  };
  EXPECT_EQ(broken([](Bricks &b) { b.nonzeroOf[3] = 300; }),
            "expected a nonzero in 0..299 but got 300");
  broken([](Bricks &b) { b.nonzeroOf[3] = b.nonzeroOf[4]; });
  broken([](Bricks &b) { std::swap(b.nonzeroOf[3], b.nonzeroOf[4]); });
  // Another order does not give it away: these have different coordinates.
  EXPECT_EQ(broken([](Bricks &b) {
              b.nonzeroOf[299] = b.nonzeroOf[0];
            }).find("expected each nonzero once but got"),
            0u);
  broken([](Bricks &b) { ++b.brickSlot[1]; });
  broken([](Bricks &b) { b.origin[0] = 30; });
  broken([](Bricks &b) { b.origin[1] = -1; });
  broken([](Bricks &b) { b.reach[0] = 256; });
  broken([](Bricks &b) { b.copies[0]->home[0] ^= 1; });
  broken([](Bricks &b) { --b.copies[0]->segments.begin[1]; });
  broken([](Bricks &b) { b.copies[1]->segments.last[0] += 200; });
  broken([](Bricks &b) { b.copies[1]->coordinates.pop_back(); });
  broken([](Bricks &b) { std::swap(b.copies[0], b.copies[1]); });
  broken([](Bricks &b) {
    b.copies[1]->segments.coordinate.visit(
        [](auto *rows) { rows[0] = rows[1]; });
  });
  broken([](Bricks &b) {
    b.copies[1]->coordinates[0].visit([](auto *entries) { ++entries[5]; });
  });
  broken([](Bricks &b) { b.copies[0].reset(), b.copies[1].reset(); });
}

/// Where there is no other copy to compare it with.
TEST(Bricks, ChecksFindACoordinateBeyondItsBrick) {
  Bricks bricks = packed(scattered("cube", {30, 20, 10}, 300, 2), {}, 60);
  ASSERT_EQ(message(bricks), "");
  SlotRuns &rows = bricks.copies[0]->segments;
  const int64_t last = rows.begin[1] - 1;
  rows.coordinate.visit(
      [&](auto *entries) { entries[last] = uint16_t(bricks.reach[0] + 1); });
  EXPECT_NE(message(bricks).find("a coordinate of a run"), std::string::npos)
      << message(bricks);
}
