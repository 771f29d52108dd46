//===- HostStorageTest.cpp - a view or a pattern, on a host ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/HostStorage.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {
/// A square matrix of so many nonzeros a row, anywhere, of which the first rows
/// of each ten are empty.
struct Rows {
  int64_t rows;
  std::vector<int32_t> positions{0}, coordinates;

  Rows(int64_t rows, int64_t length, int64_t empty = 0) : rows(rows) {
    std::mt19937 random(7);
    for (int64_t row = 0; row < rows; ++row) {
      if (row % 10 >= empty)
        for (int64_t i = 0; i < length; ++i)
          coordinates.push_back(int32_t(random() % uint64_t(rows)));
      positions.push_back(int32_t(coordinates.size()));
    }
  }
  SparseView view() const {
    return SparseView::csr(rows, rows,
                           {positions.data(), int64_t(positions.size())},
                           {coordinates.data(), int64_t(coordinates.size())});
  }
  Plan plan(OrderKind order) const {
    PlanOptions options;
    options.order = order;
    return *makePlan(view(), options);
  }
  /// For two threads.
  Packed packed(int64_t columns, const Plan &plan) const {
    PackOptions packing;
    packing.workers = 2;
    DenseUse use;
    use.oneColumn = columns <= 1;
    use.least = use.most = use.known = std::max<int64_t>(columns, 1) * 4;
    chooseForHost(packing.layout, use);
    return *pack(view(), plan.fused, packing);
  }
  bool isView(int64_t columns, OrderKind order = OrderKind::Rows) const {
    const Plan made = plan(order);
    return takesHostView(view(), made.arrangement, packed(columns, made),
                         {columns, 4});
  }
  bool sharesRow() const {
    return packed(16, plan(OrderKind::Rows)).partialRows() != 0;
  }
};
} // namespace

TEST(HostStorage, TinyProductsAreCountedInVectorsAndRows) {
  auto isTiny = [](int64_t rows, int64_t length, int64_t columns,
                   int64_t bytes) {
    return isTinyProduct(Rows(rows, length).view(), {columns, bytes});
  };
  EXPECT_TRUE(isTiny(512, 7, 16, 4));
  EXPECT_FALSE(isTiny(513, 7, 16, 4));
  EXPECT_FALSE(isTiny(512, 7, 17, 4)); // Two vectors.
  EXPECT_FALSE(isTiny(512, 7, 16, 8));
  // One column, whose rows end.
  EXPECT_TRUE(isTiny(128, 5, 1, 4));
  EXPECT_FALSE(isTiny(129, 5, 1, 4));
  EXPECT_FALSE(isTiny(100, 50, 1, 4));
  EXPECT_TRUE(isTiny(0, 0, 1, 4));
  // 2^56 vectors of 256 nonzeros are no nonzeros, with 64 bits.
  EXPECT_FALSE(isTiny(256, 1, int64_t(1) << 60, 4));
  EXPECT_FALSE(isTiny(10, 1, -1, 4));
  // Sums of rows.
  EXPECT_TRUE(isTiny(128, 5, 0, 4));
  EXPECT_FALSE(isTiny(129, 5, 0, 4));
  // Of sums along columns the rows do not count.
  auto isTinyByColumns = [](int64_t length, HostProducts products) {
    const Rows rows(128, length);
    SparseView view = rows.view();
    return isTinyProduct(
        SparseView::csc(128, 128, view.positions, view.coordinates.front()),
        products);
  };
  EXPECT_TRUE(isTinyByColumns(4, {1, 4}));
  EXPECT_TRUE(isTinyByColumns(4, {16, 4}));
  EXPECT_FALSE(isTinyByColumns(4, {17, 4}));
  EXPECT_FALSE(isTinyByColumns(5, {1, 4}));
  EXPECT_FALSE(isTinyByColumns(4, {0, 4}));
  // Columns and rows without nonzeros are walked and cleared.
  const std::vector<int32_t> none(514, 0);
  auto isTinyShape = [&](int64_t rows, int64_t columns) {
    return isTinyProduct(SparseView::csc(rows, columns,
                                         {none.data(), columns + 1},
                                         {none.data(), 0}),
                         {1, 4});
  };
  EXPECT_TRUE(isTinyShape(512, 512));
  EXPECT_FALSE(isTinyShape(513, 512));
  EXPECT_FALSE(isTinyShape(512, 513));
}

