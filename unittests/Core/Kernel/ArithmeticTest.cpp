//===- ArithmeticTest.cpp - what products are computed with ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Arithmetic.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

TEST(Arithmetic, SumsOfBytesAreWider) {
  EXPECT_EQ((Arithmetic{Element::I8, Semiring::PlusTimes}).result(),
            Element::I32);
  EXPECT_EQ((Arithmetic{Element::I8, Semiring::MinPlus}).result(), Element::I8);
  EXPECT_EQ((Arithmetic{Element::I16, Semiring::PlusTimes}).result(),
            Element::I16);
  EXPECT_EQ((Arithmetic{Element::BF16, Semiring::PlusTimes}).result(),
            Element::BF16);
}

TEST(Arithmetic, OrAndIsOfIntegers) {
  EXPECT_TRUE((Arithmetic{Element::I64, Semiring::OrAnd}).check());
  auto status = Arithmetic{Element::F16, Semiring::OrAnd}.check();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.message(), "expected integers for or-and but got f16");
}

TEST(Arithmetic, ComplexNumbersAreAddedUp) {
  const Arithmetic sums{Element::C64, Semiring::PlusTimes};
  EXPECT_TRUE(sums.check());
  EXPECT_EQ(sums.result(), Element::C64);
  EXPECT_EQ((Arithmetic{Element::C64, Semiring::MaxTimes}).check().message(),
            "expected real numbers for max-times but got c64");
  EXPECT_EQ((Arithmetic{Element::C128, Semiring::OrAnd}).check().message(),
            "expected integers for or-and but got c128");
}

TEST(Arithmetic, TextNamesTheSemiring) {
  EXPECT_EQ(Arithmetic().text(), "f32");
  EXPECT_EQ((Arithmetic{Element::I32, Semiring::MaxTimes}).text(),
            "i32, max-times");
  EXPECT_EQ(parseSemiring("max-times"), Semiring::MaxTimes);
  EXPECT_EQ(parseSemiring("times"), std::nullopt);
}

TEST(Element, Kinds) {
  for (auto [element, bytes, integer, half, gpu] :
       {std::tuple(Element::F16, 2, false, true, false),
        {Element::BF16, 2, false, true, false},
        {Element::F32, 4, false, false, true},
        {Element::F64, 8, false, false, true},
        {Element::I8, 1, true, false, false},
        {Element::I16, 2, true, false, false},
        {Element::I64, 8, true, false, false},
        {Element::C64, 8, false, false, false},
        {Element::C128, 16, false, false, false}}) {
    EXPECT_EQ(elementBytes(element), bytes);
    EXPECT_EQ(isInteger(element), integer);
    EXPECT_EQ(isHalf(element), half);
    EXPECT_EQ(isComplex(element), elementName(element).front() == 'c');
    EXPECT_EQ(isFloat(element), !integer && !isComplex(element));
    EXPECT_EQ(isOnGPU(element), gpu);
    EXPECT_EQ(parseElement(elementName(element)), element);
  }
  EXPECT_EQ(gpuElementNames().text(), "f32 or f64");
}

} // namespace
