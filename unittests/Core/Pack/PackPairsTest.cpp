//===- PackPairsTest.cpp - rows of windows that share columns -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/PackPairs.h"
#include "ASTFE/Core/Pack/PackedFile.h"
#include "PackOracle.h"
#include <cstdio>
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

constexpr auto kPairs = int32_t(SegmentClass::RowPairs);

Layout pairedLayout(uint8_t columnBits = 32) {
  Layout layout;
  layout.columnBits = columnBits;
  layout.classes = ClassSet::of(SegmentClass::Scattered)
                       .with(SegmentClass::RowWindows)
                       .with(SegmentClass::RowPairs);
  return layout;
}

/// Each element is a nonzero with probability `density`; of those some come
/// twice, and one in ten has the value 0.
CooTensor randomMatrix(int64_t rows, int64_t columns, double density,
                       unsigned seed, double twice = 0.1) {
  std::mt19937 random(seed);
  auto chance = [&](double p) {
    return std::uniform_real_distribution<double>(0, 1)(random) < p;
  };
  CooTensor tensor{{rows, columns}, {{}, {}}, {}};
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      if (chance(density))
        for (int copy = chance(twice) ? 2 : 1; copy > 0; --copy) {
          tensor.coordinates[0].push_back(row);
          tensor.coordinates[1].push_back(column);
          tensor.values.push_back(chance(0.1) ? 0 : 1);
        }
  return tensor;
}

/// Slots of the first segments of all pairs, and of all spans of pairs.
std::pair<int64_t, int64_t> sharedAndAll(const Packed &packed) {
  int64_t shared = 0, all = 0;
  for (size_t s = 0; s < size_t(packed.spans()); ++s) {
    if (packed.spanClass[s] != kPairs)
      continue;
    int64_t begin = 0;
    for (int64_t g = packed.spanSegment[s]; g < packed.spanSegment[s + 1];
         g += kPairSegments) {
      shared += packed.segmentEnd[size_t(g)] - begin;
      begin = packed.segmentEnd[size_t(g) + 2];
    }
    all += packed.spanSlot[s + 1] - packed.spanSlot[s];
  }
  return {shared, all};
}

} // namespace

TEST(PackPairs, WorkedExampleOfTheHeader) {
  const std::vector<RowRun> rows{{0, 4}, {4, 7}};
  const std::vector<int32_t> column{1, 3, 5, 6, 2, 3, 6};
  SharedFirst split;
  split.split(rows[0], rows[1], column.data());
  EXPECT_EQ(split.first, std::vector<int64_t>({1, 3, 0, 2}));
  EXPECT_EQ(split.second, std::vector<int64_t>({5, 6, 4}));
  const std::vector<int32_t> stored{3, 6, 1, 5, 3, 6, 2};
  EXPECT_EQ(sharedOf({0, 4}, {4, 7}, stored.data()), 2);
}

TEST(PackPairs, RowsGoWithThoseThatShareMost) {
  // Rows 0 and 2, 1 and 3 are nearly the same; row 4 shares with none.
  const std::vector<std::vector<int32_t>> columns{{0, 2, 4, 6, 8, 10, 12},
                                                  {1, 3, 5, 7, 9, 11, 13},
                                                  {0, 2, 4, 6, 8, 10},
                                                  {1, 3, 5, 7, 9, 11},
                                                  {14}};
  std::vector<RowRun> rows;
  std::vector<int32_t> all;
  for (const auto &row : columns) {
    rows.push_back({int64_t(all.size()), int64_t(all.size() + row.size())});
    for (int32_t column : row)
      all.push_back(100 + column);
  }
  Pairing pairing = pairRows(rows, all.data(), 100);
  EXPECT_EQ(pairing.paired, std::vector<size_t>({0, 2, 1, 3}));
  EXPECT_EQ(pairing.single, std::vector<size_t>({4}));
}

