//===- SpaceTest.cpp - what makes a space sound ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order/Space.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

Space makeSpace(std::vector<int64_t> shape, std::vector<Part> parts) {
  Space space;
  space.shape = std::move(shape);
  space.parts = std::move(parts);
  return space;
}

Part makePart(std::vector<int64_t> origin, std::vector<int64_t> extents) {
  return {std::move(origin), std::move(extents), OrderKind::Hilbert, 10};
}

/// "" for a sound space.
std::string message(const Space &space) {
  Status status = space.check();
  return status ? "" : status.message();
}

} // namespace

TEST(Space, WholeIsOneSoundPart) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{4, 5}, {0, 3}, {1}, {2, 3, 4, 5}}) {
    Space space = *Space::whole(shape, OrderKind::Panels, 3);
    EXPECT_EQ(message(space), "");
    EXPECT_EQ(space.rank(), shape.size());
    ASSERT_EQ(space.parts.size(), 1u);
    EXPECT_EQ(space.parts[0].order().extents().vec(), shape);
    EXPECT_EQ(space.parts[0].order().panelLog2(), 3u);
  }
  EXPECT_EQ(Space::whole({-1}, OrderKind::Rows).message(),
            "expected the extent of mode 0 in 0..2^62 but got -1");
}

TEST(Space, PartsMustTile) {
  // A pinwheel: no cut through the whole space separates its parts.
  std::vector<Part> pinwheel{makePart({0, 0}, {1, 2}), makePart({0, 2}, {2, 1}),
                             makePart({2, 1}, {1, 2}), makePart({1, 0}, {2, 1}),
                             makePart({1, 1}, {1, 1})};
  EXPECT_EQ(message(makeSpace({3, 3}, pinwheel)), "");

  std::vector<Part> gap(pinwheel.begin(), pinwheel.end() - 1);
  EXPECT_EQ(message(makeSpace({3, 3}, gap)),
            "expected parts that tile the space but they leave a gap");

  std::vector<Part> doubled = pinwheel;
  doubled[0].extents = {1, 3};
  EXPECT_EQ(message(makeSpace({3, 3}, doubled)),
            "expected disjoint parts but parts 0 and 1 overlap");

  EXPECT_EQ(message(makeSpace({3, 3}, {})),
            "expected at least one part but got none");
}

TEST(Space, VolumesAreExactBeyond64Bits) {
  const int64_t side = int64_t(1) << 62;
  std::vector<int64_t> shape(8, side), origin(8, 0), rest(8, 0);
  std::vector<int64_t> first = shape, second = shape;
  first[7] = 5;
  rest[7] = 5;
  second[7] = side - 5;
  EXPECT_EQ(message(makeSpace(
                shape, {makePart(origin, first), makePart(rest, second)})),
            "");
  second[7] = side - 6;
  EXPECT_EQ(message(makeSpace(
                shape, {makePart(origin, first), makePart(rest, second)})),
            "expected parts that tile the space but they leave a gap");
}

TEST(Space, PartsMustLieInside) {
  EXPECT_EQ(
      message(makeSpace({4, 4}, {makePart({0, 0}, {4, 5})})),
      "part 0: expected a box inside mode 1 of extent 4 but got 5 from 0");
  EXPECT_EQ(
      message(makeSpace({4, 4}, {makePart({-1, 0}, {4, 4})})),
      "part 0: expected a box inside mode 0 of extent 4 but got 4 from -1");
  EXPECT_EQ(message(makeSpace({4, 4}, {makePart({0}, {4})})),
            "part 0: expected 2 modes but got an origin of 1 and extents of 1");
  EXPECT_EQ(message(makeSpace({4, 4}, {makePart({0, 0}, {4, -4})})),
            "part 0: expected the extent of mode 1 in 0..2^62 but got -4");
  Part panels = makePart({0, 0}, {4, 4});
  panels.kind = OrderKind::Panels;
  panels.panelLog2 = 63;
  EXPECT_EQ(message(makeSpace({4, 4}, {panels})),
            "part 0: expected panels of at most 2^62 rows but got 2^63");
}

TEST(Space, PermutationsMustBeBijections) {
  Space space = *Space::whole({3, 2}, OrderKind::Rows);
  auto check = [&](std::vector<std::vector<int64_t>> permutations) {
    space.permutations = std::move(permutations);
    return message(space);
  };
  EXPECT_EQ(check({{2, 0, 1}, {}}), "");
  EXPECT_EQ(check({{}, {1, 0}}), "");
  EXPECT_EQ(check({{2, 0, 1}}), "expected 2 permutations or none but got 1");
  EXPECT_EQ(check({{2, 0}, {}}),
            "permutation of mode 0: expected 3 entries but got 2");
  EXPECT_EQ(check({{}, {1, 2}}),
            "permutation of mode 1: expected an index below 2 but got 2");
  EXPECT_EQ(check({{}, {0, -1}}),
            "permutation of mode 1: expected an index below 2 but got -1");
  EXPECT_EQ(check({{2, 0, 2}, {}}),
            "permutation of mode 0: expected each index once but got 2 twice");
}

TEST(Space, EqualityIgnoresPanelsWhereThereAreNone) {
  Part a = makePart({0}, {4}), b = a;
  b.panelLog2 = 3;
  EXPECT_EQ(a, b);
  a.kind = b.kind = OrderKind::Panels;
  EXPECT_FALSE(a == b);
}
