//===- BalanceTest.cpp - equal shares, whatever the matrix and threads ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Assign.h"
#include "ASTFE/Core/Pack.h"
#include "ASTFE/Core/Plan.h"
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
