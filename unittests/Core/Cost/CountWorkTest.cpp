//===- CountWorkTest.cpp - what packed nonzeros ask of the caches ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost/Cost.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "Generate.h"
#include "Samples.h"

using namespace astfe::core;
using astfe::bench::generate;
using astfe::bench::Matrix;
using astfe::bench::MatrixClass;

namespace {

Machine oneThread() {
  Machine machine;
  machine.threads = 1;
  return machine;
}

Product productOf(int64_t columns) {
  Product product;
  product.columns = columns;
  return product;
}

Graph graphOf(const SparseView &view, OrderKind order,
              ReorderKind reorder = ReorderKind::None) {
  Result<Space> space = arrange(view, {order, 10, reorder});
  EXPECT_TRUE(space) << space.message();
  return *partition(*countProfile(view, *space, {256, 1}));
}

Work workOf(const Matrix &matrix, const Graph &graph, int64_t columns,
            const CountOptions &options = {},
            const Machine &machine = oneThread()) {
  Result<Work> work =
      countWork(machine, productOf(columns), matrix.view(), graph, options);
  EXPECT_TRUE(work) << work.message();
  return *work;
}

double secondsOf(const Matrix &matrix, const Graph &graph, int64_t columns) {
  return predict(oneThread(), productOf(columns),
                 workOf(matrix, graph, columns))
      .seconds;
}

} // namespace

TEST(CountWork, RowsArePackedAsTheyAreViewed) {
  const Matrix matrix = generate(MatrixClass::Uniform, 50000);
  auto view = countWork(oneThread(), productOf(32), matrix.view());
  ASSERT_TRUE(bool(view));
  Work packed = workOf(matrix, graphOf(matrix.view(), OrderKind::Rows), 32);
  EXPECT_EQ(packed.nonzeros, view->nonzeros);
  EXPECT_EQ(packed.segments, view->segments);
  EXPECT_EQ(packed.surprises, view->surprises);
  EXPECT_EQ(packed.outputs, view->outputs);
  EXPECT_EQ(packed.rows, view->rows);
  EXPECT_EQ(packed.b.all, view->b.all);
  EXPECT_EQ(packed.b.sequential, view->b.sequential);
  EXPECT_EQ(packed.c.all, view->c.all);
}

TEST(CountWork, SlicesForeseeTheirRows) {
  const Matrix matrix = generate(MatrixClass::Rmat, 50000);
  const Graph graph = graphOf(matrix.view(), OrderKind::Rows);
  // One column: most rows are in slices, which begin none.
  Work sliced = workOf(matrix, graph, 1), rows = workOf(matrix, graph, 16);
  EXPECT_LT(2 * sliced.segments, rows.segments);
  EXPECT_LT(2 * sliced.surprises, rows.surprises);
  EXPECT_EQ(sliced.outputs, rows.outputs);
}

TEST(CountWork, WindowsKeepTheirRowsNear) {
  const Matrix matrix = generate(MatrixClass::Pruned75, 400000);
  const Graph graph = graphOf(matrix.view(), OrderKind::Rows);
  // As rows nearly all nonzeros miss L1; a window's rows come once a panel.
  EXPECT_GT(4 * workOf(matrix, graph, 31).b.all[0], 3 * matrix.nonzeros());
  for (int64_t columns : {32, 128})
    EXPECT_LT(4 * workOf(matrix, graph, columns).b.all[0], matrix.nonzeros());
}

TEST(CountWork, SamplesAreOfRowsAndSingleNonzerosOnly) {
  // Neither windows nor tiles have kernels of samples.
  Product samples = productOf(128);
  samples.samples = true;
  for (MatrixClass kind : {MatrixClass::Pruned75, MatrixClass::BlockDiagonal}) {
    const Matrix matrix = generate(kind, 100000);
    const Graph graph = graphOf(matrix.view(), OrderKind::Rows);
    auto work = countWork(oneThread(), samples, matrix.view(), graph);
    ASSERT_TRUE(bool(work));
    EXPECT_EQ(work->tiled, 0);
    EXPECT_EQ(work->segments, matrix.rows);
  }
  EXPECT_EQ(samples.classes(), classesOfSamples());
}

TEST(CountWork, ShortRowsThatRepeatTheRowBeforeHaveWindowsWhereBIsWide) {
  // Every second of 192 columns, the same ones in three rows.
  Matrix matrix;
  matrix.rows = 300;
  matrix.columns = 192;
  matrix.positions.push_back(0);
  for (int64_t row = 0; row < 300; ++row) {
    for (auto column = int32_t(row / 3 % 2); column < 192; column += 2)
      matrix.coordinates.push_back(column);
    matrix.positions.push_back(int32_t(matrix.coordinates.size()));
  }
  const Graph graph = graphOf(matrix.view(), OrderKind::Rows);
  // As pack does it: rows are begun in both windows.
  EXPECT_EQ(workOf(matrix, graph, 128).outputs, 300);
  EXPECT_EQ(workOf(matrix, graph, 129).outputs, 600);
}

