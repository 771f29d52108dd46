//===- CostTest.cpp -------------------------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost/Cost.h"
#include <gtest/gtest.h>
#include <list>
#include <random>

using namespace astfe::core;

namespace {

/// The header's example: 64 rows fit L1.
Machine example() {
  Machine machine;
  machine.threads = 1;
  machine.cacheBytes = {32 << 10, 1 << 20, 16 << 20, 32 << 20};
  machine.accessSeconds = {{{1e-9, 2e-9, 10e-9},
                            {2e-9, 4e-9, 20e-9},
                            {4e-9, 8e-9, 40e-9},
                            {5e-9, 10e-9, 50e-9},
                            {10e-9, 20e-9, 100e-9}}};
  machine.streamBytesPerSecond = {80e9, 40e9, 20e9, 20e9, 10e9};
  machine.rowSeconds = {1e-9, 1e-9};
  machine.surpriseSeconds = {3e-9, 2e-9};
  machine.startSeconds = 1e-6;
  machine.packSeconds = 50e-9;
  return machine;
}

Product columns128() {
  Product product;
  product.columns = 128;
  return product;
}

struct Csr {
  int64_t rows, columns;
  std::vector<int32_t> positions{0}, coordinates;
  SparseView view() const {
    return SparseView::csr(
        rows, columns, IndexArray(positions.data(), rows + 1),
        IndexArray(coordinates.data(), int64_t(coordinates.size())));
  }
};

/// Every row has `mean` nonzeros in a window of `band` columns.
Csr banded(int64_t rows, int64_t columns, int64_t mean, int64_t band,
           unsigned seed) {
  std::mt19937 random(seed);
  Csr csr{rows, columns, {0}, {}};
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t first = (columns - band) * i / rows;
    for (int64_t k = 0; k < mean; ++k)
      csr.coordinates.push_back(int32_t(first + int64_t(random() % band)));
    csr.positions.push_back(int32_t(csr.coordinates.size()));
  }
  return csr;
}

/// Misses of columns in a cache that holds the `capacity` rows of B and C last
/// used.
int64_t leastRecentlyUsed(const Csr &csr, size_t capacity) {
  std::list<int64_t> recent;
  auto touch = [&](int64_t row) {
    auto found = std::find(recent.begin(), recent.end(), row);
    bool missed = found == recent.end();
    if (!missed)
      recent.erase(found);
    else if (recent.size() == capacity)
      recent.pop_back();
    recent.push_front(row);
    return missed;
  };
  int64_t misses = 0;
  for (int64_t i = 0; i < csr.rows; ++i) {
    touch(-1 - i);
    for (int32_t k = csr.positions[size_t(i)]; k < csr.positions[size_t(i) + 1];
         ++k)
      misses += touch(csr.coordinates[size_t(k)]);
  }
  return misses;
}

using Counts = std::array<int64_t, Machine::Caches>;

TEST(Cost, boxWorkIsTheExampleOfTheHeader) {
  Box box;
  box.rank = 2;
  box.log2 = {10, 7};
  Work work = boxWork(example(), columns128(), box, {1024, 128}, 1000);
  EXPECT_EQ(work.b.all, (Counts{564, 128, 128, 128}));
}

TEST(Cost, boxesAreClippedToTheShape) {
  Box box;
  box.rank = 2;
  box.log2 = {10, 10};
  Work work = boxWork(example(), columns128(), box, {3, 5}, 1000);
  EXPECT_EQ(work.segments, 3);
  EXPECT_EQ(work.rows, 3 + 5);
  EXPECT_EQ(work.b.all[0], 5);
}

