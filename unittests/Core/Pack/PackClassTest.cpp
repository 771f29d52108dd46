//===- PackClassTest.cpp - which class a run of rows gets -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "PackOracle.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace astfe::core;

TEST(PackClass, FullTilesBecomeDense) {
  CooTensor tensor = tileMatrix(40, 40, 5, 8, 4, 4);
  PackOptions options;
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, options);
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::DenseTile)}));
  EXPECT_EQ(result.spanColumn, std::vector<int64_t>({8}));
  EXPECT_EQ(result.spanWidth, std::vector<int32_t>({4}));
  // Not where they are not permitted, nor below four rows or four columns.
  options.layout.classes =
      ClassSet::of(SegmentClass::Scattered).with(SegmentClass::RowSegments);
  EXPECT_EQ(
      spansOf(packed(tensor.view(), graph, options), SegmentClass::DenseTile),
      0);
  for (CooTensor small :
       {tileMatrix(40, 40, 5, 8, 3, 9), tileMatrix(40, 40, 5, 8, 9, 3)})
    EXPECT_EQ(spansOf(packed(small.view(), graph, {}), SegmentClass::DenseTile),
              0);
}

TEST(PackClass, BesideSlicesDenseTilesFillVectors) {
  auto tilesOf = [](int64_t columns, bool oneColumn, bool finite) {
    CooTensor tensor = tileMatrix(40, 40, 5, 8, 8, columns);
    PackOptions options;
    options.layout.assumeFinite = finite;
    DenseUse use;
    use.oneColumn = oneColumn;
    use.least = use.most = oneColumn ? 0 : 32;
    chooseForHost(options.layout, use);
    Packed result = packed(
        tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1000), options);
    expectExact(tensor.view(), result);
    return spansOf(result, SegmentClass::DenseTile);
  };
  for (bool finite : {false, true}) {
    EXPECT_EQ(tilesOf(15, /*oneColumn=*/true, finite), 0);
    EXPECT_EQ(tilesOf(16, /*oneColumn=*/true, finite), 1);
    EXPECT_EQ(tilesOf(15, /*oneColumn=*/false, finite), 1);
  }
}

TEST(PackClass, ADuplicateIsNoTile) {
  CooTensor tensor = tileMatrix(40, 40, 5, 8, 4, 6);
  // Row 5 has six entries over six columns, but one of them twice.
  tensor.coordinates[1][1] = 8;
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Layout layout;
  layout.assumeFinite = true;
  for (const Layout &each : {Layout(), layout}) {
    Packed result = packed(tensor.view(), graph, {each, 1});
    EXPECT_EQ(spansOf(result, SegmentClass::DenseTile), 0);
    expectExact(tensor.view(), result);
  }
}

TEST(PackClass, TilesAreZeroFilledOnlyForFiniteOperands) {
  CooTensor tensor = tileMatrix(40, 40, 5, 8, 6, 8);
  for (auto *list : {&tensor.coordinates[0], &tensor.coordinates[1]})
    list->erase(list->begin() + 11);
  tensor.values.pop_back();
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  PackOptions options;
  Packed strict = packed(tensor.view(), graph, options);
  EXPECT_EQ(strict.slots, 47);
  options.layout.assumeFinite = true;
  Packed filled = packed(tensor.view(), graph, options);
  EXPECT_EQ(filled.slots, 48);
  EXPECT_EQ(filled.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::DenseTile)}));
  expectExact(tensor.view(), filled);
}

TEST(PackClass, ZeroFilledTilesAreThreeQuartersFull) {
  // Four rows over columns 0..9, each without some of its inner ones.
  auto rowsOf = [](int64_t holes) {
    CooTensor tensor{{4, 10}, {{}, {}}, {}};
    for (int64_t row = 0; row < 4; ++row)
      for (int64_t column = 0; column < 10; ++column)
        if (column == 0 || column == 9 || (column - 1) * 4 + row >= holes) {
          tensor.coordinates[0].push_back(row);
          tensor.coordinates[1].push_back(column);
          tensor.values.push_back(1);
        }
    return tensor;
  };
  PackOptions options;
  options.layout.assumeFinite = true;
  for (int64_t holes : {0, 10, 11, 16}) {
    CooTensor tensor = rowsOf(holes);
    Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
    Packed result = packed(tensor.view(), graph, options);
    expectExact(tensor.view(), result);
    EXPECT_EQ(result.slots, holes <= 10 ? 40 : 40 - holes);
  }
}