TEST(HostStorage, RowsThatPackLeavesAsTheyAreAreAView) {
  EXPECT_TRUE(Rows(3000, 4).isView(64));
  // More than 16 vectors a row.
  EXPECT_FALSE(Rows(3000, 5).isView(64));
  EXPECT_TRUE(Rows(3000, 5).isView(48));
  EXPECT_FALSE(Rows(3000, 5).isView(1024));
  // In another order, or for one column, whose nonzeros lie side by side.
  EXPECT_FALSE(Rows(3000, 4).isView(64, OrderKind::Hilbert));
  EXPECT_FALSE(Rows(3000, 4).isView(1));
  // Nor where rows are renumbered, or are not what the view stores.
  const Rows rows(3000, 4);
  Arrangement renumbered;
  renumbered.reorder = ReorderKind::Rcm;
  const Packed packed = rows.packed(64, rows.plan(OrderKind::Rows));
  EXPECT_TRUE(takesHostView(rows.view(), {}, packed, {64, 4}));
  EXPECT_FALSE(takesHostView(rows.view(), renumbered, packed, {64, 4}));
  const SparseView view = rows.view();
  EXPECT_FALSE(takesHostView(
      SparseView::csc(3000, 3000, view.positions, view.coordinates.front()), {},
      packed, {64, 4}));
}

TEST(HostStorage, RowsOfANonzeroAreRows) {
  const Rows single(3000, 1);
  // Up to 32 columns they go nonzero by nonzero.
  EXPECT_TRUE(single.packed(16, single.plan(OrderKind::Rows)).classes() ==
              ClassSet::of(SegmentClass::Scattered));
  EXPECT_TRUE(single.isView(16));
  EXPECT_TRUE(single.isView(64));
}

TEST(HostStorage, SortedRowsOfMoreThanAVectorAreAView) {
  // Lengths that nobody foresees: one to eight nonzeros.
  Rows uneven(0, 0);
  uneven.rows = 40000;
  std::mt19937 random(7);
  for (int64_t row = 0; row < uneven.rows; ++row) {
    for (uint64_t i = 0, length = 1 + random() % 8; i < length; ++i)
      uneven.coordinates.push_back(int32_t(random() % 40000));
    uneven.positions.push_back(int32_t(uneven.coordinates.size()));
  }
  EXPECT_FALSE(uneven.isView(16));
  EXPECT_TRUE(uneven.isView(17));
  EXPECT_TRUE(uneven.isView(32));
  // Not sorted: more than 16 vectors a row.
  EXPECT_FALSE(uneven.isView(64));
}

TEST(HostStorage, LongRunsOfEmptyRowsArePacked) {
  // Five of ten take a view 15 ends of rows; it saves five, and pack takes 7.
  EXPECT_TRUE(Rows(3000, 4, 4).isView(64));
  EXPECT_FALSE(Rows(3000, 4, 5).isView(64));
  // Narrow rows, whose gaps pack joins, are no others.
  EXPECT_FALSE(Rows(3000, 4, 5).isView(12));
  // A few at the end do not count.
  Rows padded(3000, 4);
  padded.rows += 100;
  padded.positions.resize(size_t(padded.rows + 1), padded.positions.back());
  EXPECT_TRUE(padded.isView(64));
}

TEST(HostStorage, WhatPackFindsIsPacked) {
  // Twins: each row of four has the same columns.
  Rows twins(3000, 4);
  for (int64_t row = 0; row < twins.rows; ++row)
    for (int64_t i = 0; i < 4; ++i)
      twins.coordinates[size_t(row * 4 + i)] =
          int32_t((row / 4 * 5 + i * 13) % twins.rows);
  EXPECT_FALSE(twins.isView(64));
  EXPECT_FALSE(twins.isView(16));
  // Of rows that are less than a line tiles save little.
  EXPECT_TRUE(twins.isView(15));
}

TEST(HostStorage, OfRowsThatThreadsShareNoneIsHeavy) {
  Rows heavy(301, 4);
  EXPECT_TRUE(heavy.sharesRow());
  EXPECT_TRUE(heavy.isView(16));
  const std::vector<int32_t> rest = heavy.coordinates;
  heavy.coordinates.assign(30000, 3);
  heavy.coordinates.insert(heavy.coordinates.end(), rest.begin(), rest.end());
  for (size_t row = 1; row < heavy.positions.size(); ++row)
    heavy.positions[row] += 30000;
  EXPECT_TRUE(heavy.sharesRow());
  EXPECT_FALSE(heavy.isView(16));
}

TEST(HostStorage, SumsOfLongRowsAreAView) {
  EXPECT_TRUE(Rows(1000, 64).isView(0));
  EXPECT_FALSE(Rows(1000, 63).isView(0));
  EXPECT_FALSE(Rows(1000, 64).isView(1));
  EXPECT_FALSE(Rows(1000, 64).isView(0, OrderKind::Hilbert));
  // A row that both threads are needed for.
  Rows heavy(0, 0);
  heavy.rows = 3;
  heavy.coordinates.assign(30010, 0);
  heavy.positions = {0, 30000, 30005, 30010};
  EXPECT_FALSE(heavy.isView(0));
}

namespace {
/// A^T of so many rows with `length` nonzeros each, anywhere, or, of a band,
/// near the diagonal.
struct Columns {
  int64_t rows, columns;
  std::vector<int32_t> positions{0}, coordinates;

