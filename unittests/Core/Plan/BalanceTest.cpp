//===- BalanceTest.cpp - equal shares, whatever the matrix and threads ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "Generate.h"
#include <gtest/gtest.h>

using namespace astfe::bench;
using namespace astfe::core;

namespace {

constexpr OrderKind kOrders[] = {OrderKind::Rows, OrderKind::Morton,
                                 OrderKind::Hilbert, OrderKind::Panels};

Graph graphOf(const SparseView &view, OrderKind order, unsigned threads = 1) {
  PlanOptions options;
  options.order = order;
  options.profile.threads = threads;
  return makePlan(view, options)->fused;
}

void expectSameTables(const Packed &a, const Packed &b) {
  EXPECT_EQ(a.workerSpan, b.workerSpan);
  EXPECT_EQ(a.spanSlot, b.spanSlot);
  EXPECT_EQ(a.spanSegment, b.spanSegment);
  EXPECT_EQ(a.spanColumn, b.spanColumn);
  EXPECT_EQ(a.spanClass, b.spanClass);
  EXPECT_EQ(a.spanWidth, b.spanWidth);
  EXPECT_EQ(a.segmentRow, b.segmentRow);
  EXPECT_EQ(a.segmentTarget, b.segmentTarget);
  EXPECT_EQ(a.segmentEnd, b.segmentEnd);
  EXPECT_EQ(a.columns8, b.columns8);
  EXPECT_EQ(a.columns16, b.columns16);
  EXPECT_EQ(a.columns32, b.columns32);
  EXPECT_EQ(a.combineRow, b.combineRow);
  EXPECT_EQ(a.combineBegin, b.combineBegin);
  EXPECT_EQ(a.combinePartial, b.combinePartial);
  EXPECT_EQ(a.slotOf, b.slotOf);
}

} // namespace

TEST(Balance, AThousandNonzerosAWorkerAreSharedWithinATenthOfAPercent) {
  for (MatrixClass kind : matrixClasses()) {
    Matrix matrix = generate(kind, 70000);
    for (OrderKind order : kOrders) {
      SCOPED_TRACE(className(kind) + std::string(" ") +
                   std::string(orderName(order)));
      Graph graph = graphOf(matrix.view(), order);
      for (int64_t workers :
           {int64_t(2), int64_t(7), matrix.nonzeros() / 1000}) {
        PackOptions options;
        options.workers = workers;
        Result<Packed> packed = pack(matrix.view(), graph, options);
        ASSERT_TRUE(packed);
        EXPECT_LE(imbalance(packed->workerOffsets()), 1.001) << workers;
      }
    }
  }
}

/// Large enough for several pieces of every parallel loop.
TEST(Balance, NumbersOfThreadsChangeNoBit) {
  for (MatrixClass kind : {MatrixClass::Rmat, MatrixClass::Pruned75,
                           MatrixClass::PermutedBlocks}) {
    Matrix matrix = generate(kind, 400000);
    for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert})
      for (int bits : {16, 32}) {
        SCOPED_TRACE(className(kind) + std::string(" ") +
                     std::string(orderName(order)));
        PackOptions options;
        options.workers = 5;
        options.layout.columnBits = uint8_t(bits);
        Graph graph = graphOf(matrix.view(), order);
        Packed one = *pack(matrix.view(), graph, options);
        ASSERT_TRUE(one.check());
        // None is one; far more than there are pieces are as good as any.
        for (unsigned threads : {0u, 3u, 4000000000u}) {
          options.threads = threads;
          EXPECT_TRUE(graphOf(matrix.view(), order, threads) == graph);
          expectSameTables(*pack(matrix.view(), graph, options), one);
        }
      }
  }
}

/// A worker that ends inside of a long row has one segment of it, and so has
/// the next: no segment can be left out.
TEST(Balance, ThreadsFindTheRowsThatWorkersShare) {
  constexpr int32_t kRows = 70000, kColumns = 30000;
  std::vector<int32_t> positions{0}, columns;
  for (int32_t row = 0; row < kRows; ++row) {
    const bool isLong = row % 9999 == 5000;
    for (int32_t n = 0; n < (isLong ? kColumns : 1); ++n)
      columns.push_back(n);
    positions.push_back(int32_t(columns.size()));
  }
  SparseView view = SparseView::csr(
      kRows, kColumns, {positions.data(), int64_t(positions.size())},
      {columns.data(), int64_t(columns.size())});
  PackOptions options;
  options.workers = 11;
  // One block: a row has no other ends than those of workers.
  constexpr int64_t kAll = int64_t(1) << 30;
  Profile profile = *countProfile(
      view, *Space::whole(view.shape, OrderKind::Rows), {kAll, 1});
  Graph graph = *partition(profile, {kAll, 1});
  Packed one = *pack(view, graph, options);
  EXPECT_EQ(one.combineRow.size(), 7u);
  options.threads = 3;
  expectSameTables(*pack(view, graph, options), one);
}