TEST(PackClass, RowsOfATileCoverTheSameColumns) {
  CooTensor stairs{{8, 20}, {{}, {}}, {}};
  for (int64_t row = 0; row < 8; ++row)
    for (int64_t column = 0; column < 5 + row; ++column) {
      stairs.coordinates[0].push_back(row);
      stairs.coordinates[1].push_back(column);
      stairs.values.push_back(1);
    }
  Packed result =
      packed(stairs.view(), graphOf(stairs.view(), OrderKind::Rows, 1000), {});
  EXPECT_EQ(spansOf(result, SegmentClass::DenseTile), 0);
  expectExact(stairs.view(), result);
}

TEST(PackClass, ShortRowsAreScattered) {
  CooTensor diagonal{{100, 100}, {{}, {}}, {}};
  for (int64_t i = 0; i < 100; ++i) {
    diagonal.coordinates[0].push_back(i);
    diagonal.coordinates[1].push_back(99 - i);
    diagonal.values.push_back(1);
  }
  Graph graph = graphOf(diagonal.view(), OrderKind::Rows, 1000);
  EXPECT_EQ(
      spansOf(packed(diagonal.view(), graph, {}), SegmentClass::Scattered), 1);
  // Two in each row are enough for row segments.
  CooTensor pairs = tileMatrix(50, 2, 0, 0, 50, 2);
  Graph pairGraph = graphOf(pairs.view(), OrderKind::Rows, 1000);
  EXPECT_EQ(
      spansOf(packed(pairs.view(), pairGraph, {}), SegmentClass::RowSegments),
      1);
}

TEST(PackClass, ATileCutInsideARowKeepsItsWholeRows) {
  CooTensor tensor = tileMatrix(8, 100, 0, 0, 8, 100);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 100000);
  PackOptions options;
  options.workers = 3; // 800 slots: cuts at 266 or 267 and 533
  Packed result = packed(tensor.view(), graph, options);
  expectExact(tensor.view(), result);
  EXPECT_EQ(spansOf(result, SegmentClass::DenseTile), 3);
  EXPECT_EQ(spansOf(result, SegmentClass::RowSegments), 4);
  EXPECT_EQ(result.combineRow, std::vector<int32_t>({2, 5}));
  options.layout.classes =
      ClassSet::of(SegmentClass::Scattered).with(SegmentClass::DenseTile);
  Packed scattered = packed(tensor.view(), graph, options);
  expectExact(tensor.view(), scattered);
  EXPECT_EQ(spansOf(scattered, SegmentClass::Scattered), 4);
}

TEST(PackClass, TilesStayWithinTheLimitOfSpans) {
  for (bool finite : {false, true})
    for (int64_t limit : {5, 99, 100, 250}) {
      CooTensor tensor = tileMatrix(8, 100, 0, 0, 8, 100);
      PackOptions options;
      options.layout.assumeFinite = finite;
      options.maxSpanSlots = limit;
      Packed result =
          packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 100000),
                 options);
      expectExact(tensor.view(), result);
      EXPECT_EQ(spansOf(result, SegmentClass::DenseTile),
                limit < 100 ? 0 : 8 / (limit / 100));
    }
}

TEST(PackClass, WhatIsNotPermittedBecomesWhatIs) {
  // Rows of one nonzero, which are scattered where that is permitted.
  CooTensor tensor = rowsOfLengths(std::vector<int64_t>(40, 1));
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  for (SegmentClass only :
       {SegmentClass::Scattered, SegmentClass::RowSegments}) {
    PackOptions options;
    options.layout.classes = ClassSet::of(only);
    Packed result = packed(tensor.view(), graph, options);
    EXPECT_EQ(result.classes(), options.layout.classes);
    expectExact(tensor.view(), result);
  }
  EXPECT_EQ(packed(tensor.view(), graph, {}).classes(),
            ClassSet::of(SegmentClass::Scattered));
}

//===----------------------------------------------------------------------===//
// Tiles of rows
//===----------------------------------------------------------------------===//

