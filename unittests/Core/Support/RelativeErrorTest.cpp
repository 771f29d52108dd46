//===- RelativeErrorTest.cpp - NaN, infinities and plain numbers ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/RelativeError.h"
#include "gtest/gtest.h"

using astfe::core::relativeError;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(RelativeError, IsRelativeToTheSumOfTerms) {
  EXPECT_EQ(relativeError(1.5, 1, 4), 0.125);
  EXPECT_EQ(relativeError(-1, 1, 4), 0.5);
  EXPECT_EQ(relativeError(3, 3, 0), 0);
}

TEST(RelativeError, SpecialValuesMustAgree) {
  EXPECT_EQ(relativeError(kNaN, kNaN, kNaN), 0);
  EXPECT_EQ(relativeError(kInf, kInf, kInf), 0);
  EXPECT_EQ(relativeError(kInf, -kInf, kInf), kInf);
  EXPECT_EQ(relativeError(kNaN, 1, 1), kInf);
  EXPECT_EQ(relativeError(1, kNaN, kNaN), kInf);
  EXPECT_EQ(relativeError(1, kInf, kInf), kInf);
}

TEST(RelativeError, AnElementWithoutTermsIsExact) {
  EXPECT_EQ(relativeError(1e-30, 0, 0), kInf);
}
} // namespace
