//===- GPUDoubleFunctionsTest.cpp - functions of f64 in kernels -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference is in x86's extended precision, whose mantissas have 64 bits.
//
//===----------------------------------------------------------------------===//

#include "GPUFunctions.h"

using namespace astfe;

namespace {
using Exact = long double;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct GPUDoubleFunctions : GPUFunctionTest<double> {
  GPUDoubleFunctions() {
    if (std::numeric_limits<Exact>::digits < 64)
      skip = true;
  }
  void SetUp() override {
    if (skip)
      GTEST_SKIP() << "long double is no longer than double here";
  }
  bool skip = false;
};
} // namespace

TEST_F(GPUDoubleFunctions, ExponentialsAreAsNearAsStated) {
  auto x = [](double low, double high, double width) {
    return arguments<double>(low, high, 0, width);
  };
  EXPECT_LE(worstOf<Exact>("exp", std::exp, x(-708, 709, 1)), 2);
  EXPECT_LE(worstOf<Exact>("exp2", std::exp2, x(-1022, 1023, 1)), 2);
  EXPECT_LE(worstOf<Exact>("expm1", std::expm1, x(-30, 700, 0.5)), 6);
}

TEST_F(GPUDoubleFunctions, LogarithmsAreAsNearAsStated) {
  std::vector<double> x = positives<double>(-700, 700),
                      nearOne = arguments<double>(0.5, 2, 1, 1e-3);
  x.insert(x.end(), nearOne.begin(), nearOne.end());
  x.insert(x.end(), {0x1p-1074, 0x1.8p-1060, 0x1p-1022});
  EXPECT_LE(worstOf<Exact>("log", std::log, x), 2);
  EXPECT_LE(worstOf<Exact>("log2", std::log2, x), 3);
  EXPECT_LE(
      worstOf<Exact>("log1p", std::log1p, arguments<double>(-0.9, 1e6, 0, 0.5)),
      4);
  EXPECT_LE(worstOf<Exact>("log1p", std::log1p,
                           arguments<double>(-1e-9, 1e-9, 0, 1e-17)),
            4);
}

TEST_F(GPUDoubleFunctions, SigmoidsAreAsNearAsStated) {
  std::vector<double> x = arguments<double>(-7, 7, 0, 1),
                      tiny = arguments<double>(-1e-3, 1e-3, 0, 1e-9);
  x.insert(x.end(), tiny.begin(), tiny.end());
  EXPECT_LE(worstOf<Exact>("tanh", std::tanh, x), 4);
  EXPECT_LE(worstOf<Exact>("erf", std::erf, x), 2);
}

TEST_F(GPUDoubleFunctions, RootsAreAsNearAsStated) {
  EXPECT_LE(worstOf<Exact>("sqrt", std::sqrt, positives<double>(-700, 700)), 1);
  EXPECT_LE(worstOf<Exact>(
                "rsqrt", [](Exact x) { return 1 / std::sqrt(x); },
                positives<double>(-700, 700)),
            3);
}

TEST_F(GPUDoubleFunctions, PowersAreAsNearAsStated) {
  std::vector<double> a = positives<double>(-20, 20),
                      b = arguments<double>(-30, 30, 1, 2);
  std::vector<double> got = run("%f = math.powf %x, %z : f64", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const Exact want = std::pow(Exact(a[i]), Exact(b[i]));
    const Exact bound = 3 * (2 + std::fabs(b[i] * std::log(Exact(a[i]))));
    EXPECT_LE(std::fabs(got[i] - want), bound * 0x1p-53L * want)
        << a[i] << "^" << b[i];
  }
}

TEST_F(GPUDoubleFunctions, PowersOfNegativeNumbersZerosAndInfinities) {
  const std::vector<double> a = {-2, -2, -2, 0, 0,         0,    1,
                                 -1, 2,  0,  3, kInfinity, kNaN, 5};
  const std::vector<double> b = {3,  2,         0.5,       0,          2.5,
                                 -1, kInfinity, kInfinity, -kInfinity, 1,
                                 0,  1,         0,         kNaN};
  std::vector<double> got = run("%f = math.powf %x, %z : f64", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const double want = std::pow(a[i], b[i]);
    if (std::isnan(want) || std::isinf(want))
      EXPECT_EQ(std::isnan(got[i]) ? 2 : std::isinf(got[i]),
                std::isnan(want) ? 2 : 1)
          << a[i] << "^" << b[i];
    else
      EXPECT_NEAR(got[i], want, std::fabs(want) * 0x1p-49)
          << a[i] << "^" << b[i];
  }
}

TEST_F(GPUDoubleFunctions, EndsOfTheRange) {
  const std::vector<double> ends = {0,    kInfinity, -kInfinity, kNaN,
                                    -800, 800,       -1200,      1200};
  auto same = [&](const char *function, double (*reference)(double)) {
    std::vector<double> got = apply(function, ends);
    for (size_t i = 0; i < ends.size(); ++i) {
      const double want = reference(ends[i]);
      EXPECT_TRUE(got[i] == want || (std::isnan(got[i]) && std::isnan(want)))
          << function << " of " << ends[i] << " is " << got[i];
    }
  };
  same("exp", std::exp);
  same("expm1", std::expm1);
  same("tanh", std::tanh);
  same("erf", std::erf);
  std::vector<double> powers = apply("exp2", ends);
  EXPECT_EQ(powers[0], 1);
  EXPECT_EQ(powers[1], kInfinity);
  EXPECT_EQ(powers[2], 0);
  EXPECT_TRUE(std::isnan(powers[3]));
  EXPECT_EQ(powers[6], 0);
  EXPECT_EQ(powers[7], kInfinity);
  for (const char *function : {"log", "log2", "log1p"}) {
    SCOPED_TRACE(function);
    const double shift = std::string(function) == "log1p";
    std::vector<double> logs =
        apply(function, {0 - shift, kInfinity, -1 - shift, kNaN, 1 - shift});
    EXPECT_EQ(logs[0], -kInfinity);
    EXPECT_EQ(logs[1], kInfinity);
    EXPECT_TRUE(std::isnan(logs[2]));
    EXPECT_TRUE(std::isnan(logs[3]));
    EXPECT_EQ(logs[4], 0);
  }
}