TEST(PackPairs, TooLittleIsNotShared) {
  // Two rows of 15 share five columns: a sixth. Four are less.
  for (int32_t first : {10, 11}) {
    std::vector<int32_t> column;
    for (int32_t i = 0; i < 15; ++i)
      column.push_back(i);
    for (int32_t i = 0; i < 15; ++i)
      column.push_back(first + i);
    EXPECT_EQ(pairRows({{0, 15}, {15, 30}}, column.data(), 0).paired.size(),
              first == 10 ? 2u : 0u);
  }
}

TEST(PackPairs, FewColumnsArePaidForByNoPair) {
  // Half of what the rows have, but four columns or five.
  for (int64_t count : {8, 10}) {
    std::vector<int32_t> column;
    for (int32_t row = 0; row < 2; ++row)
      for (int32_t i = 0; i < count; ++i)
        column.push_back(i < count / 2 ? i : 20 * (row + 1) + i);
    EXPECT_EQ(pairRows({{0, count}, {count, 2 * count}}, column.data(), 0)
                  .paired.size(),
              count == 10 ? 2u : 0u);
  }
}

TEST(PackPairs, CopiesAreSharedOneToOne) {
  const std::vector<int32_t> column{1, 1, 1, 4, 1, 1, 4, 4};
  SharedFirst split;
  split.split({0, 4}, {4, 8}, column.data());
  EXPECT_EQ(split.first, std::vector<int64_t>({0, 1, 3, 2}));
  EXPECT_EQ(split.second, std::vector<int64_t>({4, 5, 6, 7}));
  // Something is left of the first row, be they equal or not.
  EXPECT_EQ(sharedOf({0, 3}, {0, 3}, column.data()), 2);
  EXPECT_EQ(sharedOf({0, 1}, {4, 8}, column.data()), 0);
}

TEST(PackPairs, RandomMatricesAreExact) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const double density = 0.15 + 0.1 * seed;
    CooTensor tensor = randomMatrix(60 + 7 * seed, 230, density, seed);
    for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert}) {
      Graph graph = graphOf(tensor.view(), order, 3000, 1);
      for (uint8_t bits : {8, 16, 32})
        for (int64_t workers : {1, 3, 11, 300})
          for (int64_t limit : {7, 90, 1 << 20}) {
            PackOptions options{pairedLayout(bits), workers, 1, 0, limit};
            Packed result = packed(tensor.view(), graph, options);
            expectExact(tensor.view(), result);
            // A curve's groups are as small as a window, so that rows which
            // repeat the row before are not cut.
            const bool repeats = order == OrderKind::Hilbert && density > 0.5;
            if (workers == 1 && limit > 90 && density > 0.2 && !repeats)
              EXPECT_GT(sharedAndAll(result).first, 0) << seed;
          }
    }
  }
}

TEST(PackPairs, PrunedLayersShareWhatTheHeaderSays) {
  CooTensor tensor = randomMatrix(256, 960, 0.25, 1, /*twice=*/0);
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1 << 20, 1),
             {pairedLayout(16), 1});
  auto [shared, all] = sharedAndAll(result);
  EXPECT_EQ(all, tensor.nonzeros());
  EXPECT_NEAR(2 * double(shared) / double(all), 0.4, 0.03);
}

TEST(PackPairs, ThreadsChangeNothing) {
  CooTensor tensor = randomMatrix(700, 900, 0.25, 9);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 2000, 1);
  Packed one = packed(tensor.view(), graph, {pairedLayout(8), 4, 1});
  for (unsigned threads : {2, 5}) {
    Packed several =
        packed(tensor.view(), graph, {pairedLayout(8), 4, threads});
    EXPECT_EQ(several.slotOf, one.slotOf);
    EXPECT_EQ(several.segmentEnd, one.segmentEnd);
    EXPECT_EQ(several.segmentTarget, one.segmentTarget);
    EXPECT_EQ(several.columns8, one.columns8);
  }
}

