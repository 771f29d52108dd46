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
  SparseView view() const {
    return SparseView::csr(
        int64_t(positions.size()) - 1, columns,
        IndexArray(positions.data(), int64_t(positions.size())),
        IndexArray(coordinates.data(), int64_t(coordinates.size())));
  }
  uint8_t bits() const { return bitsForRows(view(), wholeOf(OrderKind::Rows)); }
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

TEST(LocalColumns, RowsNeedNotBeSortedAndMayBeEmpty) {
  Rows rows;
  for (int64_t i = 0; i + 2 < kWide; ++i) {
    rows.add({i + 2, i, i + 1});
    rows.add({});
  }
  EXPECT_EQ(rows.bits(), 16);
}

TEST(LocalColumns, OtherOrdersAndFormatsAreLeft) {
  const Rows rows = band();
  EXPECT_EQ(bitsForRows(rows.view(), rows.wholeOf(OrderKind::Hilbert)), 32);
  SparseView byColumns = rows.view();
  byColumns.format = SparseFormat::Csc;
  std::swap(byColumns.shape[0], byColumns.shape[1]);
  byColumns.shape[1] = int64_t(rows.positions.size()) - 1;
  const Graph graph =
      wholeGraph(*Space::whole(byColumns.shape, OrderKind::Rows, 10),
                 byColumns.nonzeros());
  EXPECT_EQ(bitsForRows(byColumns, graph), 32);
}

TEST(LocalColumns, PackMakesARunOfEachWindow) {
  const Rows rows = band();
  const Graph graph = rows.wholeOf(OrderKind::Rows);
  PackOptions options;
  options.workers = 2;
  options.layout.columnBits = rows.bits();
  chooseForHost(options.layout, {});
  Result<Packed> packed = pack(rows.view(), graph, options);
  ASSERT_TRUE(packed) << packed.message();
  Status sound = packed->check();
  EXPECT_TRUE(sound) << sound.message();
  EXPECT_EQ(packed->columns16.size(), rows.coordinates.size());
  // 200,000 columns are four windows of 65536, and each has at most a span of
  // slices and one of rows for each of the two workers.
  EXPECT_LE(packed->spans(), 4 * 2 * 2);
  std::set<int64_t> begins(packed->spanColumn.begin(),
                           packed->spanColumn.end());
  EXPECT_EQ(begins, (std::set<int64_t>{0, 65534, 2 * 65534, 3 * 65534}));
  for (size_t span = 0; span < size_t(packed->spans()); ++span)
    for (int64_t k = packed->spanSlot[span]; k < packed->spanSlot[span + 1];
         ++k)
      ASSERT_LT(packed->columnAt(span, size_t(k)), kWide);
}