TEST(CountWork, TilesUseARowOfBForSeveralOfC) {
  const Matrix matrix = generate(MatrixClass::BlockDiagonal, 50000);
  const Graph graph = graphOf(matrix.view(), OrderKind::Rows);
  Machine noCaches = oneThread();
  noCaches.cacheBytes.fill(1);
  Work work = workOf(matrix, graph, 32, {}, noCaches);
  EXPECT_EQ(work.tiled, matrix.nonzeros());
  EXPECT_EQ(4 * work.b.all[0], matrix.nonzeros());
}

TEST(CountWork, TilesOfRowsAreWhatReorderingMakesOfBlocks) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 100000);
  EXPECT_EQ(workOf(matrix, graphOf(matrix.view(), OrderKind::Rows), 32).tiled,
            0);
  // Groups of several blocks, which have 1024 nonzeros a row of blocks.
  Result<Space> space =
      arrange(matrix.view(), {OrderKind::Rows, 10, ReorderKind::Labels});
  ASSERT_TRUE(space);
  const Graph labels =
      *partition(*countProfile(matrix.view(), *space, {8192, 1}));
  Machine noCaches = oneThread();
  noCaches.cacheBytes.fill(1);
  Work work = workOf(matrix, labels, 32, {}, noCaches);
  EXPECT_GT(10 * work.tiled, 9 * matrix.nonzeros());
  EXPECT_LT(3 * work.b.all[0], matrix.nonzeros());
}

TEST(CountWork, CurvesBeginRowsAgainAndKeepColumns) {
  const Matrix matrix = generate(MatrixClass::Uniform, 300000);
  Work rows = workOf(matrix, graphOf(matrix.view(), OrderKind::Rows), 32);
  Work curve = workOf(matrix, graphOf(matrix.view(), OrderKind::Hilbert), 32);
  EXPECT_GT(curve.segments, 2 * rows.segments);
  EXPECT_LT(curve.b.all[1], rows.b.all[1]);
}

TEST(CountWork, ReorderingPaysWhereStructureIsHidden) {
  const Matrix blocks = generate(MatrixClass::PermutedBlocks, 200000);
  const Graph rows = graphOf(blocks.view(), OrderKind::Rows),
              labels =
                  graphOf(blocks.view(), OrderKind::Rows, ReorderKind::Labels);
  EXPECT_LT(10 * secondsOf(blocks, labels, 128),
            9 * secondsOf(blocks, rows, 128));
  // And hardly on a mesh that is in order.
  const Matrix mesh = generate(MatrixClass::Mesh, 200000);
  EXPECT_GT(
      5 * secondsOf(mesh,
                    graphOf(mesh.view(), OrderKind::Rows, ReorderKind::Labels),
                    128),
      4 * secondsOf(mesh, graphOf(mesh.view(), OrderKind::Rows), 128));
}

TEST(CountWork, ASampleTellsOfTheWhole) {
  for (MatrixClass kind :
       {MatrixClass::Uniform, MatrixClass::PermutedBlocks, MatrixClass::Mesh})
    for (OrderKind order : {OrderKind::Rows, OrderKind::Hilbert}) {
      const Matrix matrix = generate(kind, 400000);
      const Graph graph = graphOf(matrix.view(), order);
      Work all = workOf(matrix, graph, 32);
      Work part = workOf(matrix, graph, 32, {100000});
      EXPECT_EQ(part.nonzeros, all.nonzeros);
      auto seconds = [](const Work &work) {
        return predict(oneThread(), productOf(32), work).seconds;
      };
      EXPECT_NEAR(seconds(part) / seconds(all), 1, 0.15) << int(kind);
    }
}

TEST(CountWork, ASampleOfNewRowNumbersTellsOfTheWhole) {
  const Machine two;
  const Matrix matrix =
      astfe::bench::shuffle(generate(MatrixClass::Mesh, 400000), 7);
  for (ReorderKind reorder : {ReorderKind::Rcm, ReorderKind::Labels}) {
    const Graph graph = graphOf(matrix.view(), OrderKind::Rows, reorder);
    ASSERT_FALSE(graph.space.permutations[0].empty());
    const Work all = workOf(matrix, graph, 32, {}, two);
    const Work part = workOf(matrix, graph, 32, {50000}, two);
    // Who touches what is known of all nonzeros.
    EXPECT_EQ(part.rows, all.rows);
    EXPECT_EQ(part.threadRows, all.threadRows);
    EXPECT_EQ(part.shared, all.shared);
    // The order has been found again: rows as they are miss far more.
    EXPECT_NEAR(double(part.b.all[1]), double(all.b.all[1]),
                0.15 * double(all.b.all[1]));
    const Work shuffled =
        workOf(matrix, graphOf(matrix.view(), OrderKind::Rows), 32, {50000});
    EXPECT_LT(3 * part.b.all[1], shuffled.b.all[1]);
  }
}

