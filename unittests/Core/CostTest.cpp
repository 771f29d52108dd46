//===- CostTest.cpp -------------------------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Cost.h"
#include "ASTFE/Core/GraphFile.h"
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <list>
#include <random>

using namespace astfe::core;

namespace {

/// The header's example: 64 rows fit L1.
Machine example() {
  Machine machine;
  machine.threads = 1;
  machine.cacheBytes = {32 << 10, 1 << 20, 32 << 20};
  machine.accessSeconds = {{{1e-9, 2e-9, 10e-9},
                            {2e-9, 4e-9, 20e-9},
                            {4e-9, 8e-9, 40e-9},
                            {10e-9, 20e-9, 100e-9}}};
  machine.streamBytesPerSecond = {80e9, 40e9, 20e9, 10e9};
  machine.segmentSeconds = 1e-9;
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

/// Misses of a cache that holds the `capacity` rows last used.
int64_t leastRecentlyUsed(const Csr &csr, size_t capacity) {
  std::list<int32_t> recent;
  int64_t misses = 0;
  for (int32_t column : csr.coordinates) {
    auto found = std::find(recent.begin(), recent.end(), column);
    misses += found == recent.end();
    if (found != recent.end())
      recent.erase(found);
    else if (recent.size() == capacity)
      recent.pop_back();
    recent.push_front(column);
  }
  return misses;
}

TEST(Cost, boxWorkIsTheExampleOfTheHeader) {
  Box box;
  box.rank = 2;
  box.log2 = {10, 7};
  Work work = boxWork(example(), columns128(), box, {1024, 128}, 1000);
  EXPECT_EQ(work.inputs, 128);
  EXPECT_EQ(work.misses, (std::array<int64_t, 3>{564, 128, 128}));
}

TEST(Cost, boxesAreClippedToTheShape) {
  Box box;
  box.rank = 2;
  box.log2 = {10, 10};
  Work work = boxWork(example(), columns128(), box, {3, 5}, 1000);
  EXPECT_EQ(work.segments, 3);
  EXPECT_EQ(work.inputs, 5);
  EXPECT_EQ(work.misses[0], 5);
}

TEST(Cost, countedMissesAreNearThoseOfLRU) {
  const Machine machine = example();
  for (int64_t band : {16, 60, 100, 1000}) {
    const Csr csr = banded(400, 1000, 20, band, unsigned(band));
    auto work = countWork(machine, columns128(), csr.view());
    ASSERT_TRUE(bool(work));
    const double exact = double(leastRecentlyUsed(csr, 64));
    EXPECT_GE(double(work->misses[0]), 0.8 * exact) << band;
    EXPECT_LE(double(work->misses[0]), 1.6 * exact) << band;
    EXPECT_LE(work->misses[1], work->misses[0]);
    EXPECT_LE(work->misses[2], work->misses[1]);
    EXPECT_GE(work->misses[2], work->inputs);
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
  EXPECT_EQ(ahead->misses, random->misses);
  EXPECT_EQ(ahead->sequential, (std::array<int64_t, 3>{999, 999, 999}));
  EXPECT_LT(random->sequential[0], 100);
  Machine machine = example();
  machine.streamBytesPerSecond = {800e9, 400e9, 200e9, 100e9};
  EXPECT_LT(predict(machine, columns128(), *ahead).seconds,
            predict(machine, columns128(), *random).seconds);
}

TEST(Cost, emptyRowsAreNoSegments) {
  Csr csr{4, 4, {0, 0, 2, 2, 2}, {1, 3}};
  auto work = countWork(example(), columns128(), csr.view());
  ASSERT_TRUE(bool(work));
  EXPECT_EQ(work->segments, 1);
  EXPECT_EQ(work->nonzeros, 2);
  EXPECT_EQ(work->inputs, 2);
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
  work.segments = 10;
  work.inputs = 1 << 20; // so that the operands fit no cache
  work.misses = {500, 200, 100};
  const Cost cost = predict(example(), columns128(), work);
  EXPECT_EQ(cost.operations, 2 * 1000 * 128);
  EXPECT_EQ(cost.bytes, 1000 * 8 + 10 * (4 + 2 * 512) + 200 * 512);
  EXPECT_NEAR(cost.seconds,
              1e-6 + 500 * 10e-9 + 300 * 20e-9 + 100 * 40e-9 + 100 * 100e-9 +
                  10 * 1e-9 + 0.2 * (1000 * 8 + 10 * (4 + 2 * 512)) / 10e9,
              1e-12);
}

TEST(Cost, streamsBoundTheTimeFromBelow) {
  Work work;
  work.nonzeros = 1000;
  work.segments = 1000;
  work.inputs = 1 << 20;
  work.misses = work.sequential = {1000, 1000, 1000};
  const double bytes = 1000 * 8 + 1000 * (4 + 2 * 512) + 1000 * 512;
  EXPECT_NEAR(predict(example(), columns128(), work).seconds,
              1e-6 + bytes / 10e9 + 0.2 * (1000 * 10e-9 + 1000 * 1e-9), 1e-12);
}

TEST(Cost, whatFitsACacheIsStillThereFromTheLastRun) {
  Work work;
  work.nonzeros = 10;
  work.segments = 10;
  work.inputs = 10;
  work.misses = {10, 10, 10};
  EXPECT_NEAR(predict(example(), columns128(), work).seconds,
              1e-6 + (10 * 8 + 10 * (4 + 2 * 512)) / 80e9 +
                  0.2 * (10 * 10e-9 + 10 * 1e-9),
              1e-12);
}

TEST(Cost, widePanelsAreWalkedOnceEach) {
  Product product = columns128();
  product.columns = 500;
  EXPECT_EQ(product.panels(), 4);
  EXPECT_EQ(product.rowBytes(), 512);
  product.columns = 4;
  EXPECT_EQ(product.panels(), 1);
  EXPECT_EQ(product.rowBytes(), 64); // a vector
  product.columns = 1;
  EXPECT_EQ(product.rowBytes(), 4);
}

TEST(Cost, threadsShareTheWork) {
  Machine machine = example();
  Work work;
  work.nonzeros = 1 << 20;
  work.segments = 1 << 10;
  work.inputs = 1 << 20;
  work.misses = {1 << 20, 1 << 20, 1 << 20};
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
  view.inputs = 1 << 16;
  view.misses = {1 << 20, 1 << 20, 1 << 19};
  Work packed = view;
  packed.misses = {1 << 18, 1 << 17, 1 << 16};
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
  work.inputs = 100;
  work.misses = {100, 100, 100};
  auto decision = decideRepartition(example(), columns128(), work, work, 4,
                                    int64_t(1) << 40);
  EXPECT_FALSE(decision.pays);
  EXPECT_EQ(decision.breakEven(), 0);
}

TEST(Cost, machinesRoundTripThroughJson) {
  Machine machine = example();
  machine.accessSeconds[2][1] = 1.0 / 3e9;
  auto again = parseMachine(toJson(machine), "m.json");
  ASSERT_TRUE(bool(again)) << again.message();
  EXPECT_TRUE(*again == machine);
}

std::string replaced(std::string text, const std::string &what,
                     const std::string &with) {
  return text.replace(text.find(what), what.size(), with);
}

TEST(Cost, wrongMachinesAreErrorsThatNameTheField) {
  const std::string text = toJson(example());
  auto message = [](const std::string &wrong) {
    auto machine = parseMachine(wrong, "m.json");
    return machine ? "parsed" : machine.message();
  };
  EXPECT_EQ(message(replaced(text, "\"threads\": 1", "\"threads\": 0")),
            "m.json: threads: expected an integer in 1..1048576 but got 0");
  EXPECT_EQ(message(replaced(text, "32768", "33554433")),
            "m.json: expected caches of ascending sizes");
  EXPECT_EQ(message(replaced(text, "\"pack_seconds\": 5e-08",
                             "\"pack_seconds\": -1")),
            "m.json: expected positive times");
  EXPECT_NE(message("{").find("m.json"), std::string::npos);
}

/// Sets a variable of the environment while it lives.
class Environment {
public:
  Environment(const char *name, const std::string &value) : name(name) {
    if (const char *old = std::getenv(name))
      before = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { before ? setenv(name, before->c_str(), 1) : unsetenv(name); }

private:
  const char *name;
  std::optional<std::string> before;
};

TEST(Cost, cachedNumbersAreReadNotMeasured) {
  const std::string folder = testing::TempDir() + "astfe-cost-test";
  std::filesystem::remove_all(folder);
  Environment environment("XDG_CACHE_HOME", folder);
  ASSERT_EQ(machineCachePath(3), folder + "/astfe/machine-3.json");
  std::filesystem::create_directories(folder + "/astfe");
  ASSERT_TRUE(bool(writeFile(machineCachePath(3), toJson(example()))));
  auto machine = cachedMachine(3);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_TRUE(*machine == example());
  ASSERT_TRUE(bool(writeFile(machineCachePath(3), "{")));
  EXPECT_FALSE(bool(cachedMachine(3)));
  std::filesystem::remove_all(folder);
}

TEST(Cost, measuredNumbersAreSoundAndKept) {
  const std::string folder = testing::TempDir() + "astfe-cost-measure";
  std::filesystem::remove_all(folder);
  Environment environment("XDG_CACHE_HOME", folder);
  auto machine = cachedMachine(1);
  ASSERT_TRUE(bool(machine)) << machine.message();
  EXPECT_TRUE(bool(machine->check()));
  EXPECT_EQ(machine->threads, 1);
  auto again = cachedMachine(1);
  ASSERT_TRUE(bool(again)) << again.message();
  EXPECT_TRUE(*again == *machine);
  std::filesystem::remove_all(folder);
}

} // namespace
