//===- DealRowsTest.cpp - rows of a multiprocessor's warps ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "PackOracle.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {

/// Rows of so many nonzeros each.
CooTensor rowsOf(ArrayRef<int64_t> lengths, int64_t columns) {
  CooTensor tensor{{int64_t(lengths.size()), columns}, {{}, {}}, {}};
  for (size_t row = 0; row < lengths.size(); ++row)
    for (int64_t i = 0; i < lengths[row]; ++i) {
      tensor.coordinates[0].push_back(int64_t(row));
      tensor.coordinates[1].push_back(3 * i); // no dense tile
      tensor.values.push_back(double(tensor.values.size() + 1));
    }
  return tensor;
}

/// For warps that share the L1 of one multiprocessor, with wide tiles.
PackOptions sharingWarps(int64_t workers) {
  PackOptions options;
  chooseForGPU(options.layout, 128);
  options.workers = workers;
  options.multiprocessors = 1;
  return options;
}

/// The rows of a worker, in its order.
std::vector<int32_t> rowsOfWorker(const Packed &packed, size_t worker) {
  auto segment = [&](size_t w) {
    return packed.segmentRow.begin() +
           packed.spanSegment[size_t(packed.workerSpan[w])];
  };
  return {segment(worker), segment(worker + 1)};
}

} // namespace

TEST(DealRows, NeighbouringRowsAreDealtToWarpsOfOneMultiprocessor) {
  using Rows = std::vector<int32_t>;
  CooTensor even = rowsOf({4, 4, 4, 4, 4, 4}, 16);
  Graph graph = graphOf(even.view(), OrderKind::Rows, 1000);
  Packed result = packed(even.view(), graph, sharingWarps(2));
  expectExact(even.view(), result);
  EXPECT_EQ(rowsOfWorker(result, 0), (Rows{0, 2, 4}));
  EXPECT_EQ(rowsOfWorker(result, 1), (Rows{1, 3, 5}));
  EXPECT_EQ(result.spans(), 2);
  // A row costs 2 beside its nonzeros: 11 and 6 a row.
  CooTensor uneven = rowsOf({9, 4, 4, 4, 4, 4}, 32);
  Graph other = graphOf(uneven.view(), OrderKind::Rows, 1000);
  result = packed(uneven.view(), other, sharingWarps(2));
  expectExact(uneven.view(), result);
  EXPECT_EQ(rowsOfWorker(result, 0), (Rows{0, 3, 5}));
  EXPECT_EQ(rowsOfWorker(result, 1), (Rows{1, 2, 4}));
}

TEST(DealRows, RowsAreNotDealtWhereNothingIsShared) {
  CooTensor tensor = rowsOf({4, 4, 4, 4, 4, 4}, 16);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  auto inOrder = [&](const PackOptions &options) {
    Packed result = packed(tensor.view(), graph, options);
    expectExact(tensor.view(), result);
    return result.isInOrder() &&
           rowsOfWorker(result, 0) == std::vector<int32_t>{0, 1, 2};
  };
  PackOptions options = sharingWarps(2);
  EXPECT_FALSE(inOrder(options));
  // Blocks of narrow tiles lie on multiprocessors in turn.
  options.layout.columnTile = 32;
  EXPECT_TRUE(inOrder(options));
  options = sharingWarps(2);
  options.multiprocessors = 0;
  EXPECT_TRUE(inOrder(options));
  // Samples are left in slots.
  options = sharingWarps(2);
  options.layout.classes = classesOfSamples();
  EXPECT_TRUE(inOrder(options));
}

TEST(DealRows, RowsBesideACutOneAreNotDealt) {
  std::vector<int64_t> lengths(40, 6);
  lengths[20] = 800;
  CooTensor tensor = rowsOf(lengths, 2400);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 10000);
  Packed result = packed(tensor.view(), graph, sharingWarps(8));
  expectExact(tensor.view(), result);
  EXPECT_FALSE(result.combineRow.empty());
  EXPECT_TRUE(result.isInOrder());
}