namespace {

/// Rows with these columns, from row 1 on.
CooTensor rowsWith(const std::vector<std::vector<int64_t>> &columns,
                   int64_t width) {
  CooTensor tensor{{int64_t(columns.size()) + 1, width}, {{}, {}}, {}};
  for (size_t row = 0; row < columns.size(); ++row)
    for (int64_t column : columns[row]) {
      tensor.coordinates[0].push_back(int64_t(row) + 1);
      tensor.coordinates[1].push_back(column);
      tensor.values.push_back(1);
    }
  return tensor;
}

Layout tiledLayout(uint8_t columnBits = 32) {
  Layout layout;
  layout.columnBits = columnBits;
  layout.classes = ClassSet::general().with(SegmentClass::RowTiles);
  return layout;
}

/// The rows of each tile really have the same columns, each once, and there is
/// no run of rows beside tiles that should be one.
void expectTiles(const Packed &packed) {
  std::vector<std::set<int64_t>> columnsOf(size_t(packed.segments()));
  std::vector<int64_t> slotsOf(size_t(packed.segments()));
  for (size_t s = 0; s < size_t(packed.spans()); ++s) {
    std::vector<int64_t> segments = segmentOfSlots(packed, s);
    for (size_t k = 0; k < segments.size(); ++k) {
      size_t slot = size_t(packed.spanSlot[s]) + k;
      columnsOf[size_t(segments[k])].insert(packed.columns32[slot]);
      ++slotsOf[size_t(segments[k])];
    }
  }
  for (size_t s = 0; s < size_t(packed.spans()); ++s) {
    bool tile = SegmentClass(packed.spanClass[s]) == SegmentClass::RowTiles;
    size_t alike = 1;
    for (int64_t g = packed.spanSegment[s]; g < packed.spanSegment[s + 1];
         ++g) {
      const auto &columns = columnsOf[size_t(g)];
      bool same = g > packed.spanSegment[s] &&
                  columns == columnsOf[size_t(g) - 1] &&
                  slotsOf[size_t(g)] == int64_t(columns.size());
      alike = same ? alike + 1 : 1;
      if (tile) {
        EXPECT_EQ(int64_t(columns.size()), packed.spanWidth[s]);
        EXPECT_TRUE(same || g == packed.spanSegment[s]);
      } else if (columns.size() >= 4) {
        EXPECT_LT(alike, 4u) << "at segment " << g;
      }
    }
  }
}

} // namespace

TEST(PackClass, RowsWithTheSameColumnsAreATile) {
  const std::vector<int64_t> a{3, 8, 9, 40, 77}, b{3, 8, 9, 41, 77};
  CooTensor tensor = rowsWith({b, a, a, a, a, a, b, b, b}, 80);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, {tiledLayout(), 1});
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::RowSegments),
                                  int32_t(SegmentClass::RowTiles),
                                  int32_t(SegmentClass::RowSegments)}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 1, 6, 9}));
  EXPECT_EQ(result.spanWidth, std::vector<int32_t>({0, 5, 0}));
  expectTiles(result);
  for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert})
    for (uint8_t bits : {8, 16, 32})
      for (int64_t workers : {1, 2, 3, 11})
        for (int64_t limit : {1, 4, 13, 1 << 20})
          expectExact(tensor.view(),
                      packed(tensor.view(), graphOf(tensor.view(), order, 20),
                             {tiledLayout(bits), workers, 1, limit}));
  // Not where they are not permitted, below four rows or four columns.
  EXPECT_EQ(spansOf(packed(tensor.view(), graph, {}), SegmentClass::RowTiles),
            0);
  for (const CooTensor &small :
       {rowsWith({a, a, a}, 80),
        rowsWith({{1, 5, 9}, {1, 5, 9}, {1, 5, 9}, {1, 5, 9}, {1, 5, 9}}, 80)})
    EXPECT_EQ(spansOf(packed(small.view(),
                             graphOf(small.view(), OrderKind::Rows, 1000),
                             {tiledLayout(), 1}),
                      SegmentClass::RowTiles),
              0);
}

TEST(PackClass, ConsecutiveColumnsAreADenseTileFirst) {
  CooTensor tensor = tileMatrix(40, 40, 5, 8, 6, 4);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, {tiledLayout(), 1});
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::DenseTile)}));
}

TEST(PackClass, RowsWithADuplicateAreNoTile) {
  const std::vector<int64_t> twice{3, 8, 8, 40, 77};
  CooTensor tensor = rowsWith({twice, twice, twice, twice, twice}, 80);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, {tiledLayout(), 1});
  EXPECT_EQ(spansOf(result, SegmentClass::RowTiles), 0);
  expectExact(tensor.view(), result);
}

TEST(PackClass, TilesAreFoundInAnyMatrix) {
  // Rows of four kinds, so that runs of any length come up.
  std::mt19937 random(7);
  for (int kinds : {1, 2, 4}) {
    std::vector<std::vector<int64_t>> rows;
    for (int row = 0; row < 300; ++row) {
      int64_t kind = rows.empty() || random() % 3 == 0
                         ? int64_t(random() % unsigned(kinds))
                         : rows.back().front();
      std::vector<int64_t> columns{kind};
      for (int64_t k = 1; k < 3 + kind; ++k)
        columns.push_back(kind + 7 * k);
      rows.push_back(columns);
    }
    CooTensor tensor = rowsWith(rows, 100);
    Graph graph = graphOf(tensor.view(), OrderKind::Rows, 100000);
    Packed result = packed(tensor.view(), graph, {tiledLayout(), 1});
    EXPECT_EQ(spansOf(result, SegmentClass::RowTiles) > 0, kinds > 1);
    expectTiles(result);
    expectExact(tensor.view(), result);
  }
}
