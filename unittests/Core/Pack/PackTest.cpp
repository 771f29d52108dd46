//===- PackTest.cpp - pack against brute force ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "PackOracle.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

constexpr OrderKind kOrders[] = {OrderKind::Rows, OrderKind::Morton,
                                 OrderKind::Hilbert, OrderKind::Panels};

/// All classes, all subsets that pack accepts.
std::vector<Layout> allLayouts() {
  std::vector<Layout> result;
  ClassSet scattered = ClassSet::of(SegmentClass::Scattered);
  for (ClassSet classes : {scattered, scattered.with(SegmentClass::RowSegments),
                           scattered.with(SegmentClass::DenseTile),
                           scattered.with(SegmentClass::RowSlices),
                           scattered.with(SegmentClass::RowTiles),
                           scattered.with(SegmentClass::RowWindows),
                           ClassSet::general(), ClassSet::all()})
    for (int bits : {8, 16, 32})
      for (bool finite : {false, true}) {
        Layout layout;
        layout.columnBits = uint8_t(bits);
        layout.classes = classes;
        layout.assumeFinite = finite;
        result.push_back(layout);
      }
  return result;
}

} // namespace

TEST(Pack, WorkedExampleOfTheHeader) {
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows), {});
  EXPECT_EQ(result.workerSpan, std::vector<int64_t>({0, 1}));
  EXPECT_EQ(result.spanSlot, std::vector<int64_t>({0, 3}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 2}));
  EXPECT_EQ(result.segmentRow, Table<int32_t>({0, 2}));
  EXPECT_EQ(result.segmentEnd, Table<int32_t>({2, 3}));
  EXPECT_EQ(result.columns32, Table<int32_t>({1, 3, 0}));
  EXPECT_TRUE(result.isInOrder());
}

TEST(Pack, WorkedExampleOfTheDocs) {
  CooTensor tensor{{3, 4}, {{0, 0, 0, 2}, {0, 2, 3, 2}}, {5, 6, 7, 8}};
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows), {{}, 2});
  EXPECT_EQ(result.workerSpan, std::vector<int64_t>({0, 1, 2}));
  EXPECT_EQ(result.workerOffsets(), std::vector<int64_t>({0, 2, 4}));
  EXPECT_EQ(result.spanSlot, std::vector<int64_t>({0, 2, 4}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 1, 3}));
  EXPECT_EQ(result.segmentEnd, Table<int32_t>({2, 1, 2}));
  EXPECT_EQ(result.segmentRow, Table<int32_t>({~0, ~0, 2}));
  EXPECT_EQ(result.segmentTarget, Table<int32_t>({~0, ~1, 2}));
  EXPECT_EQ(result.columns32, Table<int32_t>({0, 2, 3, 2}));
  EXPECT_TRUE(result.isInOrder());
  EXPECT_EQ(result.combineRow, std::vector<int32_t>({0}));
  EXPECT_EQ(result.combineBegin, std::vector<int64_t>({0, 2}));
  EXPECT_EQ(result.combinePartial, std::vector<int32_t>({0, 1}));
  EXPECT_EQ(result.workerGap, std::vector<int64_t>({0, 1, 1}));
  EXPECT_EQ(result.gapBegin, Table<int32_t>({1}));
  EXPECT_EQ(result.gapEnd, Table<int32_t>({2}));
  EXPECT_TRUE(result.segmentFirst.empty());
}

TEST(Pack, EveryLayoutOrderAndNumberOfWorkersIsExact) {
  // Wider than an 8-bit window, so that groups fall into several.
  CooTensor tensor = mixedMatrix(60, 700, 900, 1);
  for (OrderKind order : kOrders) {
    Graph graph = graphOf(tensor.view(), order, 16, 3);
    for (const Layout &layout : allLayouts())
      for (int64_t workers : {1, 2, 3, 7, 64, 2000})
        expectExact(tensor.view(),
                    packed(tensor.view(), graph, {layout, workers}));
  }
}

TEST(Pack, CsrCscAnd64BitInputsAgree) {
  CooTensor tensor = mixedMatrix(80, 90, 700, 2);
  CooTensor flipped = tensor;
  std::swap(flipped.shape[0], flipped.shape[1]);
  std::swap(flipped.coordinates[0], flipped.coordinates[1]);
  CsrMatrix csr = *toCsr(tensor), transposed = *toCsr(flipped);
  SparseView csc = transposed.view();
  csc.format = SparseFormat::Csc;
  csc.shape = tensor.shape;
  std::vector<int32_t> positions(csr.positions.begin(), csr.positions.end());
  std::vector<int32_t> columns(csr.coordinates.begin(), csr.coordinates.end());
  SparseView narrow = SparseView::csr(
      80, 90, IndexArray(positions.data(), int64_t(positions.size())),
      IndexArray(columns.data(), int64_t(columns.size())));
  for (OrderKind order : kOrders) {
    Graph graph = graphOf(csr.view(), order);
    PackOptions options{Layout(), 5};
    Packed expected = packed(csr.view(), graph, options);
    for (const SparseView &view : {csr.view(), csc, narrow, tensor.view()}) {
      Packed got = packed(view, graph, options);
      expectExact(view, got);
      EXPECT_EQ(got.segmentRow, expected.segmentRow);
      EXPECT_EQ(got.segmentEnd, expected.segmentEnd);
      EXPECT_EQ(got.columns32, expected.columns32);
    }
  }
}

