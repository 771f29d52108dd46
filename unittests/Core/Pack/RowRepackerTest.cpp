//===- RowRepackerTest.cpp - slices and windows of rows -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "PackOracle.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace astfe::core;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static Layout slicedLayout(uint8_t columnBits = 32) {
  Layout layout;
  layout.columnBits = columnBits;
  layout.classes = ClassSet::all();
  return layout;
}

TEST(RowRepacker, RowsOfLikeLengthAreSlicedWithTheLongestFirst) {
  // 15 rows of five and one of six, in the middle.
  std::vector<int64_t> lengths(16, 5);
  lengths[5] = 6;
  CooTensor tensor = rowsOfLengths(lengths);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, {slicedLayout(), 1});
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::RowSlices)}));
  Table<int32_t> rows{5};
  for (int32_t row = 0; row < 16; ++row)
    if (row != 5)
      rows.push_back(row);
  EXPECT_EQ(result.segmentRow, rows);
  // First nonzeros of all rows, second ones, ..., then what row 5 has left.
  Table<int32_t> columns;
  for (int32_t round = 0; round < 5; ++round)
    for (int32_t row : rows)
      columns.push_back(row + 7 * round);
  columns.push_back(5 + 7 * 5);
  EXPECT_EQ(result.columns32, columns);
  EXPECT_EQ(result.slots, result.nonzeros);
  EXPECT_EQ(segmentOfSlots(result, 0)[79], 15);
  EXPECT_EQ(segmentOfSlots(result, 0)[80], 0);
  expectExact(tensor.view(), result);
  // Not unless permitted.
  EXPECT_EQ(spansOf(packed(tensor.view(), graph, {}), SegmentClass::RowSlices),
            0);
}

TEST(RowRepacker, WorkersThatTakeSlicesShareFewRowsOfTheOutput) {
  // Long and short rows take turns; sorted all together, each worker would
  // write every other row.
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < 4096; ++row)
    lengths.push_back(row % 2 ? 3 : 6);
  CooTensor tensor = rowsOfLengths(lengths);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 100000);
  Packed result = packed(tensor.view(), graph, {slicedLayout(), 2});
  EXPECT_GT(spansOf(result, SegmentClass::RowSlices), 0);
  int32_t last = 0, first = 4096;
  for (int64_t s = 0; s < result.spans(); ++s)
    for (int64_t g = result.spanSegment[size_t(s)];
         g < result.spanSegment[size_t(s) + 1]; ++g) {
      int32_t row =
          std::max(result.segmentRow[size_t(g)], ~result.segmentRow[size_t(g)]);
      if (s < result.workerSpan[1])
        last = std::max(last, row);
      else
        first = std::min(first, row);
    }
  EXPECT_LT(last - first, 512);
  expectExact(tensor.view(), result);
}

TEST(RowRepacker, RowsThatFillNoSliceAreStoredByRows) {
  // 16 rows of four, 16 of one, and a long one: slices of at least four fifths.
  std::vector<int64_t> lengths(16, 4);
  lengths.push_back(90);
  lengths.resize(33, 1);
  CooTensor tensor = rowsOfLengths(lengths);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, {slicedLayout(), 1});
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::RowSlices),
                                  int32_t(SegmentClass::RowSegments)}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 32, 33}));
  EXPECT_EQ(result.segmentRow.back(), 16);
  expectExact(tensor.view(), result);
}

TEST(RowRepacker, SlicesTakeRowsOfSeveralGroups) {
  CooTensor tensor = rowsOfLengths(std::vector<int64_t>(64, 5));
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 20, 1);
  ASSERT_GT(graph.groupCount(), 8u);
  Packed result = packed(tensor.view(), graph, {slicedLayout(16), 1});
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({int32_t(SegmentClass::RowSlices)}));
  EXPECT_EQ(result.spanColumn, std::vector<int64_t>({0}));
  // Rows that follow each other in the graph's order only.
  for (OrderKind order : {OrderKind::Hilbert, OrderKind::Morton}) {
    graph = graphOf(tensor.view(), order, 8, 1);
    for (uint8_t bits : {8, 16, 32})
      expectExact(tensor.view(),
                  packed(tensor.view(), graph, {slicedLayout(bits), 3}));
  }
}

