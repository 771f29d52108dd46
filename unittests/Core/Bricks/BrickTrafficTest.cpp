//===- BrickTrafficTest.cpp - traffic against sets of rows ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Bricks/BrickTraffic.h"
#include "BrickOracle.h"
#include <set>

using namespace astfe::core;

namespace {

BrickProduct mttkrp(unsigned rank, unsigned key, int64_t rowBytes) {
  BrickProduct product;
  product.key = key;
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != key)
      product.inputs.push_back({{mode}, rowBytes});
  product.output = {{key}, rowBytes};
  return product;
}

int64_t distinctRows(const std::vector<Slot> &brick,
                     const std::vector<unsigned> &modes) {
  std::set<std::vector<int64_t>> rows;
  for (const Slot &slot : brick) {
    std::vector<int64_t> row;
    for (unsigned mode : modes)
      row.push_back(slot.point[mode]);
    rows.insert(row);
  }
  return int64_t(rows.size());
}

TEST(BrickTraffic, WorkedExampleOfTheHeader) {
  const Bricks bricks = packed(
      {"example", {4, 4, 4}, {{2, 2, 3, 2}, {1, 0, 1, 1}, {3, 3, 2, 2}}});
  const Traffic traffic = countTraffic(bricks, mttkrp(3, 0, 16));
  EXPECT_EQ(traffic.indexBytes, 30);
  EXPECT_EQ(traffic.inputBytes, 64);
  EXPECT_EQ(traffic.outputBytes, 64);
  EXPECT_EQ(traffic.sharedBytes, 0);
  EXPECT_EQ(traffic.total(), 158);
}

TEST(BrickTraffic, CountsDistinctRowsOfEachBrick) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    BrickOptions options;
    options.slots = 50;
    const auto last = unsigned(sample.shape.size() - 1);
    options.key = last;
    auto bricks =
        packBricks(sample.view(), groupsOf(sample, kind, 60), options);
    ASSERT_TRUE(bricks) << bricks.message();
    // A factor of all modes in another order, one of none, and one of the
    // first.
    BrickProduct product;
    product.key = last;
    product.valueBytes = 8;
    product.inputs = {{{}, 24}, {{0}, 8}, {{}, 4}};
    for (unsigned mode = last + 1; mode-- > 0;)
      product.inputs.front().modes.push_back(mode);
    product.output = {{last}, 40};
    Traffic expected;
    for (const auto &brick : readSlots(*bricks, last)) {
      for (const BrickOperand &input : product.inputs)
        expected.inputBytes +=
            input.rowBytes *
            (input.modes.empty() ? 1 : distinctRows(brick, input.modes));
      expected.outputBytes += 2 * 40 * distinctRows(brick, {last});
    }
    for (unsigned threads : {1, 3}) {
      const Traffic traffic = countTraffic(*bricks, product, threads);
      EXPECT_EQ(traffic.inputBytes, expected.inputBytes);
      EXPECT_EQ(traffic.outputBytes, expected.outputBytes);
      EXPECT_EQ(traffic.indexBytes,
                bricks->copies[last]->bytesStreamed() + 8 * bricks->nonzeros);
    }
  });
}

} // namespace