TEST(Pack, ListsOfLevelsArePackedAsCsr) {
  CooTensor tensor = mixedMatrix(80, 900, 700, 2);
  CsrMatrix csr = *toCsr(tensor);
  // The coordinates of a nonzero side by side.
  std::vector<int64_t> pairs;
  for (int64_t row = 0; row < 80; ++row)
    for (int64_t n = csr.positions[size_t(row)];
         n < csr.positions[size_t(row) + 1]; ++n)
      pairs.insert(pairs.end(), {row, csr.coordinates[size_t(n)]});
  const int64_t count = int64_t(pairs.size()) / 2;
  const int64_t ends[] = {0, count};
  SparseView coo = SparseView::of(LevelView::coo(
      tensor.shape, LevelArray(ends, 2), interleaved(pairs.data(), 2, count)));
  EXPECT_EQ(coo.format, SparseFormat::Levels);
  std::vector<uint16_t> positions(csr.positions.begin(), csr.positions.end()),
      columns(csr.coordinates.begin(), csr.coordinates.end());
  SparseView narrow = SparseView::of(LevelView::csr(
      80, 900, LevelArray(positions.data(), int64_t(positions.size())),
      LevelArray(columns.data(), int64_t(columns.size()))));
  EXPECT_EQ(narrow.format, SparseFormat::Levels);
  for (OrderKind order : kOrders) {
    Graph graph = graphOf(csr.view(), order, 16, 3);
    PackOptions options{Layout(), 5};
    for (int bits : {8, 16, 32}) {
      options.layout.columnBits = uint8_t(bits);
      const Packed expected = packed(csr.view(), graph, options);
      for (const SparseView &view : {coo, narrow}) {
        const Packed got = packed(view, graph, options);
        EXPECT_EQ(got.segmentRow, expected.segmentRow);
        EXPECT_EQ(got.segmentEnd, expected.segmentEnd);
        EXPECT_EQ(got.spanColumn, expected.spanColumn);
        EXPECT_EQ(got.slotOf, expected.slotOf);
        expectExact(csr.view(), got);
      }
    }
  }
}

TEST(Pack, UnsortedColumnsOfCsrAreSorted) {
  std::vector<int32_t> positions{0, 3, 4}, columns{5, 1, 1, 0};
  SparseView view = SparseView::csr(2, 6, IndexArray(positions.data(), 3),
                                    IndexArray(columns.data(), 4));
  Packed result = packed(view, graphOf(view, OrderKind::Rows, 100), {});
  expectExact(view, result);
  EXPECT_EQ(result.columns32, Table<int32_t>({1, 1, 5, 0}));
  EXPECT_EQ(result.slotOf, Table<int64_t>({2, 0, 1, 3}));
}

TEST(Pack, SlotsAreRowMajorInsideAGroupAndStable) {
  CooTensor tensor = mixedMatrix(50, 50, 3000, 3);
  Graph graph = graphOf(tensor.view(), OrderKind::Hilbert, 64, 2);
  Layout layout;
  layout.classes = ClassSet::general().without(SegmentClass::DenseTile);
  Packed result = packed(tensor.view(), graph, {layout, 1});
  // Group of each entry by definition: the last block whose first key is not
  // above its key.
  Order order = graph.space.parts[0].order();
  std::vector<std::array<int64_t, 4>> expected;
  for (const Entry &entry : entriesOf(tensor.view())) {
    uint64_t key = order.key({entry.row, entry.column});
    int64_t group = 0;
    for (size_t g = 0; g < graph.groupCount(); ++g)
      if (graph.prefix[size_t(graph.groups[g])] <= key)
        group = int64_t(g);
    expected.push_back({group, entry.row, entry.column, entry.nonzero});
  }
  std::sort(expected.begin(), expected.end());
  for (size_t slot = 0; slot < expected.size(); ++slot)
    ASSERT_EQ(result.slotOf[size_t(expected[slot][3])], int64_t(slot));
}

