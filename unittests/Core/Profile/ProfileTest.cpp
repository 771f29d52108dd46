//===- ProfileTest.cpp - profiles against brute force ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Profile/Profile.h"
#include "Profile/CountRows.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {

/// An owned pattern of any rank.
struct Pattern {
  std::vector<int64_t> shape;
  std::vector<std::vector<int32_t>> modes;

  SparseView view() const {
    std::vector<IndexArray> arrays;
    for (const auto &mode : modes)
      arrays.emplace_back(mode.data(), int64_t(mode.size()));
    return SparseView::coo(shape, arrays);
  }
  /// Skewed: half of the points lie in the lowest eighth of each mode.
  static Pattern random(std::vector<int64_t> shape, size_t count,
                        uint64_t seed) {
    Pattern pattern{shape, std::vector<std::vector<int32_t>>(shape.size())};
    std::mt19937_64 random(seed);
    for (size_t n = 0; n < count; ++n) {
      bool low = random() % 2;
      for (size_t k = 0; k < shape.size(); ++k) {
        uint64_t extent = uint64_t(shape[k]);
        pattern.modes[k].push_back(
            int32_t(random() % (low ? (extent + 7) / 8 : extent)));
      }
    }
    return pattern;
  }
};

/// The definition: split from the root, keys looked at one by one.
void countByDefinition(const std::vector<uint64_t> &keys, unsigned depth,
                       int64_t min, uint32_t part, Prefix prefix,
                       Profile &profile) {
  std::vector<uint64_t> inside;
  for (uint64_t key : keys)
    if (prefix.contains(key))
      inside.push_back(key);
  if (inside.empty())
    return;
  if (int64_t(inside.size()) >= min && prefix.length < depth) {
    for (bool half : {false, true})
      countByDefinition(inside, depth, min, part, prefix.child(half), profile);
    return;
  }
  profile.part.push_back(part);
  profile.length.push_back(prefix.length);
  profile.prefix.push_back(prefix.bits);
  profile.nonzeros.push_back(int64_t(inside.size()));
}

Profile countByDefinition(const SparseView &view, const Space &space,
                          int64_t min) {
  std::vector<uint32_t> parts;
  std::vector<uint64_t> keys;
  encodeNonzeros(view, space, parts, keys);
  parts.resize(keys.size());
  Profile profile;
  for (uint32_t part = 0; part < space.parts.size(); ++part) {
    std::vector<uint64_t> own;
    for (size_t n = 0; n < keys.size(); ++n)
      if (parts[n] == part)
        own.push_back(keys[n]);
    countByDefinition(own, space.parts[part].order().prefixBits(), min, part,
                      Prefix(), profile);
  }
  return profile;
}

void expectSameBins(const Profile &a, const Profile &b) {
  EXPECT_EQ(a.part, b.part);
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.prefix, b.prefix);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
}

void expectDefinition(const Pattern &pattern, const Space &space, int64_t min) {
  Result<Profile> profile = countProfile(pattern.view(), space, {min, 1});
  ASSERT_TRUE(profile) << profile.message();
  Status status = profile->check();
  EXPECT_TRUE(status) << status.message();
  EXPECT_EQ(profile->totalNonzeros(), pattern.view().nonzeros());
  expectSameBins(*profile, countByDefinition(pattern.view(), space, min));
}

/// Two bins, 0 and 10, of rows on 4x4.
Profile twoBins() {
  Profile profile;
  profile.space = *Space::whole({4, 4}, OrderKind::Rows);
  profile.part = {0, 0};
  profile.length = {1, 2};
  profile.prefix = {0, uint64_t(1) << 63};
  profile.nonzeros = {5, 7};
  return profile;
}

std::string message(const Profile &profile) {
  Status status = profile.check();
  return status ? "" : status.message();
}

} // namespace

TEST(Profile, WorkedExampleOfTheHeader) {
  std::vector<int32_t> rows{0, 0, 0, 3}, columns{0, 1, 1, 3};
  SparseView view = SparseView::coo(
      {4, 4}, {IndexArray(rows.data(), 4), IndexArray(columns.data(), 4)});
  Space space = *Space::whole({4, 4}, OrderKind::Rows);
  Result<Profile> profile = countProfile(view, space, {2, 1});
  ASSERT_TRUE(profile) << profile.message();
  ASSERT_TRUE(profile->check()) << profile->check().message();
  ASSERT_EQ(profile->size(), 3u);
  EXPECT_EQ(profile->bin(0).str(), "0000");
  EXPECT_EQ(profile->bin(1).str(), "0001");
  EXPECT_EQ(profile->bin(2).str(), "1");
  EXPECT_EQ(profile->nonzeros, (std::vector<int64_t>{1, 2, 1}));
  EXPECT_EQ(profile->totalNonzeros(), 4);
  EXPECT_FALSE(profile->measured());
}