TEST(Cost, countedMissesAreNearThoseOfLRU) {
  const Machine machine = example();
  for (int64_t band : {16, 60, 100, 1000}) {
    const Csr csr = banded(400, 1000, 20, band, unsigned(band));
    auto work = countWork(machine, columns128(), csr.view());
    ASSERT_TRUE(bool(work));
    const double exact = double(leastRecentlyUsed(csr, 64));
    EXPECT_GE(double(work->b.all[0]), 0.8 * exact) << band;
    EXPECT_LE(double(work->b.all[0]), 1.6 * exact) << band;
    EXPECT_LE(work->b.all[1], work->b.all[0]);
    EXPECT_LE(work->b.all[2], work->b.all[1]);
    EXPECT_GE(work->b.all[3], work->rows - csr.rows);
  }
}

TEST(Cost, rowsOneAfterTheOtherAreFetchedAhead) {
  Csr diagonal{1000, 1000, {0}, {}}, scattered = diagonal;
  for (int32_t i = 0; i < 1000; ++i) {
    diagonal.coordinates.push_back(i);
    scattered.coordinates.push_back(i * 387 % 1000);
    diagonal.positions.push_back(i + 1);
    scattered.positions.push_back(i + 1);
  }
  auto ahead = countWork(example(), columns128(), diagonal.view());
  auto random = countWork(example(), columns128(), scattered.view());
  ASSERT_TRUE(ahead && random);
  EXPECT_EQ(ahead->b.all, random->b.all);
  EXPECT_EQ(ahead->b.sequential, (Counts{999, 999, 999, 999}));
  EXPECT_LT(random->b.sequential[0], 100);
  // Rows of C come one after the other in both.
  EXPECT_EQ(ahead->c.sequential, (Counts{999, 999, 999, 999}));
  Machine machine = example();
  machine.streamBytesPerSecond = {800e9, 400e9, 200e9, 200e9, 100e9};
  EXPECT_LT(predict(machine, columns128(), *ahead).seconds,
            predict(machine, columns128(), *random).seconds);
}

TEST(Cost, narrowRowsShareALine) {
  // 16 floats are one line: 64 columns are four misses, three of them ahead.
  Csr row{1, 64, {0, 64}, {}};
  for (int32_t j = 0; j < 64; ++j)
    row.coordinates.push_back(j);
  auto work = countWork(example(), Product(), row.view());
  ASSERT_TRUE(bool(work));
  EXPECT_EQ(work->b.all[0], 4);
  EXPECT_EQ(work->b.sequential[0], 3);
  EXPECT_EQ(work->rows, 65);
}

TEST(Cost, emptyRowsAreNoSegments) {
  Csr csr{4, 4, {0, 0, 2, 2, 2}, {1, 3}};
  auto work = countWork(example(), columns128(), csr.view());
  ASSERT_TRUE(bool(work));
  EXPECT_EQ(work->segments, 1);
  EXPECT_EQ(work->nonzeros, 2);
  EXPECT_EQ(work->rows, 1 + 2);
}

TEST(Cost, rowsOfAnotherLengthAreSurprises) {
  Csr csr{5, 4, {0, 2, 4, 5, 7, 9}, {0, 1, 0, 1, 3, 0, 1, 2, 3}};
  auto work = countWork(example(), columns128(), csr.view());
  ASSERT_TRUE(bool(work));
  // The first, the third and the fourth.
  EXPECT_EQ(work->surprises, 3);
  Work foreseen = *work;
  foreseen.surprises = 0;
  EXPECT_GT(predict(example(), columns128(), *work).seconds,
            predict(example(), columns128(), foreseen).seconds);
}

TEST(Cost, otherFormatsAreAnError) {
  Csr csr{1, 1, {0, 1}, {0}};
  SparseView view = csr.view();
  view.format = SparseFormat::Csc;
  auto work = countWork(example(), columns128(), view);
  ASSERT_FALSE(bool(work));
  EXPECT_EQ(work.message(), "expected a matrix by rows");
}

