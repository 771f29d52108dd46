//===- PackBricksTest.cpp - which nonzeros make a brick -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickOracle.h"
#include <algorithm>
#include <set>

using namespace astfe::core;

TEST(PackBricks, TablesDependOnNeitherThreadsNorTheFirstMode) {
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

TEST(PackBricks, ChunksAreMovedInParallel) {
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

TEST(PackBricks, WidthsAreTheFewestBits) {
  Sample sample{"widths", {256, 257, 70000}, {{0, 255}, {0, 256}, {0, 65536}}};
  Bricks bricks = packed(sample);
  ASSERT_EQ(bricks.bricks(), 1);
  EXPECT_EQ(bricks.bits, (std::vector<unsigned>{8, 16, 32}));
  expectHolds(bricks, sample, 0);
}

TEST(PackBricks, NarrowCoordinatesWhereTheySaveBytes) {
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

TEST(PackBricks, ExtentsBeyond32Bits) {
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

TEST(PackBricks, ReachesHave32Bits) {
  const int64_t far = int64_t(1) << 32;
  Sample sample{"far", {2, 2, far + 1}, {{0, 1}, {0, 1}, {0, far}}};
  Bricks bricks = packed(sample, {}, 1000);
  EXPECT_EQ(bricks.bricks(), 2);
  expectHolds(bricks, sample, 0);
  EXPECT_EQ(message(bricks), "");
}

TEST(PackBricks, DuplicatesKeepTheCallersOrder) {
  Sample sample{"twice", {2, 2}, {{1, 0, 1, 1}, {1, 0, 1, 1}}};
  Bricks bricks = packed(sample);
  std::vector<float> values{1, 2, 3, 4}, slots(4);
  packValues(bricks, 0, values.data(), slots.data());
  EXPECT_EQ(slots, (std::vector<float>{2, 1, 3, 4}));
}

TEST(PackBricks, OfFibersAndOfCoordinatesAreTheSame) {
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

TEST(PackBricks, WrongInput) {
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

TEST(PackBricks, MemoryIsAskedForBeforeItIsTaken) {
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

TEST(PackBricks, SmallGroupsAreJoined) {
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

TEST(PackBricks, OneWidthIsThatOfTheWidestMode) {
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