TEST(Pack, ThreadsChangeNothing) {
  CooTensor tensor = mixedMatrix(3000, 3000, 150000, 4);
  Graph graph = graphOf(tensor.view(), OrderKind::Hilbert, 512, 3);
  Layout layout;
  layout.columnBits = 8;
  Packed one = packed(tensor.view(), graph, {layout, 9, 1});
  Packed four = packed(tensor.view(), graph, {layout, 9, 4});
  expectExact(tensor.view(), four);
  EXPECT_EQ(one.slotOf, four.slotOf);
  EXPECT_EQ(one.columns8, four.columns8);
  EXPECT_EQ(one.segmentTarget, four.segmentTarget);
}

TEST(Pack, ValuesTravelBitForBit) {
  CooTensor tensor = mixedMatrix(30, 30, 200, 5);
  Layout layout;
  layout.assumeFinite = true;
  Packed result = packed(
      tensor.view(), graphOf(tensor.view(), OrderKind::Morton), {layout, 3});
  std::vector<float> values(size_t(result.nonzeros));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i % 3 == 0 ? -0.0f : std::numeric_limits<float>::infinity();
  std::vector<float> slots(size_t(result.slots)), back(values.size());
  packValues(result, values.data(), slots.data());
  unpackValues(result, slots.data(), back.data());
  EXPECT_EQ(0, std::memcmp(back.data(), values.data(),
                           values.size() * sizeof(float)));
}

TEST(Pack, SmallAndEmptyShapes) {
  struct Case {
    int64_t rows, columns, nonzeros;
  };
  for (Case c : {Case{0, 0, 0}, Case{0, 5, 0}, Case{5, 0, 0}, Case{1, 1, 0},
                 Case{1, 1, 1}, Case{1, 1, 3}, Case{1, 40, 30}, Case{40, 1, 30},
                 Case{7, 9, 0}, Case{2, 2, 4}}) {
    std::mt19937_64 random(6);
    CooTensor tensor{{c.rows, c.columns}, {{}, {}}, {}};
    for (int64_t i = 0; i < c.nonzeros; ++i) {
      tensor.coordinates[0].push_back(int64_t(random() % uint64_t(c.rows)));
      tensor.coordinates[1].push_back(int64_t(random() % uint64_t(c.columns)));
      tensor.values.push_back(1);
    }
    for (OrderKind order : kOrders)
      for (const Layout &layout : allLayouts())
        for (int64_t workers : {1, 4})
          expectExact(tensor.view(),
                      packed(tensor.view(), graphOf(tensor.view(), order, 4),
                             {layout, workers}));
  }
}

TEST(Pack, ADenseRowAndADenseColumnAreSharedOut) {
  CooTensor row = tileMatrix(20, 4000, 7, 0, 1, 4000);
  CooTensor column = tileMatrix(4000, 20, 0, 7, 4000, 1);
  for (const CooTensor &tensor : {row, column})
    for (OrderKind order : kOrders) {
      Packed result = packed(
          tensor.view(), graphOf(tensor.view(), order, 64, 5), {Layout(), 8});
      expectExact(tensor.view(), result);
      for (int64_t w = 0; w < 8; ++w)
        EXPECT_EQ(result.spanSlot[size_t(result.workerSpan[size_t(w) + 1])] -
                      result.spanSlot[size_t(result.workerSpan[size_t(w)])],
                  500);
    }
}

TEST(Pack, MoreWorkersThanNonzerosLeavesSomeEmpty) {
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows), {{}, 10});
  expectExact(tensor.view(), result);
  EXPECT_EQ(result.workers(), 10);
}

TEST(Pack, AnyGraphOfTheShapePacksAnyTensor) {
  CooTensor tensor = mixedMatrix(64, 64, 500, 7);
  CooTensor corner = tileMatrix(64, 64, 60, 60, 2, 2);
  for (OrderKind order : kOrders) {
    expectExact(tensor.view(),
                packed(tensor.view(), graphOf(corner.view(), order, 1, 1),
                       {Layout(), 3}));
    Graph empty = graphOf(CooTensor{{64, 64}, {{}, {}}, {}}.view(), order);
    expectExact(tensor.view(), packed(tensor.view(), empty, {Layout(), 3}));
  }
}

TEST(Pack, SpansStayWithinTheirLimit) {
  CooTensor tensor = mixedMatrix(60, 70, 900, 8);
  for (OrderKind order : kOrders) {
    Graph graph = graphOf(tensor.view(), order, 64, 4);
    for (int64_t limit : {1, 3, 10, 100}) {
      PackOptions options{Layout(), 4};
      options.maxSpanSlots = limit;
      Packed result = packed(tensor.view(), graph, options);
      expectExact(tensor.view(), result);
      for (size_t s = 0; s < size_t(result.spans()); ++s)
        EXPECT_LE(result.spanSlot[s + 1] - result.spanSlot[s], limit);
    }
  }
}

