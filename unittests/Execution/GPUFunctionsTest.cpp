//===- GPUFunctionsTest.cpp - functions and scalars in kernels' bodies ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUFunctions.h"

using namespace astfe;

namespace {
constexpr double kUnit = 0x1p-24;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct GPUFunctions : GPUFunctionTest<float> {};
} // namespace

TEST_F(GPUFunctions, ExponentialsAreAsNearAsStated) {
  EXPECT_LE(worstOf<double>("exp", std::exp, arguments<float>(-87, 88, 0, 1)),
            2);
  EXPECT_LE(
      worstOf<double>("exp2", std::exp2, arguments<float>(-126, 127, 0, 1)), 4);
  EXPECT_LE(
      worstOf<double>("expm1", std::expm1, arguments<float>(-10, 80, 0, 0.5)),
      4);
}

TEST_F(GPUFunctions, LogarithmsAreAsNearAsStated) {
  EXPECT_LE(worstOf<double>("log", std::log, positives<float>(-85, 88)), 2);
  EXPECT_LE(worstOf<double>("log2", std::log2, positives<float>(-85, 88)), 3);
  EXPECT_LE(worstOf<double>("log1p", std::log1p,
                            arguments<float>(-0.9, 1000, 0, 0.5)),
            4);
}

TEST_F(GPUFunctions, SigmoidsAreAsNearAsStated) {
  EXPECT_LE(
      worstOf<double>("tanh", std::tanh, arguments<float>(-10, 10, 0, 0.1)), 6);
  EXPECT_LE(worstOf<double>("erf", std::erf, arguments<float>(-5, 5, 0, 0.1)),
            6);
}

TEST_F(GPUFunctions, RootsAreAsNearAsStated) {
  EXPECT_LE(worstOf<double>("sqrt", std::sqrt, positives<float>(-80, 80)), 1);
  EXPECT_LE(worstOf<double>(
                "rsqrt", [](double x) { return 1 / std::sqrt(x); },
                positives<float>(-80, 80)),
            3);
}

TEST_F(GPUFunctions, PowersAreAsNearAsStated) {
  std::vector<float> a = positives<float>(-10, 10),
                     b = arguments<float>(-8, 8, 1, 2);
  std::vector<float> got = run("%f = math.powf %x, %z : f32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const double want = std::pow(double(a[i]), double(b[i]));
    const double bound = 3 * (2 + std::fabs(b[i] * std::log(double(a[i]))));
    EXPECT_LE(std::fabs(got[i] - want), bound * kUnit * want)
        << a[i] << "^" << b[i];
  }
}

TEST_F(GPUFunctions, PowersOfNegativeNumbersZerosAndInfinities) {
  const std::vector<float> a = {-2, -2, -2, 0, 0,         0,    1,
                                -1, 2,  0,  3, kInfinity, kNaN, 5};
  const std::vector<float> b = {3,  2,         0.5f,      0,          2.5f,
                                -1, kInfinity, kInfinity, -kInfinity, 1,
                                0,  1,         0,         kNaN};
  std::vector<float> got = run("%f = math.powf %x, %z : f32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const float want = std::pow(a[i], b[i]);
    if (std::isnan(want) || std::isinf(want))
      EXPECT_EQ(std::isnan(got[i]) ? 2 : std::isinf(got[i]),
                std::isnan(want) ? 2 : 1)
          << a[i] << "^" << b[i];
    else
      EXPECT_NEAR(got[i], want, std::fabs(want) * 16 * kUnit)
          << a[i] << "^" << b[i];
  }
}

TEST_F(GPUFunctions, EndsOfTheRange) {
  const std::vector<float> ends = {0, kInfinity, -kInfinity, kNaN, -200, 200};
  auto same = [&](const char *function, float (*reference)(float)) {
    std::vector<float> got = apply(function, ends);
    for (size_t i = 0; i < ends.size(); ++i) {
      const float want = reference(ends[i]);
      EXPECT_TRUE(got[i] == want || (std::isnan(got[i]) && std::isnan(want)))
          << function << " of " << ends[i] << " is " << got[i];
    }
  };
  same("exp", std::exp);
  same("exp2", std::exp2);
  same("tanh", std::tanh);
  same("erf", std::erf);
  std::vector<float> logs = apply("log", {0, kInfinity, -1, kNaN, 1});
  EXPECT_EQ(logs[0], -kInfinity);
  EXPECT_EQ(logs[1], kInfinity);
  EXPECT_TRUE(std::isnan(logs[2]));
  EXPECT_TRUE(std::isnan(logs[3]));
  EXPECT_EQ(logs[4], 0);
}

TEST_F(GPUFunctions, AScalarFromOutsideIsAnArgument) {
  const std::vector<float> x = arguments<float>(-2, 2, 0, 1);
  std::vector<float> got = run("%f = arith.mulf %x, %s : f32", x, x, -3.25f);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(got[i], x[i] * -3.25f);
}