TEST(RowRepacker, ASliceThatAWorkerEndsInIsScatteredThere) {
  CooTensor tensor = rowsOfLengths(std::vector<int64_t>(48, 10));
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, {slicedLayout(), 2});
  // 240 slots each: a slice and half of the next one.
  EXPECT_EQ(result.workerOffsets(), std::vector<int64_t>({0, 240, 480}));
  const int32_t sliced = int32_t(SegmentClass::RowSlices),
                scattered = int32_t(SegmentClass::Scattered);
  EXPECT_EQ(result.spanClass,
            std::vector<int32_t>({sliced, scattered, scattered, sliced}));
  expectExact(tensor.view(), result);
  for (int64_t workers : {1, 3, 7, 100})
    for (int64_t limit : {1, 9, 161, 1 << 20})
      expectExact(tensor.view(), packed(tensor.view(), graph,
                                        {slicedLayout(), workers, 1, limit}));
}

//===----------------------------------------------------------------------===//
// Rows by length
//===----------------------------------------------------------------------===//

/// Products over rows of `bytes` of the dense operand, on hosts.
static PackOptions narrow(int64_t bytes, int64_t workers = 1) {
  PackOptions options;
  options.layout.denseBytes = bytes;
  options.workers = workers;
  return options;
}

/// Rows of 2 to 6 nonzeros, each of another length than the one before.
static CooTensor rowsOfManyLengths(int64_t rows) {
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < rows; ++row)
    lengths.push_back(2 + row * row % 3 + row % 3);
  return rowsOfLengths(lengths);
}

static bool areAsTheyCame(const Packed &packed) {
  return std::is_sorted(packed.segmentRow.begin(), packed.segmentRow.end());
}

TEST(RowRepacker, RowsOfManyLengthsAreSortedAmong512) {
  constexpr int64_t kRows = 16384;
  CooTensor tensor = rowsOfManyLengths(kRows);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 100000);
  Packed result = packed(tensor.view(), graph, narrow(32));
  ASSERT_EQ(result.segments(), kRows);
  EXPECT_EQ(result.spans(), spansOf(result, SegmentClass::RowSegments));
  int64_t surprises = 0, last = 0;
  for (int64_t g = 0; g < kRows; ++g) {
    EXPECT_EQ(result.segmentRow[size_t(g)] / 512, g / 512);
    const int64_t begin = g ? result.segmentEnd[size_t(g) - 1] : 0;
    const int64_t length = result.segmentEnd[size_t(g)] - begin;
    surprises += length != last;
    last = length;
  }
  EXPECT_LE(surprises, kRows / 512 * 5);
  for (int64_t workers : {1, 3, 64})
    for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert})
      expectExact(tensor.view(),
                  packed(tensor.view(), graphOf(tensor.view(), order, 100000),
                         narrow(128, workers)));
}

TEST(RowRepacker, SoAreRowsTooShortForTheirEnds) {
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < 20000; ++row)
    lengths.push_back(row % 3 == 0 ? 2 : 1);
  CooTensor tensor = rowsOfLengths(lengths);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 100000);
  Packed result = packed(tensor.view(), graph, narrow(32));
  EXPECT_EQ(spansOf(result, SegmentClass::Scattered), 0);
  EXPECT_FALSE(areAsTheyCame(result));
  expectExact(tensor.view(), result);
  EXPECT_GT(
      spansOf(packed(tensor.view(), graph, narrow(0)), SegmentClass::Scattered),
      0);
}

TEST(RowRepacker, NonzerosOfWideRowsAreNotAddedOneByOne) {
  auto classesFor = [](int64_t known, ClassSet permitted) {
    Layout layout;
    layout.classes = permitted;
    chooseForHost(layout, {known, known, known, false});
    return layout.classes;
  };
  const ClassSet single = ClassSet::of(SegmentClass::Scattered);
  EXPECT_TRUE(classesFor(128, ClassSet::general()).contains(single));
  EXPECT_FALSE(classesFor(132, ClassSet::general()).contains(single));
  EXPECT_TRUE(
      classesFor(132, ClassSet::general()).contains(SegmentClass::RowSegments));
  // Where nobody says how wide they are, and where nothing else stores all.
  EXPECT_TRUE(classesFor(0, ClassSet::general()).contains(single));
  EXPECT_TRUE(classesFor(132, single).contains(single));
}

