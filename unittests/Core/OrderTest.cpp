//===- OrderTest.cpp - orders against brute force -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Order.h"
#include <gtest/gtest.h>

using namespace astfe::core;

TEST(Order, WorkedExampleOfTheHeader) {
  const uint64_t expected[4][4] = {
      {0, 3, 4, 5}, {1, 2, 7, 6}, {14, 13, 8, 9}, {15, 12, 11, 10}};
  Order order = *Order::get(OrderKind::Hilbert, {4, 4});
  for (int64_t row = 0; row < 4; ++row)
    for (int64_t column = 0; column < 4; ++column)
      EXPECT_EQ(order.key({row, column}) >> 60, expected[row][column]);
  EXPECT_EQ(order.box({uint64_t(2) << 60, 4}).lower[0], 1);
}