TEST(DealRows, OneWorkerHasItsRowsInOrder) {
  CooTensor tensor = rowsOf({4, 4, 4, 4}, 16);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, sharingWarps(1));
  expectExact(tensor.view(), result);
  EXPECT_TRUE(result.isInOrder());
}

/// The warps have the rows that they have where nothing is shared.
static void expectRuns(const CooTensor &tensor, const Graph &graph,
                       PackOptions options) {
  Packed shared = packed(tensor.view(), graph, options);
  expectExact(tensor.view(), shared);
  options.multiprocessors = 0;
  Packed apart = packed(tensor.view(), graph, options);
  for (size_t w = 0; w < shared.workerSpan.size() - 1; ++w)
    EXPECT_EQ(rowsOfWorker(shared, w), rowsOfWorker(apart, w));
}

TEST(DealRows, RowsOfDifferentWindowsAreNotDealt) {
  // Eight bits hold the columns of one half or of the other.
  CooTensor tensor{{12, 4096}, {{}, {}}, {}};
  for (int64_t row = 0; row < 12; ++row)
    for (int64_t i = 0; i < 8; ++i) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back((row < 6 ? 0 : 3000) + 5 * i);
      tensor.values.push_back(1);
    }
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  PackOptions options = sharingWarps(4);
  EXPECT_FALSE(packed(tensor.view(), graph, options).isInOrder());
  options.layout.columnBits = 8;
  expectRuns(tensor, graph, options);
}

TEST(DealRows, UnevenRowsKeepTheirRuns) {
  // Runs are seven rows and the last one, 70 and 62 with what rows cost. Dealt,
  // the last one would go to a warp that has three already: 92, and the mean
  // row is 16.
  CooTensor tensor = rowsOf({8, 8, 8, 8, 8, 8, 8, 60}, 256);
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  Packed result = packed(tensor.view(), graph, sharingWarps(2));
  expectExact(tensor.view(), result);
  EXPECT_TRUE(result.isInOrder());
  EXPECT_EQ(rowsOfWorker(result, 1), std::vector<int32_t>{7});
}

TEST(DealRows, PartsOfOneRowStayInTheirRuns) {
  // Blocks of the Hilbert curve, which have parts of the same rows.
  CooTensor tensor = rowsOf(std::vector<int64_t>(16, 16), 64);
  Graph graph = graphOf(tensor.view(), OrderKind::Hilbert, 64);
  ASSERT_GT(graph.groupCount(), 1u);
  PackOptions options = sharingWarps(4);
  expectRuns(tensor, graph, options);
}

TEST(DealRows, DealtRowsAreTakenOnceAndInBalance) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> lengths(size_t(200 + seed * 31));
    for (int64_t &length : lengths)
      length = int64_t(4 + random() % (1 + seed));
    CooTensor tensor = rowsOf(lengths, 128);
    // Nonzeros in any order have a map before.
    if (seed % 3 == 0)
      for (auto *column : {&tensor.coordinates[0], &tensor.coordinates[1]}) {
        std::mt19937 same(seed);
        std::shuffle(column->begin(), column->end(), same);
      }
    Graph graph = graphOf(tensor.view(), OrderKind::Rows, 100);
    for (int64_t multiprocessors : {1, 3}) {
      PackOptions options = sharingWarps(48);
      options.multiprocessors = multiprocessors;
      options.layout.columnBits = seed % 2 ? 32 : 8;
      Packed result = packed(tensor.view(), graph, options);
      expectExact(tensor.view(), result);
      EXPECT_FALSE(result.isInOrder());
      options.threads = 3;
      Packed other = packed(tensor.view(), graph, options);
      EXPECT_EQ(result.segmentRow, other.segmentRow);
      EXPECT_EQ(result.slotOf, other.slotOf);
      int64_t most = 0, all = 0;
      for (size_t w = 0; w < 48; ++w) {
        int64_t cost = 0;
        for (int32_t row : rowsOfWorker(result, w))
          cost += lengths[size_t(row)] + segmentCost(options.layout);
        most = std::max(most, cost);
        all += cost;
      }
      // Groups differ by a row at either end, and their workers by one.
      EXPECT_LE(most, all / 48 + 2 * int64_t(6 + seed)) << seed;
    }
  }
}