TEST(PackPairs, CutPairsBecomeRowsOfAWindow) {
  // Pairs of 60 and more nonzeros, which no worker of 20 holds.
  CooTensor tensor = randomMatrix(64, 96, 0.4, 3);
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1 << 20, 1),
             {pairedLayout(8), tensor.nonzeros() / 20});
  EXPECT_EQ(result.classes(), ClassSet::of(SegmentClass::RowWindows));
  expectExact(tensor.view(), result);
  result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1 << 20, 1),
             {pairedLayout(8), 3});
  EXPECT_TRUE(result.classes().contains(SegmentClass::RowPairs));
  EXPECT_TRUE(result.classes().contains(SegmentClass::RowWindows));
}

TEST(PackPairs, CorruptTablesAreRefused) {
  CooTensor tensor = randomMatrix(40, 96, 0.4, 2);
  Packed good =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1 << 20, 1),
             {pairedLayout(), 1});
  ASSERT_EQ(good.spanClass[0], kPairs);
  auto refused = [&](auto corrupt) {
    Packed bad = good;
    corrupt(bad);
    Status status = bad.check();
    return status ? "fine" : status.message();
  };
  EXPECT_EQ(refused([](Packed &) {}), "fine");
  const int64_t second = good.segmentEnd[1];
  EXPECT_EQ(refused([&](Packed &p) {
              std::swap(p.columns32[size_t(second)],
                        p.columns32[size_t(second) + 1]);
            }),
            "expected the stored column of slot " + std::to_string(second) +
                " of a pair to be " + std::to_string(good.columns32[0]) +
                " but got " + std::to_string(good.columns32[1]));
  EXPECT_EQ(refused([](Packed &p) {
              p.segmentRow[1] = p.segmentTarget[1] = p.segmentRow[2];
            }),
            "expected segments 0 and 1 of a pair to be of one row");
  EXPECT_EQ(refused([&](Packed &p) {
              p.segmentEnd[1] = p.segmentEnd[2] - p.segmentEnd[0] + 1;
            }),
            "expected the second row of the pair at segment 0 to have at least "
            "slots " +
                std::to_string(good.segmentEnd[0]) + " but got " +
                std::to_string(good.segmentEnd[0] - 1));
  EXPECT_EQ(refused([](Packed &p) {
              for (auto *table :
                   {&p.segmentRow, &p.segmentTarget, &p.segmentEnd})
                table->erase(table->begin());
              for (size_t s = 1; s < p.spanSegment.size(); ++s)
                p.spanSegment[s] -= 1;
            }),
            "expected the segments of span 0 to make pairs of 3 but got " +
                std::to_string(good.spanSegment[1] - 1));
  EXPECT_EQ(refused([](Packed &p) { p.spanWidth[0] = 193; }),
            "expected spanWidth[0] to stay inside the columns but got 193");
  Layout layout = pairedLayout();
  layout.classes = layout.classes.without(SegmentClass::RowWindows);
  EXPECT_EQ(layout.check().message(),
            "expected 'row_windows' beside 'row_pairs'");
}

TEST(PackPairs, FilesKeepPairsAndAreProved) {
  CooTensor tensor = randomMatrix(40, 96, 0.4, 2);
  PackedTensor written;
  written.pattern =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1 << 20, 1),
             {pairedLayout(8), 2});
  written.values32.assign(size_t(written.pattern.slots), 1);
  const std::string path = testing::TempDir() + "astfe-pairs.packed";
  ASSERT_TRUE(writePacked(path, written));
  Result<PackedTensor> read = readPacked(path);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->pattern.spanClass, written.pattern.spanClass);
  expectExact(tensor.view(), read->pattern);
  // The checksum is right, the table is not.
  ASSERT_EQ(written.pattern.spanClass[0], kPairs);
  ++written.pattern.columns8[size_t(written.pattern.segmentEnd[1])];
  ASSERT_TRUE(writePacked(path, written));
  Result<PackedTensor> refused = readPacked(path);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.message().find("of a pair to be"), std::string::npos)
      << refused.message();
  std::remove(path.c_str());
}