  Columns(int64_t rows, int64_t columns, int64_t length, bool isBand = false)
      : rows(columns), columns(rows) {
    std::mt19937 random(7);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < length; ++i)
        coordinates.push_back(
            isBand ? int32_t(std::min(row * columns / rows + i, columns - 1))
                   : int32_t(random() % uint64_t(columns)));
      std::sort(coordinates.end() - length, coordinates.end());
      positions.push_back(int32_t(coordinates.size()));
    }
  }
  SparseView view() const {
    return SparseView::csc(rows, columns,
                           {positions.data(), int64_t(positions.size())},
                           {coordinates.data(), int64_t(coordinates.size())});
  }
  /// What the plan predicts for packed rows.
  double packedSeconds(int64_t denseColumns, int64_t bytes = 4) const {
    PlanOptions options;
    options.reorder = std::nullopt;
    options.wholeRows = true;
    options.fuse.columns = denseColumns;
    options.fuse.elementBytes = bytes;
    const Plan plan = *makePlan(view(), options);
    return secondsOf(plan.scores, plan.arrangement).value();
  }
  bool isView(int64_t denseColumns, int64_t bytes = 4,
              int64_t threads = 2) const {
    return takesScatteredView(view(), {denseColumns, bytes}, threads,
                              packedSeconds(denseColumns, bytes));
  }
  /// If anything were faster than packed.
  bool mayBeView(int64_t denseColumns, int64_t bytes = 4) const {
    return takesScatteredView(view(), {denseColumns, bytes}, 2, 1);
  }
};
} // namespace

TEST(HostStorage, SumsIntoFewRowsOfManyAreAView) {
  const Columns tall(200000, 4000, 2);
  EXPECT_TRUE(tall.isView(64));
  EXPECT_TRUE(tall.isView(32, 8));
  // Packed rows read B from near.
  EXPECT_FALSE(Columns(200000, 4000, 2, /*isBand=*/true).isView(64));
  // By as much as an order has to be better.
  const double packed = tall.packedSeconds(64);
  double least = 0, most = packed;
  while (most - least > 1e-9) {
    const double middle = (least + most) / 2;
    (takesScatteredView(tall.view(), {64, 4}, 2, middle) ? most : least) =
        middle;
  }
  EXPECT_LT(most, 0.9 * packed);
  EXPECT_FALSE(takesScatteredView(tall.view(), {64, 4}, 2, 0.99 * most));
}

TEST(HostStorage, ViewsByColumnsHaveWideRowsOfWholeSums) {
  const Columns tall(400000, 1000, 2);
  EXPECT_TRUE(tall.mayBeView(16));
  EXPECT_FALSE(tall.mayBeView(15));
  EXPECT_TRUE(tall.mayBeView(8, 8));
  EXPECT_FALSE(tall.mayBeView(7, 8));
  EXPECT_FALSE(tall.mayBeView(64, 2));
}

TEST(HostStorage, ViewsByColumnsReadBFromMemoryAndKeepC) {
  // 65,536 rows of 256 bytes are 16 MiB.
  EXPECT_FALSE(Columns(65536, 1000, 2).mayBeView(64));
  EXPECT_TRUE(Columns(65537, 1000, 2).mayBeView(64));
  EXPECT_TRUE(Columns(70000, 65536, 2).mayBeView(64));
  EXPECT_FALSE(Columns(70000, 65537, 2).mayBeView(64));
}

TEST(HostStorage, ViewsByColumnsAreNotMostlyEmpty) {
  auto mayBeView = [](int64_t rows, int64_t columns) {
    const Columns full(66000, 10, 1);
    SparseView view = full.view();
    std::vector<int32_t> positions(size_t(columns) + 1, 66000);
    std::copy(full.positions.begin(), full.positions.end(), positions.begin());
    view.positions = {positions.data(), int64_t(positions.size())};
    view.shape = {rows, columns};
    return takesScatteredView(view, {64, 4}, 2, 1);
  };
  EXPECT_TRUE(mayBeView(10, 66000));
  EXPECT_FALSE(mayBeView(10, 66001));
  // With 16 columns C would have 4 MB.
  const Columns wide(300000, 10, 1);
  SparseView view = wide.view();
  view.shape[0] = 262144;
  EXPECT_TRUE(takesScatteredView(view, {16, 4}, 2, 1));
  const Columns few(262143, 10, 1);
  view = few.view();
  view.shape[0] = 262144;
  EXPECT_FALSE(takesScatteredView(view, {16, 4}, 2, 1));
}

TEST(HostStorage, ViewsByColumnsAreForThoseWhoHaveNoMoreThreads) {
  // Two pieces, as C has 3.8 MB.
  const Columns tall(200000, 15000, 3);
  EXPECT_TRUE(tall.isView(64));
  EXPECT_TRUE(tall.isView(64, 4, 1));
  EXPECT_FALSE(tall.isView(64, 4, 16));
}

TEST(HostStorage, WhatIsByRowsHasAnotherRule) {
  const Columns tall(200000, 4000, 2);
  SparseView byRows = tall.view();
  byRows.format = SparseFormat::Csr;
  std::swap(byRows.shape[0], byRows.shape[1]);
  EXPECT_FALSE(takesScatteredView(byRows, {64, 4}, 2, 1));
}