TEST(Pack, TheLimitCutsBetweenSegmentsWherePossible) {
  CooTensor tensor = tileMatrix(6, 3, 0, 0, 6, 3);
  PackOptions options;
  options.maxSpanSlots = 7;
  Packed result = packed(
      tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1000), options);
  EXPECT_EQ(result.spanSlot, std::vector<int64_t>({0, 6, 12, 18}));
  EXPECT_EQ(result.segments(), 6);
}

TEST(Pack, FewNonzerosInManyRows) {
  // 2^31-1 rows: nothing of that size may be allocated.
  int64_t rows = std::numeric_limits<int32_t>::max();
  CooTensor tensor{{rows, rows},
                   {{rows - 1, 5, 5, 5, rows - 1}, {0, 1, rows - 1, 9, 4}},
                   {1, 2, 3, 4, 5}};
  for (OrderKind order : kOrders) {
    Packed result = packed(tensor.view(), graphOf(tensor.view(), order, 1, 1),
                           {Layout(), 5});
    ASSERT_TRUE(result.check());
    EXPECT_EQ(entriesOf(result), entriesOf(tensor.view()));
    EXPECT_EQ(result.combineRow, std::vector<int32_t>({5, int32_t(rows - 1)}));
  }
}

TEST(Pack, ColumnsHaveTheFewestBitsThatNumberThem) {
  for (auto [columns, bits] : {std::pair<int64_t, int>{1, 8},
                               {256, 8},
                               {257, 16},
                               {65536, 16},
                               {65537, 32},
                               {INT32_MAX, 32},
                               {0, 32}})
    EXPECT_EQ(bitsForColumns(columns), bits) << columns;
}

/// Columns are counted from the first of a group, which is cut where they are
/// more than the bits count.
TEST(Pack, ColumnsOfAGroupAsFarApartAsTheirBitsCount) {
  Layout layout;
  layout.columnBits = 8;
  for (int64_t apart : {254, 255, 256, 257}) {
    CooTensor tensor{{2, 600}, {{0, 0, 1}, {100, 100 + apart, 200}}, {5, 6, 7}};
    Graph graph = graphOf(tensor.view(), OrderKind::Rows);
    for (int64_t workers : {1, 2})
      expectExact(tensor.view(),
                  packed(tensor.view(), graph, {layout, workers}));
  }
}

TEST(Pack, AViewHasNoTables) {
  CooTensor tensor = mixedMatrix(20, 20, 100, 9);
  Layout layout;
  layout.storage = Storage::View;
  Packed result = packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows),
                         {layout, 4});
  EXPECT_TRUE(result.check());
  EXPECT_TRUE(result.slotOf.empty());
  EXPECT_EQ(result.workers(), 4);
  std::vector<double> slots(size_t(result.slots));
  packValues(result, tensor.values.data(), slots.data());
  EXPECT_EQ(slots, tensor.values);
}

TEST(Pack, WrongInput) {
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  Graph graph = graphOf(tensor.view(), OrderKind::Rows);
  PackOptions options;
  options.workers = 0;
  EXPECT_EQ(pack(tensor.view(), graph, options).message(),
            "expected at least 1 worker but got 0");
  options.workers = 1;
  options.layout.columnBits = 9;
  EXPECT_EQ(pack(tensor.view(), graph, options).message(),
            "expected columns of 8, 16 or 32 bits but got 9");
  CooTensor other{{4, 3}, {{0}, {0}}, {1}};
  EXPECT_EQ(pack(other.view(), graph, {}).message(),
            "expected a tensor of the graph's shape 3x4 but got 4x3");
  CooTensor cube{{2, 2, 2}, {{0}, {0}, {0}}, {1}};
  EXPECT_EQ(pack(cube.view(), graph, {}).message(),
            "expected a matrix to pack but got a tensor of rank 3");
  CooTensor huge{{int64_t(1) << 31, 1}, {{0}, {0}}, {1}};
  EXPECT_EQ(
      pack(huge.view(), graphOf(huge.view(), OrderKind::Rows), {}).message(),
      "expected extents of at most 2147483647 to pack but got "
      "2147483648");
  tensor.coordinates[1][2] = 4;
  EXPECT_FALSE(pack(tensor.view(), graph, {}));
}

TEST(Pack, TooManyWorkersForMemoryIsAnError) {
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  PackOptions options;
  options.workers = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_EQ(
      pack(tensor.view(), graphOf(tensor.view(), OrderKind::Rows), options)
          .message(),
      "out of memory packing 3 nonzeros");
}
