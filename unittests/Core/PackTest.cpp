//===- PackTest.cpp - pack against brute force ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOracle.h"
#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

constexpr OrderKind kOrders[] = {OrderKind::Rows, OrderKind::Morton,
                                 OrderKind::Hilbert, OrderKind::Panels};

Packed packed(const SparseView &view, const Graph &graph,
              const PackOptions &options) {
  Result<Packed> result = pack(view, graph, options);
  if (result)
    return *result;
  ADD_FAILURE() << result.message();
  return {};
}

/// Everything that must hold for any packed matrix.
void expectExact(const SparseView &view, const Packed &packed) {
  Status status = packed.check();
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(entriesOf(packed), entriesOf(view));

  std::vector<double> values = counting(view.nonzeros());
  std::vector<double> slots(size_t(packed.slots), -1), back(values.size());
  gatherValues(packed, values.data(), slots.data());
  scatterValues(packed, slots.data(), back.data());
  EXPECT_EQ(back, values);

  std::vector<double> x = counting(view.shape[1]);
  std::vector<double> expected = multiply(view, values, x);
  EXPECT_EQ(multiplyByTarget(packed, slots, x), expected);
  EXPECT_EQ(multiplyByRow(packed, slots, x), expected);
}

/// All classes, all subsets that pack accepts.
std::vector<Layout> allLayouts() {
  std::vector<Layout> result;
  ClassSet scattered = ClassSet::of(SegmentClass::Scattered);
  for (ClassSet classes :
       {scattered, scattered.with(SegmentClass::RowSegments),
        scattered.with(SegmentClass::DenseTile), ClassSet::all()})
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

int64_t spansOf(const Packed &packed, SegmentClass kind) {
  return std::count(packed.spanClass.begin(), packed.spanClass.end(),
                    int32_t(kind));
}

/// A COO matrix of one full tile.
CooTensor tile(int64_t rows, int64_t columns, int64_t row, int64_t column,
               int64_t height, int64_t width) {
  CooTensor tensor{{rows, columns}, {{}, {}}, {}};
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j) {
      tensor.coordinates[0].push_back(row + i);
      tensor.coordinates[1].push_back(column + j);
      tensor.values.push_back(1);
    }
  return tensor;
}

} // namespace

TEST(Pack, WorkedExampleOfTheHeader) {
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows), {});
  EXPECT_EQ(result.workerSpan, std::vector<int64_t>({0, 1}));
  EXPECT_EQ(result.spanSlot, std::vector<int64_t>({0, 3}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 2}));
  EXPECT_EQ(result.segmentRow, std::vector<int32_t>({0, 2}));
  EXPECT_EQ(result.segmentEnd, std::vector<int32_t>({2, 3}));
  EXPECT_EQ(result.columns32, std::vector<int32_t>({1, 3, 0}));
  EXPECT_EQ(result.slotOf, std::vector<int64_t>({0, 1, 2}));
}

TEST(Pack, WorkedExampleOfTheDocs) {
  CooTensor tensor{{3, 4}, {{0, 0, 0, 2}, {0, 2, 3, 2}}, {5, 6, 7, 8}};
  Packed result =
      packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows), {{}, 2});
  EXPECT_EQ(result.workerSpan, std::vector<int64_t>({0, 1, 2}));
  EXPECT_EQ(result.spanSlot, std::vector<int64_t>({0, 2, 4}));
  EXPECT_EQ(result.spanSegment, std::vector<int64_t>({0, 1, 3}));
  EXPECT_EQ(result.segmentEnd, std::vector<int32_t>({2, 1, 2}));
  EXPECT_EQ(result.segmentRow, std::vector<int32_t>({~0, ~0, 2}));
  EXPECT_EQ(result.segmentTarget, std::vector<int32_t>({~0, ~1, 2}));
  EXPECT_EQ(result.columns32, std::vector<int32_t>({0, 2, 3, 2}));
  EXPECT_EQ(result.slotOf, std::vector<int64_t>({0, 1, 2, 3}));
  EXPECT_EQ(result.combineRow, std::vector<int32_t>({0}));
  EXPECT_EQ(result.combineBegin, std::vector<int64_t>({0, 2}));
  EXPECT_EQ(result.combinePartial, std::vector<int32_t>({0, 1}));
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