TEST(RowRepacker, NarrowProductsOfSeveralWidthsShareALayout) {
  auto layoutFor = [](int64_t bytes) {
    Layout layout;
    chooseForHost(layout, {bytes, bytes, bytes, false});
    return layout;
  };
  EXPECT_TRUE(layoutFor(28) == layoutFor(64));
  EXPECT_GT(layoutFor(28).denseBytes, 0);
  EXPECT_EQ(layoutFor(256).denseBytes, 0);
  // One that does not say how wide it is.
  Layout unknown;
  chooseForHost(unknown, {64, 64, 0, false});
  EXPECT_EQ(unknown.denseBytes, 0);
}

TEST(RowRepacker, RowsStayWhereSortingGainsNothing) {
  CooTensor many = rowsOfManyLengths(16384), few = rowsOfManyLengths(8000),
            even = rowsOfLengths(std::vector<int64_t>(16384, 4), 20000);
  auto packedFor = [](const CooTensor &tensor, const PackOptions &options) {
    return packed(tensor.view(),
                  graphOf(tensor.view(), OrderKind::Rows, 100000), options);
  };
  EXPECT_FALSE(areAsTheyCame(packedFor(many, narrow(128))));
  // Operands of unknown width, and wide ones.
  EXPECT_TRUE(areAsTheyCame(packedFor(many, narrow(0))));
  EXPECT_TRUE(areAsTheyCame(packedFor(many, narrow(256))));
  // What a processor foresees as it is.
  EXPECT_TRUE(areAsTheyCame(packedFor(few, narrow(32))));
  EXPECT_TRUE(areAsTheyCame(packedFor(even, narrow(32))));
  // Rows so long that a hundred products do not pay for it.
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < 16384; ++row)
    lengths.push_back(60 + row % 2);
  EXPECT_TRUE(areAsTheyCame(packedFor(rowsOfLengths(lengths), narrow(32))));
  PackOptions gpu;
  chooseForGPU(gpu.layout, 8);
  EXPECT_TRUE(areAsTheyCame(packedFor(many, gpu)));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

TEST(RowRepacker, RowsWithManyNonzerosInAWindowAreCutAtWindows) {
  // Every second column: 48 nonzeros in a window of 96.
  CooTensor tensor{{40, 100}, {{}, {}}, {}};
  for (int64_t row = 0; row < 40; ++row)
    for (int64_t column = row % 2; column < 100; column += 2) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(column);
      tensor.values.push_back(1);
    }
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 200, 1);
  Packed result = packed(tensor.view(), graph, {slicedLayout(8), 1});
  const int32_t windows = int32_t(SegmentClass::RowWindows);
  EXPECT_EQ(result.spanClass, std::vector<int32_t>(2, windows));
  EXPECT_EQ(result.spanColumn, std::vector<int64_t>({0, 96}));
  EXPECT_EQ(result.spanWidth, std::vector<int32_t>({96, 4}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 40, 80}));
  for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert})
    for (uint8_t bits : {8, 16, 32})
      for (int64_t workers : {1, 3, 11})
        expectExact(tensor.view(),
                    packed(tensor.view(), graphOf(tensor.view(), order, 50, 1),
                           {slicedLayout(bits), workers}));
  // As wide as they are asked for.
  PackOptions options{slicedLayout(8), 1};
  options.layout.windowColumns = 60;
  EXPECT_EQ(packed(tensor.view(), graph, options).spanWidth,
            std::vector<int32_t>({60, 40}));
  for (int64_t columns : {0, 193}) {
    options.layout.windowColumns = columns;
    EXPECT_EQ(pack(tensor.view(), graph, options).message(),
              "expected windows of 1..192 columns but got " +
                  std::to_string(columns));
  }
}