TEST(Profile, AgreesWithTheDefinition) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{100},
                                         {1, 1},
                                         {300, 200},
                                         {1, 500},
                                         {7, 90, 1},
                                         {20, 3, 11, 6},
                                         {70000, 70000},
                                         {5000000, 5000000, 5000000}})
    for (OrderKind kind : {OrderKind::Rows, OrderKind::Morton,
                           OrderKind::Hilbert, OrderKind::Panels})
      for (int64_t min : {1, 2, 16, 100000}) {
        SCOPED_TRACE(std::string(orderName(kind)) + " of " +
                     testing::PrintToString(shape) + ", min " +
                     std::to_string(min));
        expectDefinition(Pattern::random(shape, 3000, 11),
                         *Space::whole(shape, kind, 4), min);
      }
}

TEST(Profile, AgreesWithTheDefinitionWhereKeysAreMany) {
  // Enough for a thousand buckets, and rests of 32 and of 64 bits.
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {1 << 20, 1 << 20}, {5000000, 5000000, 5000000}}) {
    Space space = *Space::whole(shape, OrderKind::Hilbert);
    expectDefinition(Pattern::random(shape, 1200000, 17), space, 100);
  }
}

/// Points of a square spread evenly, `crowd` of them in its first 64 x 64
/// cells.
static Pattern evenPattern(size_t count, size_t crowd) {
  Pattern pattern{{1 << 16, 1 << 16}, {{}, {}}};
  std::mt19937_64 random(23);
  for (size_t n = 0; n < count; ++n)
    for (std::vector<int32_t> &mode : pattern.modes)
      mode.push_back(int32_t(random() % (n < crowd ? 64 : 1 << 16)));
  return pattern;
}

TEST(Profile, EvenlySpreadPatternsAgreeWithTheDefinition) {
  // All leaves are found at once; some are not, where the sample sees nothing.
  for (size_t crowd : {0, 1000})
    for (OrderKind kind : {OrderKind::Rows, OrderKind::Hilbert}) {
      Pattern pattern = evenPattern(300000, crowd);
      Space space = *Space::whole(pattern.shape, kind);
      expectDefinition(pattern, space, 256);
      expectSameBins(*countProfile(pattern.view(), space, {256, 1}),
                     *countProfile(pattern.view(), space, {256, 3}));
    }
}

TEST(Profile, RefusesCoordinatesOutOfRangeAmongMany) {
  for (size_t crowd : {0, 200000}) {
    Pattern pattern = evenPattern(300000, crowd);
    Space space = *Space::whole(pattern.shape, OrderKind::Hilbert);
    pattern.modes[0][299999] = 1 << 16;
    pattern.modes[1][299998] = -1;
    for (unsigned threads : {1, 3})
      EXPECT_EQ(countProfile(pattern.view(), space, {256, threads}).message(),
                "nonzero 299999: expected a coordinate of mode 0 below 65536 "
                "but got 65536");
  }
}

/// Rows of CSR with few nonzeros, but 700 in row 5 and 200 in the last one.
struct CsrRows {
  std::vector<int32_t> positions{0}, columns;
  int64_t rows, extent;

  CsrRows(int64_t rows, int64_t extent) : rows(rows), extent(extent) {
    for (int64_t row = 0; row < rows; ++row) {
      int64_t length = row == 5 ? 700 : row + 1 == rows ? 200 : row % 4;
      for (int64_t k = 0; k < length; ++k)
        columns.push_back(int32_t(37 * k * k % extent));
      std::sort(columns.begin() + positions.back(), columns.end());
      positions.push_back(int32_t(columns.size()));
    }
  }
  SparseView view() const {
    return SparseView::csr(
        rows, extent, IndexArray(positions.data(), int64_t(positions.size())),
        IndexArray(columns.data(), int64_t(columns.size())));
  }
};

