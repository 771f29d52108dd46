//===- BricksTest.cpp - bricks against a reading by hand ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickWalk.h"
#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "Samples.h"
#include <algorithm>
#include <numeric>
#include <set>

using namespace astfe::core;

namespace {

/// A slot of a copy: which nonzero, and where.
struct Slot {
  int64_t nonzero;
  std::vector<int64_t> point;
};

/// The run of a brick that holds a slot of it, by looking at all of them.
int64_t runOf(const SlotRuns &runs, int64_t brick, int64_t slot) {
  int64_t run = runs.begin[size_t(brick)];
  while (runs.last[size_t(run)] < slot)
    ++run;
  EXPECT_EQ(runs.find(brick, slot), run);
  EXPECT_LE(runs.firstSlot(brick, run), slot);
  return run;
}

/// Brick by brick, as the comment of Bricks.h says, one entry at a time.
std::vector<std::vector<Slot>> readSlots(const Bricks &bricks, unsigned mode) {
  const ModeCopy &a = *bricks.copies[mode];
  std::vector<std::vector<Slot>> result;
  for (int64_t b = 0; b < bricks.bricks(); ++b) {
    result.emplace_back();
    const int64_t first = bricks.brickSlot[size_t(b)];
    for (int64_t s = 0; s < bricks.brickSlot[size_t(b) + 1] - first; ++s) {
      Slot here;
      here.nonzero =
          bricks.nonzeroOf[size_t(first + a.home[size_t(first + s)])];
      for (unsigned k = 0; k < bricks.rank(); ++k) {
        const SlotRuns &runs = k == mode ? a.segments : a.fibers;
        const int64_t local = a.hasRuns(k)
                                  ? runs.coordinate[size_t(runOf(runs, b, s))]
                                  : a.coordinates[k][size_t(first + s)];
        here.point.push_back(bricks.origin[size_t(b) * bricks.rank() + k] +
                             local);
      }
      result.back().push_back(here);
    }
  }
  return result;
}

Graph groupsOf(const Sample &sample, OrderKind kind, int64_t leaf) {
  Profile profile = sample.profile(kind, 4);
  Graph graph = *partition(profile, {leaf, 4});
  FuseOptions fuse;
  fuse.workers = brickPlanWorkers(sample.nonzeros(), leaf);
  fuse.waves = 1;
  return *astfe::core::fuse(graph, profile, fuse);
}

/// Every nonzero once, at its own coordinates, each brick sorted by the mode.
void expectHolds(const Bricks &bricks, const Sample &sample, unsigned mode) {
  std::vector<int64_t> seen(size_t(sample.nonzeros()), 0);
  for (const std::vector<Slot> &brick : readSlots(bricks, mode)) {
    for (size_t s = 0; s < brick.size(); ++s) {
      const auto n = size_t(brick[s].nonzero);
      ++seen[n];
      for (unsigned k = 0; k < bricks.rank(); ++k)
        ASSERT_EQ(brick[s].point[k], sample.coordinates[k][n]);
      if (s > 0) {
        ASSERT_LE(brick[s - 1].point[mode], brick[s].point[mode]);
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), sample.nonzeros());
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

bool same(const SlotRuns &a, const SlotRuns &b) {
  return a.begin == b.begin && a.coordinate == b.coordinate && a.last == b.last;
}

bool same(const ModeCopy &a, const ModeCopy &b) {
  return same(a.segments, b.segments) && a.fiberMode == b.fiberMode &&
         same(a.fibers, b.fibers) && a.coordinates == b.coordinates &&
         a.home == b.home;
}

std::string message(const Bricks &bricks) {
  Status status = bricks.check();
  return status ? "" : status.message();
}

Sample example() {
  return {"example", {4, 4, 4}, {{2, 2, 3, 2}, {1, 0, 1, 1}, {3, 3, 2, 2}}};
}

Bricks packed(const Sample &sample, const BrickOptions &options = {},
              int64_t leaf = 200) {
  return *packBricks(sample.view(), groupsOf(sample, OrderKind::Hilbert, leaf),
                     options);
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

TEST(Bricks, TablesDependOnNeitherThreadsNorTheFirstMode) {
  Sample sample = scattered("cube", {90, 70, 80}, 30000, 4);
  Graph graph = groupsOf(sample, OrderKind::Hilbert, 5000);
  BrickOptions options;
  options.slots = 3000;
  Bricks expected = *packBricks(sample.view(), graph, options);
  for (unsigned mode : {1, 2})
    ASSERT_TRUE(addCopy(expected, mode));
  for (unsigned threads : {2, 5})
    for (unsigned first : {1, 2}) {
      options.threads = threads;
      options.key = first;
      Bricks other = *packBricks(sample.view(), graph, options);
      EXPECT_EQ(other.brickSlot, expected.brickSlot);
      EXPECT_EQ(other.nonzeroOf, expected.nonzeroOf);
      for (unsigned mode : {0, 1, 2}) {
        ASSERT_TRUE(addCopy(other, mode, options));
        EXPECT_TRUE(same(*other.copies[mode], *expected.copies[mode]));
      }
    }
}

TEST(Bricks, ChunksAreMovedInParallel) {
  // More nonzeros than a chunk, and than a brick in one group.
  Sample sample = scattered("cube", {200, 300, 100}, 200000, 9);
  Graph graph = *partition(sample.profile(OrderKind::Hilbert, 256),
                           {int64_t(1) << 30, 1});
  ASSERT_EQ(graph.groupCount(), 1u);
  BrickOptions options;
  options.threads = 3;
  Bricks bricks = *packBricks(sample.view(), graph, options);
  EXPECT_EQ(bricks.bricks(), 4);
  EXPECT_EQ(bricks.brickSlot[1], 50000);
  expectHolds(bricks, sample, 0);
  EXPECT_EQ(message(bricks), "");
  // Cut along the curve: keys of one brick end before those of the next.
  std::vector<uint32_t> parts;
  std::vector<uint64_t> keys;
  encodeNonzeros(sample.view(), graph.space, parts, keys);
  uint64_t last = 0;
  for (const auto &brick : readSlots(bricks, 0)) {
    uint64_t least = ~uint64_t(0), most = 0;
    for (const Slot &slot : brick) {
      least = std::min(least, keys[size_t(slot.nonzero)]);
      most = std::max(most, keys[size_t(slot.nonzero)]);
    }
    EXPECT_GE(least, last);
    last = most;
  }
}

TEST(Bricks, WidthsAreTheFewestBits) {
  Sample sample{"widths", {256, 257, 70000}, {{0, 255}, {0, 256}, {0, 65536}}};
  Bricks bricks = packed(sample);
  ASSERT_EQ(bricks.bricks(), 1);
  EXPECT_EQ(bricks.bits, (std::vector<unsigned>{8, 16, 32}));
  expectHolds(bricks, sample, 0);
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

TEST(Bricks, NarrowCoordinatesWhereTheySaveBytes) {
  // Few nonzeros far from each other: a brick for each would cost more.
  Sample sample = scattered("sparse", {1 << 22, 1 << 22, 1 << 22}, 40, 3);
  EXPECT_EQ(packed(sample, {}, 10000).bits[0], 32u);
  // Two clusters far apart are two bricks, though one would hold them, if they
  // are not small.
  for (auto &mode : sample.coordinates) {
    mode.clear();
    for (int64_t n = 0; n < 9000; ++n)
      mode.push_back(
          n % 2 * 4000000 +
          (n * 7919 + int64_t(&mode - sample.coordinates.data()) * 31) % 997);
  }
  Bricks bricks = packed(sample, {}, 10000);
  EXPECT_EQ(bricks.bits, (std::vector<unsigned>{16, 16, 16}));
  EXPECT_EQ(bricks.bricks(), 2);
  expectHolds(bricks, sample, 0);
  EXPECT_EQ(message(bricks), "");
  for (auto &mode : sample.coordinates)
    mode.resize(8000);
  EXPECT_EQ(packed(sample, {}, 10000).bricks(), 1);
}

TEST(Bricks, ExtentsBeyond32Bits) {
  const int64_t far = int64_t(1) << 40;
  Sample sample{"far",
                {far, 3, far},
                {{0, far - 1, 5, far - 1, 5},
                 {0, 1, 2, 1, 0},
                 {far - 1, 0, far / 2, 1, far / 2}}};
  Bricks bricks = packed(sample, {}, 1000);
  EXPECT_GT(bricks.bricks(), 1);
  for (unsigned mode : {0, 1, 2}) {
    ASSERT_TRUE(addCopy(bricks, mode));
    expectHolds(bricks, sample, mode);
  }
  EXPECT_EQ(message(bricks), "");
}

TEST(Bricks, DuplicatesKeepTheCallersOrder) {
  Sample sample{"twice", {2, 2}, {{1, 0, 1, 1}, {1, 0, 1, 1}}};
  Bricks bricks = packed(sample);
  std::vector<float> values{1, 2, 3, 4}, slots(4);
  packValues(bricks, 0, values.data(), slots.data());
  EXPECT_EQ(slots, (std::vector<float>{2, 1, 3, 4}));
}

TEST(Bricks, OfFibersAndOfCoordinatesAreTheSame) {
  // (i, j, k) as CSF, in order.
  std::vector<uint16_t> p0{0, 2}, p1{0, 2, 3}, p2{0, 1, 3, 4};
  std::vector<uint8_t> c0{1, 4}, c1{0, 3, 2};
  std::vector<uint32_t> c2{9, 0, 8, 5};
  auto array = [](const auto &of) {
    return LevelArray(of.data(), int64_t(of.size()));
  };
  SparseView fibers = SparseView::of(
      LevelView::csf({5, 4, 10}, {0, 1, 2}, {array(p0), array(p1), array(p2)},
                     {array(c0), array(c1), array(c2)}));
  Sample sample{"coo", {5, 4, 10}, {{1, 1, 1, 4}, {0, 3, 3, 2}, {9, 0, 8, 5}}};
  Graph graph = groupsOf(sample, OrderKind::Hilbert, 100);
  Bricks a = *packBricks(fibers, graph), b = *packBricks(sample.view(), graph);
  EXPECT_EQ(a.nonzeroOf, b.nonzeroOf);
  EXPECT_TRUE(same(*a.copies[0], *b.copies[0]));
  EXPECT_EQ(a.fingerprint, b.fingerprint);
  expectHolds(a, sample, 0);
}

TEST(Bricks, WrongInput) {
  Sample sample = scattered("cube", {9, 9, 9}, 100, 1);
  Graph graph = groupsOf(sample, OrderKind::Morton, 50);
  auto fails = [&](const Sample &of, const BrickOptions &options) {
    Result<Bricks> bricks = packBricks(of.view(), graph, options);
    return bricks ? "" : bricks.message();
  };
  BrickOptions options;
  options.key = 3;
  EXPECT_EQ(fails(sample, options), "expected a mode below 3 but got 3");
  options.key = 0;
  options.slots = 65537;
  EXPECT_EQ(fails(sample, options),
            "expected 1 to 65536 slots in a brick but got 65537");
  Sample other = scattered("other", {9, 8, 9}, 10, 1);
  EXPECT_EQ(fails(other, {}),
            "expected a tensor of the graph's shape 9x9x9 but got 9x8x9");
  sample.coordinates[1][40] = 9;
  EXPECT_EQ(fails(sample, {}),
            "nonzero 40: expected a coordinate of mode 1 below 9 but got 9");
}

TEST(Bricks, MemoryIsAskedForBeforeItIsTaken) {
  Sample sample = scattered("cube", {90, 90, 90}, 1000, 1);
  Graph graph = groupsOf(sample, OrderKind::Hilbert, 5000);
  BrickOptions options;
  options.memory = 51999;
  Result<Bricks> bricks = packBricks(sample.view(), graph, options);
  ASSERT_FALSE(bricks);
  EXPECT_EQ(bricks.message(), "expected packing of 1000 nonzeros to take at "
                              "most 51999 bytes but got 52000");
  options.memory = 52000;
  bricks = packBricks(sample.view(), graph, options);
  ASSERT_TRUE(bricks);
  options.memory = bricks->mostBytesOf(1) - 1;
  Status status = addCopy(*bricks, 1, options);
  ASSERT_FALSE(status);
  EXPECT_NE(status.message().find(std::to_string(options.memory + 1)),
            std::string::npos);
  EXPECT_FALSE(bricks->copies[1]);
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

TEST(BrickWalk, CopiesWhereSegmentsSaveMoreThanTheyCost) {
  // Mode 0 has four rows, mode 1 about as many as nonzeros.
  Sample sample = scattered("cube", {4, 5000, 90}, 3000, 2);
  BrickOptions options;
  options.key = 2;
  Bricks bricks = packed(sample, options, 10000);
  EXPECT_GT(slotsPerSegment(bricks, 0), 100);
  EXPECT_LT(slotsPerSegment(bricks, 1), 3);
  WalkChoice many = chooseWalk(bricks, 0);
  EXPECT_TRUE(many.copy);
  EXPECT_EQ(many.key, 0u);
  WalkOptions once;
  once.runs = 1;
  once.rowBytes = 4;
  WalkChoice few = chooseWalk(bricks, 1, once);
  EXPECT_FALSE(few.copy);
  EXPECT_EQ(few.key, 2u);
  WalkOptions little;
  little.memory = many.bytes - 1;
  WalkChoice choice = chooseWalk(bricks, 0, little);
  EXPECT_FALSE(choice.copy);
  EXPECT_STREQ(choice.reason, "memory is short");
  little.memory = many.bytes;
  EXPECT_TRUE(chooseWalk(bricks, 0, little).copy);
  EXPECT_TRUE(chooseWalk(bricks, 2, once).copy);
}

TEST(BrickWalk, ExpectationsAreNearTheCounts) {
  Sample sample{"uniform", {400, 300, 500}, {{}, {}, {}}};
  std::mt19937_64 random(3);
  for (int64_t n = 0; n < 40000; ++n)
    for (unsigned k = 0; k < 3; ++k)
      sample.coordinates[k].push_back(
          int64_t(random() % uint64_t(sample.shape[k])));
  Bricks bricks = packed(sample, {}, 4000);
  for (unsigned mode : {1, 2}) {
    const double expected = slotsPerSegment(bricks, mode);
    ASSERT_TRUE(addCopy(bricks, mode));
    EXPECT_NEAR(slotsPerSegment(bricks, mode) / expected, 1, 0.1);
  }
}

TEST(BrickWalk, SharesAreEvenUpToARow) {
  Sample sample = scattered("cube", {500, 60, 70}, 20000, 5);
  Bricks bricks = packed(sample, {}, 4000);
  const int64_t workers = 6;
  BrickShares shares = *shareRows(bricks, 0, workers);
  std::vector<int64_t> slots(size_t(workers), 0), byRow(500, 0);
  for (int64_t row : sample.coordinates[0])
    ++byRow[size_t(row)];
  for (int64_t w = 0; w < workers; ++w)
    slots[size_t(w)] =
        std::accumulate(byRow.begin() + shares.rows[size_t(w)],
                        byRow.begin() + shares.rows[size_t(w) + 1], int64_t(0));
  EXPECT_LE(*std::max_element(slots.begin(), slots.end()),
            20000 / workers + *std::max_element(byRow.begin(), byRow.end()));
  // Ranges for the cache only where rows hardly come twice in a brick.
  EXPECT_EQ(rangesForCache(bricks, 0, 1, 128, 1024), 1);
  Sample sparse{"sparse", {100000, 90, 80}, {{}, {}, {}}};
  for (int64_t n = 0; n < 20000; ++n)
    for (unsigned k = 0; k < 3; ++k)
      sparse.coordinates[k].push_back((n * 4999 + k) % sparse.shape[k]);
  Bricks far = packed(sparse, {}, 4000);
  EXPECT_LT(slotsPerSegment(far, 0), 2);
  EXPECT_EQ(rangesForCache(far, 0, 1, 128, 8 << 20), 3);
  EXPECT_EQ(rangesForCache(far, 0, 2, 128, 8 << 20), 1);
  EXPECT_EQ(rangesForCache(far, 0, 2, 128, 1024), 9);
  EXPECT_FALSE(shareRows(bricks, 1, 2));
  EXPECT_FALSE(shareRows(bricks, 0, 0));
}

TEST(Bricks, SmallGroupsAreJoined) {
  Graph graph;
  graph.nonzeros = {3, 4, 2, 9, 1, 1};
  graph.groups = {0, 1, 3, 4, 5, 6};
  EXPECT_EQ(joinForBricks(graph, 9).groups, (std::vector<int64_t>{0, 3, 4, 6}));
  EXPECT_EQ(joinForBricks(graph, 100).groups, (std::vector<int64_t>{0, 6}));
  // What is larger alone stays so.
  EXPECT_EQ(joinForBricks(graph, 1).groups,
            (std::vector<int64_t>{0, 1, 3, 4, 5, 6}));
  graph.groups = {0};
  EXPECT_EQ(joinForBricks(graph).groups, (std::vector<int64_t>{0}));
}

TEST(Bricks, OneWidthIsThatOfTheWidestMode) {
  Sample sample{"narrow", {200, 90, 80}, {{}, {}, {}}};
  for (int64_t n = 0; n < 500; ++n)
    for (unsigned k = 0; k < 3; ++k)
      sample.coordinates[k].push_back((n * 37 + k) % sample.shape[k]);
  Bricks own = packed(sample, {}, 100);
  EXPECT_EQ(own.bits, (std::vector<unsigned>{8, 8, 8}));
  BrickOptions options;
  options.oneWidth = true;
  Bricks one = *packBricks(sample.view(),
                           groupsOf(sample, OrderKind::Hilbert, 100), options);
  EXPECT_EQ(one.bits, (std::vector<unsigned>{16, 16, 16}));
  EXPECT_TRUE(one.check());
  expectHolds(one, sample, 0);
  // A mode that needs 32 bits in some brick takes all others with it.
  sample.shape[0] = int64_t(1) << 33;
  sample.coordinates[0][7] = int64_t(1) << 32;
  sample.coordinates[0][8] = 3;
  options.slots = 2;
  for (bool oneWidth : {false, true}) {
    options.oneWidth = oneWidth;
    Bricks wide = *packBricks(
        sample.view(), groupsOf(sample, OrderKind::Hilbert, 100), options);
    EXPECT_TRUE(wide.check());
    if (oneWidth) {
      EXPECT_EQ(std::set<unsigned>(wide.bits.begin(), wide.bits.end()).size(),
                1u);
    }
  }
}