TEST(CountWork, RowsOfSeveralThreadsAreShared) {
  // Two rows, two threads, each of which has a half of both along the columns.
  Sample sample{"halves", {2, 4096}, {{}, {}}};
  for (int64_t j = 0; j < 4096; ++j)
    for (int64_t i = 0; i < 2; ++i) {
      sample.coordinates[0].push_back(i);
      sample.coordinates[1].push_back(j);
    }
  Machine two;
  auto shared = [&](OrderKind order) {
    Result<Work> work = countWork(two, productOf(32), sample.view(),
                                  graphOf(sample.view(), order));
    EXPECT_TRUE(work) << work.message();
    return work->shared;
  };
  EXPECT_EQ(shared(OrderKind::Rows), 0);
  EXPECT_EQ(shared(OrderKind::Morton), 4);
}

TEST(CountWork, TheSlowestThreadTellsTheTime) {
  // One half of the rows reads the same few rows of B, the other any.
  Sample sample{"halves", {4096, 4096}, {{}, {}}};
  for (int64_t i = 0; i < 4096; ++i)
    for (int64_t k = 0; k < 16; ++k) {
      sample.coordinates[0].push_back(i);
      sample.coordinates[1].push_back(i < 2048 ? k : (i * 16 + k) * 257 % 4096);
    }
  const Graph graph = graphOf(sample.view(), OrderKind::Rows);
  Machine one = oneThread(), two = oneThread();
  two.threads = 2;
  EXPECT_EQ(countWork(one, productOf(128), sample.view(), graph)->slowest, 1);
  const Work uneven = *countWork(two, productOf(128), sample.view(), graph);
  EXPECT_GT(uneven.slowest, 1.2);
  EXPECT_LT(uneven.slowest, 2);
  Work even = uneven;
  even.slowest = 1;
  EXPECT_NEAR(predict(two, productOf(128), uneven).seconds - two.startSeconds,
              uneven.slowest * (predict(two, productOf(128), even).seconds -
                                two.startSeconds),
              1e-9);
}

TEST(CountWork, ASampleThatHoldsNoRowIsNone) {
  // Three long rows: none begins in a part that a sample would look at.
  Sample rows{"long rows", {3, 300000}, {{}, {}}};
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t k = 0; k < 100000; ++k) {
      rows.coordinates[0].push_back(i);
      rows.coordinates[1].push_back(k * 3 + i);
    }
  Machine two = oneThread();
  two.threads = 2;
  const Graph graph = graphOf(rows.view(), OrderKind::Rows);
  CountOptions all, some;
  all.sample = 1000000;
  some.sample = 1 << 13;
  const Product product = productOf(32);
  const auto seconds = [&](const SparseView &view,
                           const CountOptions &options) {
    return predict(two, product, *countWork(two, product, view, graph, options))
        .seconds;
  };
  const double whole = seconds(rows.view(), all);
  EXPECT_NEAR(seconds(rows.view(), some), whole, 0.01 * whole);
}

TEST(CountWork, DoesNotDependOnThreads) {
  const Matrix matrix = generate(MatrixClass::Rmat, 200000);
  const Graph graph = graphOf(matrix.view(), OrderKind::Hilbert);
  for (int64_t sample : {50000, 1000000}) {
    Work one = workOf(matrix, graph, 32, {sample, 1}),
         many = workOf(matrix, graph, 32, {sample, 5});
    EXPECT_EQ(one.b.all, many.b.all);
    EXPECT_EQ(one.c.all, many.c.all);
    EXPECT_EQ(one.segments, many.segments);
  }
}

TEST(CountWork, RefusesSenselessInput) {
  Sample sample = scattered("matrix", {10, 10}, 20, 1);
  Graph graph = *partition(sample.profile(OrderKind::Rows, 4));
  Sample other = scattered("matrix", {10, 11}, 20, 1);
  EXPECT_EQ(countWork({}, {}, other.view(), graph).message(),
            "expected a tensor of the graph's shape but got another");
  Sample cube = scattered("cube", {4, 4, 4}, 20, 1);
  EXPECT_FALSE(countWork({}, {}, cube.view(),
                         *partition(cube.profile(OrderKind::Rows, 4))));
  Sample empty{"none", {2, 2}, {{}, {}}};
  Result<Work> none = countWork({}, {}, empty.view(),
                                *partition(empty.profile(OrderKind::Rows, 4)));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->nonzeros, 0);
}