TEST(Profile, RowsOfCsrAgreeWithTheDefinitionSortedOrNot) {
  for (auto [rows, extent] : {std::pair(37, 1000), {64, 1}, {1, 512}, {9, 9}})
    for (bool sorted : {true, false})
      for (int64_t min : {1, 16, 64, 256}) {
        SCOPED_TRACE(std::to_string(rows) + " rows, min " +
                     std::to_string(min) + (sorted ? "" : ", not sorted"));
        CsrRows csr(rows, extent);
        if (!sorted)
          std::reverse(csr.columns.end() - 200, csr.columns.end());
        Space space = *Space::whole({rows, extent}, OrderKind::Rows);
        EXPECT_EQ(countRows(csr.view(), space, min).has_value(),
                  min >= 16 && (sorted || extent == 1 || min > 200));
        Profile profile = *countProfile(csr.view(), space, {min, 2});
        expectSameBins(profile, countByDefinition(csr.view(), space, min));
        EXPECT_EQ(profile.fingerprint, fingerprintPattern(csr.view()));
        EXPECT_TRUE(profile.check());
      }
}

TEST(Profile, RefusesColumnsOutOfRangeInRowsOfCsr) {
  CsrRows csr(37, 1000);
  Space space = *Space::whole({37, 1000}, OrderKind::Rows);
  csr.columns.back() = 1000;
  EXPECT_EQ(countProfile(csr.view(), space, {256, 1}).message(),
            "nonzero " + std::to_string(csr.columns.size() - 1) +
                ": expected a coordinate of mode 1 below 1000 but got 1000");
}

TEST(Profile, SingleCellsAreNotSplit) {
  Pattern repeated{{1000, 1000}, {{}, {}}};
  repeated.modes[0].assign(500, 999);
  repeated.modes[1].assign(500, 7);
  Space space = *Space::whole({1000, 1000}, OrderKind::Hilbert);
  expectDefinition(repeated, space, 2);
  Profile profile = *countProfile(repeated.view(), space, {2, 1});
  ASSERT_EQ(profile.size(), 1u);
  EXPECT_EQ(profile.length[0], 20);
}

TEST(Profile, OneDenseRowAndColumn) {
  Pattern cross{{500, 700}, {{}, {}}};
  for (int32_t i = 0; i < 500; ++i) {
    cross.modes[0].push_back(i);
    cross.modes[1].push_back(123);
  }
  for (int32_t j = 0; j < 700; ++j) {
    cross.modes[0].push_back(321);
    cross.modes[1].push_back(j);
  }
  for (OrderKind kind : {OrderKind::Rows, OrderKind::Hilbert})
    expectDefinition(cross, *Space::whole(cross.shape, kind), 32);
}

TEST(Profile, NothingHasNoBins) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{0, 0}, {0, 5}, {5, 5}, {1}}) {
    Pattern none{shape, std::vector<std::vector<int32_t>>(shape.size())};
    expectDefinition(none, *Space::whole(shape, OrderKind::Hilbert), 1);
  }
}

TEST(Profile, CountsPartsApart) {
  Pattern pattern = Pattern::random({40, 30}, 2000, 5);
  Space space = *Space::whole({40, 30}, OrderKind::Hilbert);
  space.parts = {{{0, 0}, {2, 30}, OrderKind::Rows, 10},
                 {{2, 0}, {38, 30}, OrderKind::Hilbert, 10}};
  expectDefinition(pattern, space, 8);
  Profile profile = *countProfile(pattern.view(), space, {8, 1});
  EXPECT_EQ(profile.part.front(), 0u);
  EXPECT_EQ(profile.part.back(), 1u);
}

TEST(Profile, DoesNotDependOnThreads) {
  // Enough for pieces that all threads share, and for pieces dealt out.
  Pattern pattern = Pattern::random({1 << 20, 1 << 20}, 2500000, 3);
  for (size_t n = 0; n < 1100000; ++n)
    pattern.modes[0][n] = pattern.modes[1][n] = int32_t(n % 64);
  Space space = *Space::whole(pattern.shape, OrderKind::Hilbert);
  Profile one = *countProfile(pattern.view(), space, {64, 1});
  Profile four = *countProfile(pattern.view(), space, {64, 4});
  expectSameBins(one, four);
  EXPECT_EQ(one.fingerprint, four.fingerprint);
  EXPECT_EQ(one.fingerprint, fingerprintPattern(pattern.view()));
  EXPECT_EQ(one.totalNonzeros(), 2500000);
}

