//===- HalfTest.cpp - numbers in 16 bits ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Half.h"
#include "gtest/gtest.h"
#include <cmath>

using astfe::core::HalfFormat;

TEST(HalfTest, EveryNumberIsItsOwnNearest) {
  for (HalfFormat format : {HalfFormat::f16(), HalfFormat::bf16()})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double number = format.load(uint16_t(bits));
      if (std::isnan(number))
        EXPECT_TRUE(std::isnan(format.load(format.store(number))));
      else
        EXPECT_EQ(format.store(number), bits);
    }
}

TEST(HalfTest, Neighbours) {
  for (HalfFormat format : {HalfFormat::f16(), HalfFormat::bf16()}) {
    const uint32_t infinity = uint32_t(2 * format.bias + 1) << format.fraction;
    for (uint32_t bits = 0; bits + 1 < infinity; ++bits) {
      const double low = format.load(uint16_t(bits)),
                   high = format.load(uint16_t(bits + 1)),
                   middle = (low + high) / 2;
      EXPECT_EQ(format.store(middle), bits + bits % 2);
      EXPECT_EQ(format.store(std::nextafter(middle, low)), bits);
      EXPECT_EQ(format.store(std::nextafter(-middle, -high)),
                0x8000 + bits + 1);
    }
  }
}

TEST(HalfTest, WorkedExample) {
  const HalfFormat f16 = HalfFormat::f16();
  EXPECT_EQ(f16.load(0x3c01), 1 + 0x1p-10);
  EXPECT_EQ(f16.store(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(f16.store(65519), 0x7bff);
  EXPECT_EQ(f16.store(65520), 0x7c00);
  EXPECT_EQ(f16.store(-1e9), 0xfc00);
  EXPECT_EQ(HalfFormat::bf16().store(3.14159), 0x4049);
}