/// A window takes columns from the front of a row: those of the matrix ascend
/// there, whatever numbers an order gave them.
TEST(RowRepacker, WindowsOfRenumberedRowsAndColumns) {
  CooTensor tensor{{40, 500}, {{}, {}}, {}};
  for (int64_t row = 0; row < 40; ++row)
    for (int64_t column = row % 2; column < 500; column += 2) {
      tensor.coordinates[0].push_back(row * 9 % 40); // not in order
      tensor.coordinates[1].push_back(499 - column);
      tensor.values.push_back(1);
    }
  Layout layout;
  layout.classes = ClassSet::general().with(SegmentClass::RowWindows);
  for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert}) {
    Space space = *Space::whole(tensor.shape, order);
    space.permutations.resize(2);
    for (int64_t row = 0; row < 40; ++row)
      space.permutations[0].push_back(row * 7 % 40);
    for (int64_t column = 0; column < 500; ++column)
      space.permutations[1].push_back(column * 37 % 500);
    for (uint8_t bits : {8, 32}) {
      layout.columnBits = bits;
      Packed result =
          packed(tensor.view(), graphOf(tensor.view(), space, 20000), {layout});
      EXPECT_GT(spansOf(result, SegmentClass::RowWindows), 0);
      expectExact(tensor.view(), result);
    }
  }
}

TEST(RowRepacker, WindowsThatFewRowsShareAreNotCut) {
  // Ten nonzeros a row, all in one window, which hardly another row uses.
  CooTensor tensor{{200, 9600}, {{}, {}}, {}};
  for (int64_t row = 0; row < 200; ++row)
    for (int64_t column = 0; column < 10; ++column) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(row * 48 + column);
      tensor.values.push_back(1);
    }
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 4000, 1);
  Packed result = packed(tensor.view(), graph, {slicedLayout(16), 1});
  EXPECT_EQ(spansOf(result, SegmentClass::RowWindows), 0);
}

/// Every second of some columns, the same ones in three rows.
static CooTensor repeatedRows(int64_t columns) {
  CooTensor tensor{{90, columns}, {{}, {}}, {}};
  for (int64_t row = 0; row < 90; ++row)
    for (int64_t column = row / 3 % 2; column < columns; column += 2) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(column);
      tensor.values.push_back(1);
    }
  return tensor;
}

TEST(RowRepacker, ShortRowsThatRepeatTheRowBeforeAreNotCut) {
  PackOptions options;
  options.layout.classes = ClassSet::general().with(SegmentClass::RowWindows);
  for (int64_t columns : {190, 194}) {
    CooTensor tensor = repeatedRows(columns);
    Graph graph = graphOf(tensor.view(), OrderKind::Rows, 10000, 1);
    // Long ones are, and all where the operand is wide.
    for (int64_t bytes : {0, 128, 512, 516, 2048}) {
      options.layout.denseBytes = bytes;
      Packed result = packed(tensor.view(), graph, options);
      EXPECT_EQ(spansOf(result, SegmentClass::RowWindows) > 0,
                columns / 2 > kWindowColumns || bytes > 512)
          << columns << ' ' << bytes;
      expectExact(tensor.view(), result);
    }
  }
}

TEST(RowRepacker, RowsWithFewNonzerosInAWindowAreNotCut) {
  CooTensor tensor = rowsOfLengths(std::vector<int64_t>(200, 30));
  for (int64_t &column : tensor.coordinates[1])
    column = column * 13 % 1000;
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Layout layout;
  layout.classes = ClassSet::general().with(SegmentClass::RowWindows);
  Packed result = packed(tensor.view(), graph, {layout, 1});
  EXPECT_EQ(spansOf(result, SegmentClass::RowWindows), 0);
}

TEST(RowRepacker, ASliceFitsASpan) {
  // 160 slots, of which a span may have 64: rows, not what is cut off a slice.
  CooTensor tensor = rowsOfLengths(std::vector<int64_t>(16, 10));
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  PackOptions options{slicedLayout(), 1};
  options.maxSpanSlots = 64;
  Packed result = packed(tensor.view(), graph, options);
  EXPECT_EQ(spansOf(result, SegmentClass::RowSegments), result.spans());
  expectExact(tensor.view(), result);
}

TEST(RowRepacker, PiecesThatAreNotRepackedKeepTheirPlaces) {
  // Two pieces of a parallel loop: many rows, which are sliced, and then eight
  // long ones, too few for a slice.
  std::vector<int64_t> lengths(8192, 9);
  lengths.resize(8200, 9000);
  CooTensor tensor = rowsOfLengths(lengths, 70000);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 4096, 1);
  Packed result = packed(tensor.view(), graph, {slicedLayout(), 2, 2});
  EXPECT_GT(spansOf(result, SegmentClass::RowSlices), 0);
  EXPECT_GT(spansOf(result, SegmentClass::RowSegments), 0);
  expectExact(tensor.view(), result);
}