/// What only hosts pack, of matrices in an order of their own.
TEST(Balance, NumbersOfThreadsChangeNoBitOfArrangedRows) {
  for (MatrixClass kind :
       {MatrixClass::Rmat, MatrixClass::Pruned75, MatrixClass::PermutedBlocks})
    for (ReorderKind reorder : {ReorderKind::None, ReorderKind::Labels})
      for (bool filled : {false, true}) {
        SCOPED_TRACE(className(kind) + std::string(" ") +
                     std::string(reorderName(reorder)));
        Matrix matrix = generate(kind, 200000);
        Space space =
            *arrange(matrix.view(), {OrderKind::Rows, 10, reorder, kAutoHubs});
        Graph graph =
            *partition(*countProfile(matrix.view(), space), {1024, 8});
        PackOptions options;
        options.workers = 5;
        options.layout.classes = ClassSet::all();
        options.layout.assumeFinite = filled;
        Packed one = *pack(matrix.view(), graph, options);
        ASSERT_TRUE(one.check());
        for (unsigned threads : {2u, 7u}) {
          options.threads = threads;
          expectSameTables(*pack(matrix.view(), graph, options), one);
        }
      }
}

/// All nonzeros in one corner of a huge space: their leading bits tell nothing.
TEST(Balance, ProfilesOfClusteredNonzerosAreThoseOfTheDefinition) {
  Matrix corner = generate(MatrixClass::Rmat, 60000);
  for (OrderKind order : kOrders) {
    SparseView view = corner.view();
    view.shape = {corner.rows, int64_t(1) << 30};
    Space space = *Space::whole(view.shape, order);
    Profile profile = *countProfile(view, space, {64, 2});
    ASSERT_TRUE(profile.check());
    EXPECT_EQ(profile.totalNonzeros(), corner.nonzeros());
    std::vector<uint32_t> parts;
    std::vector<uint64_t> keys;
    encodeNonzeros(view, space, parts, keys);
    std::vector<int64_t> counts(profile.size());
    for (uint64_t key : keys) {
      size_t bin = size_t(std::upper_bound(profile.prefix.begin(),
                                           profile.prefix.end(), key) -
                          profile.prefix.begin()) -
                   1;
      ASSERT_TRUE(profile.bin(bin).contains(key));
      ++counts[bin];
    }
    EXPECT_EQ(counts, profile.nonzeros);
    unsigned depth = space.parts[0].order().prefixBits();
    for (size_t i = 0; i < profile.size(); ++i)
      EXPECT_TRUE(profile.nonzeros[i] < 64 || profile.length[i] == depth);
  }
}

/// Rows by their new numbers inside a group, whatever the input's format: by
/// taking the rows of CSR in that order, or by sorting.
TEST(Balance, RowsOfAPermutedSpaceComeInTheirNewOrder) {
  Matrix matrix = generate(MatrixClass::Rmat, 60000);
  SparseView csr = matrix.view();
  Space space = *Space::whole(csr.shape, OrderKind::Hilbert);
  space.permutations.resize(2);
  for (int64_t row = 0; row < matrix.rows; ++row)
    space.permutations[0].push_back((row * 5 + 3) % matrix.rows);
  ASSERT_TRUE(space.check());
  std::vector<int32_t> rows;
  for (int32_t row = 0; row < int32_t(matrix.rows); ++row)
    rows.insert(rows.end(),
                size_t(matrix.positions[size_t(row) + 1] -
                       matrix.positions[size_t(row)]),
                row);
  SparseView coo = SparseView::coo(
      csr.shape, {IndexArray(rows.data(), csr.nonzeros()), csr.coordinates[0]});
  Graph graph = *partition(*countProfile(csr, space), {500, 8});
  PackOptions options;
  options.workers = 3;
  options.threads = 2;
  Packed packed = *pack(csr, graph, options);
  expectSameTables(packed, *pack(coo, graph, options));
  ASSERT_TRUE(packed.check());
  // Inside of each span, segments ascend by the new row.
  for (size_t s = 0; s < size_t(packed.spans()); ++s)
    for (int64_t g = packed.spanSegment[s] + 1; g < packed.spanSegment[s + 1];
         ++g) {
      auto newRow = [&](int64_t segment) {
        int32_t row = packed.segmentRow[size_t(segment)];
        return space.permutations[0][size_t(row < 0 ? ~row : row)];
      };
      ASSERT_LE(newRow(g - 1), newRow(g));
    }
  for (size_t n = 0; n < rows.size(); ++n)
    ASSERT_EQ(packed.columns32[size_t(packed.slotOfNonzero(n))],
              matrix.coordinates[n]);
}