TEST(Profile, RefusesWhatItCannotCount) {
  Pattern pattern = Pattern::random({4, 4}, 10, 1);
  Space space = *Space::whole({4, 4}, OrderKind::Rows);
  EXPECT_EQ(countProfile(pattern.view(), space, {0, 1}).message(),
            "expected min of at least 1 but got 0");
  EXPECT_EQ(
      countProfile(pattern.view(), *Space::whole({4, 5}, OrderKind::Rows), {})
          .message(),
      "expected a tensor of shape 4x5 but got 4x4");
  pattern.modes[1][3] = 4;
  EXPECT_EQ(countProfile(pattern.view(), space, {}).message(),
            "nonzero 3: expected a coordinate of mode 1 below 4 but got 4");
  space.parts.clear();
  EXPECT_EQ(countProfile(pattern.view(), space, {}).message(),
            "expected at least one part but got none");
}

TEST(Profile, MeasuredNeedsCyclesOfEveryBin) {
  Profile profile = twoBins();
  EXPECT_FALSE(profile.measured());
  profile.cycles = {100, -1};
  EXPECT_EQ(message(profile), "");
  EXPECT_FALSE(profile.measured());
  profile.cycles = {100, 0};
  EXPECT_TRUE(profile.measured());
}

TEST(Profile, ChecksItsBins) {
  EXPECT_EQ(message(twoBins()), "");
  auto check = [](void (*spoil)(Profile &)) {
    Profile profile = twoBins();
    spoil(profile);
    return message(profile);
  };
  EXPECT_EQ(check([](Profile &p) { p.part[1] = 1; }),
            "bin 1: expected a part below 1 but got 1");
  EXPECT_EQ(check([](Profile &p) { p.length[1] = 5; }),
            "bin 1: expected a prefix of at most 4 bits but got 5");
  EXPECT_EQ(check([](Profile &p) { p.prefix[1] |= uint64_t(1) << 60; }),
            "bin 1: expected zeros after the prefix but got other bits");
  EXPECT_EQ(check([](Profile &p) { std::swap(p.prefix[0], p.prefix[1]); }),
            "bin 1: expected bins in ascending curve order and disjoint but "
            "got '00' after '1'");
  EXPECT_EQ(check([](Profile &p) { p.length[0] = 0; }),
            "bin 1: expected bins in ascending curve order and disjoint but "
            "got '10' after ''");
  EXPECT_EQ(check([](Profile &p) { p.nonzeros[0] = 0; }),
            "bin 0: expected a positive number of nonzeros but got 0");
  EXPECT_EQ(check([](Profile &p) { p.bytes = {1, -2}; }),
            "bin 1: expected a count, or -1 where unknown, but got -2");
  EXPECT_EQ(check([](Profile &p) { p.nonzeros = {INT64_MAX, 1}; }),
            "bin 1: expected totals below 2^63 but got 1 more");
  EXPECT_EQ(check([](Profile &p) { p.cycles = {INT64_MAX, 2}; }),
            "bin 1: expected totals below 2^63 but got 2 more");
  EXPECT_EQ(check([](Profile &p) { p.cycles = {INT64_MAX, -1}; }), "");
}

TEST(Profile, ChecksTheLengthsOfItsLists) {
  auto check = [](void (*spoil)(Profile &)) {
    Profile profile = twoBins();
    spoil(profile);
    return message(profile);
  };
  const std::string got = ", which is 2, but got 1";
  const std::string expected = "expected one entry per bin in ";
  EXPECT_EQ(check([](Profile &p) { p.part.pop_back(); }),
            expected + "part" + got);
  EXPECT_EQ(check([](Profile &p) { p.length.pop_back(); }),
            expected + "length" + got);
  EXPECT_EQ(check([](Profile &p) { p.nonzeros.pop_back(); }),
            expected + "nonzeros" + got);
  EXPECT_EQ(check([](Profile &p) { p.cycles = {1}; }),
            expected + "cycles" + got);
  EXPECT_EQ(check([](Profile &p) { p.bytes = {1}; }), expected + "bytes" + got);
  EXPECT_EQ(check([](Profile &p) { p.space.parts.clear(); }),
            "expected at least one part but got none");
}
