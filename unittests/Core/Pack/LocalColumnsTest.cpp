//===- LocalColumnsTest.cpp - columns of 16 bits in wide matrices ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/LocalColumns.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "PackOracle.h"
#include "Samples.h"
#include <set>

using namespace astfe::core;

namespace {

constexpr int64_t kWide = 200000;

/// A matrix by rows that owns its arrays.
struct Rows {
  int64_t columns = kWide;
  std::vector<int64_t> positions{0}, coordinates;

  void add(std::initializer_list<int64_t> row) {
    coordinates.insert(coordinates.end(), row);
    positions.push_back(int64_t(coordinates.size()));
  }
  /// A row with so many columns from the first one on.
  void addRun(int64_t first, int64_t count) {
    for (int64_t j = 0; j < count; ++j)
      coordinates.push_back(first + j);
    positions.push_back(int64_t(coordinates.size()));
  }
  SparseView view() const {
    return SparseView::csr(
        int64_t(positions.size()) - 1, columns,
        IndexArray(positions.data(), int64_t(positions.size())),
        IndexArray(coordinates.data(), int64_t(coordinates.size())));
  }
  uint8_t bits() const {
    return bitsForRows(view(), wholeOf(OrderKind::Rows), 2);
  }
  Graph wholeOf(OrderKind order) const {
    return wholeGraph(*Space::whole(view().shape, order, 10),
                      int64_t(coordinates.size()));
  }
};

/// Row i has columns i, i + 1 and i + 2: runs of 65534 rows.
Rows band(int64_t columns = kWide) {
  Rows rows;
  rows.columns = columns;
  for (int64_t i = 0; i + 2 < columns; ++i)
    rows.add({i, i + 1, i + 2});
  return rows;
}

} // namespace

TEST(LocalColumns, ABandHasThemIn16Bits) {
  EXPECT_EQ(band().bits(), 16);
  // What numbers all columns in fewer bits is no matter of runs.
  EXPECT_EQ(band(65536).bits(), 16);
  EXPECT_EQ(band(256).bits(), 8);
}

TEST(LocalColumns, ARowThatReachesFartherHasNone) {
  Rows rows = band();
  rows.add({7, 7 + 65535});
  EXPECT_EQ(rows.bits(), 16);
  rows.add({7, 7 + 65536});
  EXPECT_EQ(rows.bits(), 32);
}

TEST(LocalColumns, ShortRunsArePointless) {
  // Every other row is at the other end.
  Rows rows;
  for (int64_t i = 0; i < kWide / 2; ++i)
    rows.add({i % 2 == 0 ? i : kWide - 1 - i});
  EXPECT_EQ(rows.bits(), 32);
}

TEST(LocalColumns, RowsMayBeEmptyAndHaveToBeSorted) {
  Rows rows;
  for (int64_t i = 0; i + 2 < kWide; ++i) {
    rows.add({i, i + 1, i + 1});
    rows.add({});
  }
  EXPECT_EQ(rows.bits(), 16);
  // Where they are sorted first, columns have windows instead of runs.
  rows.add({2, 1});
  EXPECT_EQ(rows.bits(), 32);
}

TEST(LocalColumns, OtherOrdersAndFormatsAreLeft) {
  const Rows rows = band();
  EXPECT_EQ(bitsForRows(rows.view(), rows.wholeOf(OrderKind::Hilbert), 1), 32);
  SparseView byColumns = rows.view();
  byColumns.format = SparseFormat::Csc;
  std::swap(byColumns.shape[0], byColumns.shape[1]);
  byColumns.shape[1] = int64_t(rows.positions.size()) - 1;
  const Graph graph =
      wholeGraph(*Space::whole(byColumns.shape, OrderKind::Rows, 10),
                 byColumns.nonzeros());
  EXPECT_EQ(bitsForRows(byColumns, graph, 1), 32);
}

/// Rows packed in groups of 1024 blocks, for products with one column.
static Packed packedForOneColumn(const Rows &rows, uint8_t bits) {
  const Graph graph = graphOf(rows.view(), OrderKind::Rows, 512, 1);
  EXPECT_GT(graph.groupCount(), 1u);
  PackOptions options;
  options.workers = 2;
  options.layout.columnBits = bits;
  DenseUse use;
  use.oneColumn = true;
  chooseForHost(options.layout, use);
  Packed result = packed(rows.view(), graph, options);
  expectExact(rows.view(), result);
  return result;
}