TEST(Cost, accessIsLinearBetweenTheMeasuredWidths) {
  const Machine machine = example();
  EXPECT_DOUBLE_EQ(machine.access(0, 4), 1e-9);
  EXPECT_DOUBLE_EQ(machine.access(0, 64), 2e-9);
  EXPECT_DOUBLE_EQ(machine.access(0, 288), 6e-9);
  EXPECT_DOUBLE_EQ(machine.access(0, 960), 18e-9);
}

TEST(Cost, predictionAddsAccessesAndSegments) {
  Work work;
  work.nonzeros = 1000;
  work.segments = work.outputs = 10;
  work.surprises = 5;
  work.rows = work.threadRows = int64_t(1) << 50; // that fit no cache
  work.b.all = {500, 200, 150, 100};
  work.c.all = work.c.sequential = {10, 10, 10, 10};
  const Cost cost = predict(example(), columns128(), work);
  EXPECT_EQ(cost.operations, 2 * 1000 * 128);
  EXPECT_EQ(cost.bytes, 1000 * 8 + 10 * 4 + 200 * 512 + 10 * 2 * 512);
  // A segment reads and writes 512 bytes instead of 64.
  EXPECT_NEAR(cost.seconds,
              1e-6 + 500 * 10e-9 + 300 * 20e-9 + 50 * 40e-9 + 50 * 50e-9 +
                  100 * 100e-9 + 10 * (1e-9 + 2 * (10e-9 - 2e-9)) + 5 * 2e-9 +
                  0.2 * (1000 * 8 + 10 * (4 + 1.5 * 512)) / 10e9,
              1e-12);
}

TEST(Cost, streamsBoundTheTimeFromBelow) {
  Work work;
  work.nonzeros = 1000;
  work.segments = work.outputs = 1000;
  work.rows = work.threadRows = int64_t(1) << 50;
  work.b.all = work.b.sequential = {1000, 1000, 1000, 1000};
  work.c = work.b;
  const double bytes = 1000 * 8 + 1000 * (4 + 1.5 * 512) + 1000 * 512;
  EXPECT_NEAR(predict(example(), columns128(), work).seconds,
              1e-6 + bytes / 10e9 +
                  0.2 * (1000 * 10e-9 + 1000 * (1e-9 + 2 * (10e-9 - 2e-9))),
              1e-12);
}

TEST(Cost, aRowFetchedAheadFromACacheCostsLessThanOneThatWasNot) {
  Work work;
  work.nonzeros = 1000;
  work.rows = work.threadRows = 1000; // fits the second cache
  work.b.all = {1000, 0, 0, 0};
  const double access = 1000 * (20e-9 - 10e-9);
  Work ahead = work;
  ahead.b.sequential = work.b.all;
  EXPECT_NEAR(predict(example(), columns128(), work).seconds -
                  predict(example(), columns128(), ahead).seconds,
              0.3 * access, 1e-12);
}

TEST(Cost, aRowOfCThatIsAskedForAheadCostsLessFromMemory) {
  Work work;
  work.nonzeros = work.outputs = work.segments = 1000;
  work.rows = work.threadRows = int64_t(1) << 50;
  Work far = work;
  far.c.all = {1000, 1000, 1000, 1000};
  auto cost = [&](int64_t columns) {
    Product product;
    product.columns = columns;
    return predict(example(), product, far).seconds -
           predict(example(), product, work).seconds;
  };
  // Two accesses of 512 bytes, and two and a half of 64.
  EXPECT_NEAR(cost(128), 1000 * 2 * (100e-9 - 10e-9), 1e-12);
  EXPECT_NEAR(cost(16), 1000 * 2.5 * (20e-9 - 2e-9), 1e-12);
}

Product samplesOf128() {
  Product product = columns128();
  product.samples = true;
  return product;
}