TEST(Pack, UnsortedColumnsOfCsrAreSorted) {
  std::vector<int32_t> positions{0, 3, 4}, columns{5, 1, 1, 0};
  SparseView view = SparseView::csr(2, 6, IndexArray(positions.data(), 3),
                                    IndexArray(columns.data(), 4));
  Packed result = packed(view, graphOf(view, OrderKind::Rows, 100), {});
  expectExact(view, result);
  EXPECT_EQ(result.columns32, std::vector<int32_t>({1, 1, 5, 0}));
  EXPECT_EQ(result.slotOf, std::vector<int64_t>({2, 0, 1, 3}));
}

TEST(Pack, SlotsAreRowMajorInsideAGroupAndStable) {
  CooTensor tensor = mixedMatrix(50, 50, 3000, 3);
  Graph graph = graphOf(tensor.view(), OrderKind::Hilbert, 64, 2);
  Layout layout;
  layout.classes = ClassSet::all();
  layout.classes.bits &= uint8_t(~ClassSet::of(SegmentClass::DenseTile).bits);
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
  gatherValues(result, values.data(), slots.data());
  scatterValues(result, slots.data(), back.data());
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
  CooTensor row = tile(20, 4000, 7, 0, 1, 4000);
  CooTensor column = tile(4000, 20, 0, 7, 4000, 1);
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
  CooTensor corner = tile(64, 64, 60, 60, 2, 2);
  for (OrderKind order : kOrders) {
    expectExact(tensor.view(),
                packed(tensor.view(), graphOf(corner.view(), order, 1, 1),
                       {Layout(), 3}));
    Graph empty = graphOf(CooTensor{{64, 64}, {{}, {}}, {}}.view(), order);
    expectExact(tensor.view(), packed(tensor.view(), empty, {Layout(), 3}));
  }
}

TEST(Pack, FullTilesBecomeDense) {
  CooTensor tensor = tile(40, 40, 5, 8, 4, 4);
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
  for (CooTensor small : {tile(40, 40, 5, 8, 3, 9), tile(40, 40, 5, 8, 9, 3)})
    EXPECT_EQ(spansOf(packed(small.view(), graph, {}), SegmentClass::DenseTile),
              0);
}

TEST(Pack, ADuplicateIsNoTile) {
  CooTensor tensor = tile(40, 40, 5, 8, 4, 6);
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

TEST(Pack, TilesAreZeroFilledOnlyForFiniteOperands) {
  CooTensor tensor = tile(40, 40, 5, 8, 6, 8);
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

TEST(Pack, ZeroFilledTilesAreThreeQuartersFull) {
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

TEST(Pack, RowsOfATileCoverTheSameColumns) {
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

TEST(Pack, ShortRowsAreScattered) {
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
  CooTensor pairs = tile(50, 2, 0, 0, 50, 2);
  Graph pairGraph = graphOf(pairs.view(), OrderKind::Rows, 1000);
  EXPECT_EQ(
      spansOf(packed(pairs.view(), pairGraph, {}), SegmentClass::RowSegments),
      1);
}

TEST(Pack, ATileCutInsideARowKeepsItsWholeRows) {
  CooTensor tensor = tile(8, 100, 0, 0, 8, 100);
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

TEST(Pack, TilesStayWithinTheLimitOfSpans) {
  for (bool finite : {false, true})
    for (int64_t limit : {5, 99, 100, 250}) {
      CooTensor tensor = tile(8, 100, 0, 0, 8, 100);
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

TEST(Pack, TheLimitCutsBetweenSegmentsWherePossible) {
  CooTensor tensor = tile(6, 3, 0, 0, 6, 3);
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
  gatherValues(result, tensor.values.data(), slots.data());
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