TEST(LocalColumns, RunsGoOnOverGroups) {
  const Rows rows = band();
  const Packed narrow = packedForOneColumn(rows, rows.bits());
  EXPECT_EQ(narrow.columns16.size(), rows.coordinates.size());
  std::set<int64_t> begins(narrow.spanColumn.begin(), narrow.spanColumn.end());
  EXPECT_EQ(begins, (std::set<int64_t>{0, 65534, 2 * 65534, 3 * 65534}));
  // Slices cross the borders of the groups, but not those of the four runs,
  // each of which may leave rows at its end that are no slice.
  EXPECT_GT(graphOf(rows.view(), OrderKind::Rows, 512, 1).groupCount(), 40u);
  const Packed wide = packedForOneColumn(rows, 32);
  EXPECT_LE(narrow.spans(), wide.spans() + 4 * 3);
  EXPECT_GT(spansOf(narrow, SegmentClass::RowSlices), 0);
}

TEST(LocalColumns, ARunMayBeginInsideOfAGroup) {
  // The second half of the rows is far from the first.
  Rows rows;
  for (int64_t i = 0; i < 40000; ++i) {
    const int64_t from = i < 20001 ? i : i + 140000;
    rows.add({from, from + 1, from + 3});
  }
  ASSERT_EQ(rows.bits(), 16);
  const Packed narrow = packedForOneColumn(rows, 16);
  std::set<int64_t> begins(narrow.spanColumn.begin(), narrow.spanColumn.end());
  EXPECT_EQ(begins, (std::set<int64_t>{0, 160001}));
}

TEST(LocalColumns, ARunMayBeginWithAGroup) {
  Rows rows;
  for (int64_t i = 0; i < 40000; ++i) {
    const int64_t from = i < 16384 ? i : i + 140000;
    rows.add({from, from + 1, from + 3});
  }
  const Graph graph = graphOf(rows.view(), OrderKind::Rows, 512, 1);
  bool begins = false;
  for (int64_t block : graph.groups)
    begins |= block < int64_t(graph.size()) &&
              graph.box(size_t(block)).lower[0] == 16384;
  ASSERT_TRUE(begins);
  const Packed narrow = packedForOneColumn(rows, 16);
  // The spans of the first run end where those of the second begin.
  for (size_t span = 0; span < size_t(narrow.spans()); ++span)
    for (int64_t g = narrow.spanSegment[span]; g < narrow.spanSegment[span + 1];
         ++g)
      EXPECT_EQ(narrow.spanColumn[span],
                narrow.segmentTarget[size_t(g)] < 16384 ? 0 : 156384);
}

TEST(LocalColumns, GroupsMayCutRows) {
  // A row of 3000 nonzeros is in several groups.
  Rows rows;
  for (int64_t i = 0; i < 30000; ++i)
    if (i % 10000 == 77)
      rows.addRun(i * 5, 3000);
    else
      rows.add({i * 5});
  ASSERT_EQ(rows.bits(), 16);
  packedForOneColumn(rows, 16);
}

TEST(LocalColumns, GroupsOfShortRunsHaveWindowsOfTheirOwn) {
  Rows rows;
  for (int64_t i = 0; i < 3000; ++i)
    rows.add({66 * i});
  ASSERT_EQ(rows.bits(), 32);
  PackOptions options;
  options.workers = 2;
  options.layout.columnBits = 16;
  const Packed narrow = packed(
      rows.view(), graphOf(rows.view(), OrderKind::Rows, 512, 1), options);
  expectExact(rows.view(), narrow);
  // Nothing was sorted for it.
  EXPECT_TRUE(narrow.isInOrder());
  EXPECT_GT(
      std::set<int64_t>(narrow.spanColumn.begin(), narrow.spanColumn.end())
          .size(),
      2u);
}

TEST(LocalColumns, ShortRunsArePackedInWindows) {
  Rows rows;
  for (int64_t i = 0; i < 3000; ++i)
    rows.add({i % 2 == 0 ? i : kWide - 1 - i});
  ASSERT_EQ(rows.bits(), 32);
  packedForOneColumn(rows, 16);
  packedForOneColumn(rows, 8);
}