TEST(Cost, samplesReadBothRowsAndWriteAnElement) {
  Work work;
  work.nonzeros = 1000;
  work.segments = work.outputs = 10;
  work.rows = work.threadRows = int64_t(1) << 50; // that fit no cache
  work.b.all = {500, 200, 150, 100};
  work.c.all = {10, 10, 10, 10};
  work.c.sequential = work.c.all;
  const Cost cost = predict(example(), samplesOf128(), work);
  EXPECT_EQ(cost.operations, 2 * 1000 * 128);
  EXPECT_EQ(cost.bytes, 1000 * 12 + 10 * 4 + 200 * 512 + 10 * 512);
  EXPECT_NEAR(cost.seconds,
              1e-6 + 500 * 10e-9 + 300 * 20e-9 + 50 * 40e-9 + 50 * 50e-9 +
                  100 * 100e-9 + 10 * 0.5e-9 +
                  0.2 * (1000 * 12 + 10 * (4 + 512)) / 10e9,
              1e-12);
  // Nothing waits for the ends of rows, and no thread shares a row of X.
  Work other = work;
  other.surprises = 10;
  other.shared = 10;
  EXPECT_EQ(predict(example(), samplesOf128(), other).seconds, cost.seconds);
}

TEST(Cost, samplesWaitForRowsOfXFromBeyondL2) {
  Work work;
  work.nonzeros = work.outputs = work.segments = 1000;
  auto more = [&](int64_t rows, Counts all, Counts sequential) {
    work.rows = work.threadRows = rows;
    Work missed = work;
    missed.c = {all, sequential};
    return predict(example(), samplesOf128(), missed).seconds -
           predict(example(), samplesOf128(), work).seconds;
  };
  const int64_t inL3 = 10000, inMemory = int64_t(1) << 50;
  EXPECT_NEAR(more(inL3, {1000, 0, 0, 0}, {}), 1000 * (20e-9 - 10e-9), 1e-12);
  EXPECT_NEAR(more(inL3, {1000, 1000, 0, 0}, {}), 1000 * 4 * (40e-9 - 10e-9),
              1e-12);
  EXPECT_NEAR(more(inMemory, {1000, 1000, 1000, 1000}, {}),
              1000 * (100e-9 - 10e-9), 1e-10);
  // What was fetched ahead is there.
  EXPECT_LT(more(inL3, {1000, 1000, 0, 0}, {1000, 1000, 0, 0}),
            1000 * (40e-9 - 10e-9));
}

TEST(Cost, samplesWaitForNoRowsOfXThatKernelsAskForAhead) {
  Work work, missed;
  work.nonzeros = work.outputs = work.segments = 1000;
  work.rows = work.threadRows = 10000;
  missed = work;
  missed.c = {{1000, 1000, 0, 0}, {}};
  auto more = [&](int64_t inputRows, int64_t columns) {
    Product product = samplesOf128();
    product.columns = columns;
    product.inputRows = inputRows;
    return predict(example(), product, missed).seconds -
           predict(example(), product, work).seconds;
  };
  // As much as four times a core's L2, of rows of 512 bytes.
  const int64_t most = 4 * (1 << 20) / 512;
  EXPECT_NEAR(more(most, 128), 1000 * 4 * (40e-9 - 10e-9), 1e-12);
  EXPECT_NEAR(more(most + 1, 128), 1000 * (40e-9 - 10e-9), 1e-12);
  // Narrow rows are waited for, and those of more than a KiB a processor follows
  // by itself.
  Product product = samplesOf128();
  product.inputRows = int64_t(1) << 20;
  product.columns = 256;
  EXPECT_TRUE(product.fetchesInputs());
  product.columns = 64;
  EXPECT_FALSE(product.fetchesInputs());
  product.columns = 257;
  EXPECT_FALSE(product.fetchesInputs());
  product.samples = false;
  product.columns = 128;
  EXPECT_FALSE(product.fetchesInputs());
}

TEST(Cost, whatFitsACacheIsStillThereFromTheLastRun) {
  Work work;
  work.nonzeros = work.segments = work.outputs = 10;
  work.rows = work.threadRows = 20;
  work.b.all = {10, 10, 10, 10};
  work.c.all = {10, 10, 10, 10};
  const double access = 10 * 10e-9 + 10 * (1e-9 + 2 * (10e-9 - 2e-9));
  EXPECT_NEAR(predict(example(), columns128(), work).seconds,
              1e-6 + access + 0.2 * (10 * 8 + 10 * 4) / 80e9, 1e-12);
}

TEST(Cost, rowsThatThreadsShareCostMore) {
  Work work;
  work.nonzeros = work.segments = work.outputs = 1000;
  work.rows = work.threadRows = 2000;
  Work shared = work;
  shared.shared = 500;
  EXPECT_GT(predict(example(), columns128(), shared).seconds,
            predict(example(), columns128(), work).seconds);
}

TEST(Cost, noOrderIsFasterThanTheLeast) {
  for (int64_t band : {16, 100, 1000})
    for (int64_t columns : {1, 16, 128, 300}) {
      const Csr csr = banded(400, 1000, 20, band, unsigned(band));
      Product product;
      product.columns = columns;
      auto work = countWork(example(), product, csr.view());
      ASSERT_TRUE(bool(work));
      EXPECT_LE(leastSeconds(example(), product, *work),
                predict(example(), product, *work).seconds);
      product.samples = true;
      EXPECT_LE(leastSeconds(example(), product, *work),
                predict(example(), product, *work).seconds);
    }
}

TEST(Cost, columnTilesAreWalkedOnceEach) {
  Product product = columns128();
  product.columns = 500;
  EXPECT_EQ(product.columnTiles(), 4);
  EXPECT_EQ(product.rowBytes(), 512);
  product.columns = 4;
  EXPECT_EQ(product.columnTiles(), 1);
  EXPECT_EQ(product.rowBytes(), 64); // a vector
  product.columns = 1;
  EXPECT_EQ(product.rowBytes(), 4);
}

TEST(Cost, threadsShareTheWork) {
  Machine machine = example();
  Work work;
  work.nonzeros = 1 << 20;
  work.segments = 1 << 10;
  work.rows = work.threadRows = int64_t(1) << 50;
  work.b.all = {1 << 20, 1 << 20, 1 << 20, 1 << 20};
  const double one = predict(machine, columns128(), work).seconds;
  machine.threads = 4;
  const double four = predict(machine, columns128(), work).seconds;
  EXPECT_NEAR((one - 1e-6) / (four - 1e-6), 4, 1e-9);
}

TEST(Cost, packingPaysOnceTheGainsExceedTheSetUp) {
  Machine machine = example();
  machine.packSeconds = 5e-6;
  Work view;
  view.nonzeros = 1 << 20;
  view.segments = 1 << 16;
  view.rows = view.threadRows = 1 << 17;
  view.b.all = {1 << 20, 1 << 20, 1 << 19, 1 << 19};
  Work packed = view;
  packed.b.all = {1 << 18, 1 << 17, 1 << 16, 1 << 16};
  auto decide = [&](int64_t runs) {
    return decideRepartition(machine, columns128(), view, packed, 2, runs);
  };
  const int64_t even = decide(1).breakEven();
  ASSERT_GT(even, 1);
  EXPECT_FALSE(decide(even - 1).pays);
  EXPECT_TRUE(decide(even).pays);
  EXPECT_NEAR(decide(1).setUpSeconds, (1 << 20) * 5e-6, 1e-9);
}

TEST(Cost, packingThatGainsNothingNeverPays) {
  Work work;
  work.nonzeros = 1000;
  work.segments = 100;
  work.rows = work.threadRows = 200;
  work.b.all = {100, 100, 100, 100};
  auto decision = decideRepartition(example(), columns128(), work, work, 4,
                                    int64_t(1) << 40);
  EXPECT_FALSE(decision.pays);
  EXPECT_EQ(decision.breakEven(), 0);
}

} // namespace
