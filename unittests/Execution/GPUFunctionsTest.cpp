//===- GPUFunctionsTest.cpp - functions and scalars in kernels' bodies ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = I f(x, z) with the identity matrix I is f itself, element by element: no
// sum hides what the approximation does. Errors are those that
// Conversion/GPUToNVVM.h states.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Runtime/ABI.h"
#include "GPUPipeline.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <limits>
#include <random>

using namespace astfe;

namespace {

constexpr double kUnit = 0x1p-24;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// `body` computes %f of %x, %z and the scalar %s.
std::string moduleOf(const std::string &body) {
  return R"(
    #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                  posWidth = 32, crdWidth = 32}>
    #V = #astfe.layout<view>
    func.func @f(%A: tensor<?x?xf32, #S>, %X: tensor<?xf32>, %Z: tensor<?xf32>,
                 %s: f32, %Y: tensor<?xf32> {bufferization.writable = true})
        -> tensor<?xf32> {
      %P = astfe.pack %A : tensor<?x?xf32, #S> -> !astfe.blocked<?x?, #V>
      %v = astfe.values %A in %P : tensor<?x?xf32, #S>,
             !astfe.blocked<?x?, #V> -> tensor<?xf32>
      %r = astfe.compute over %P : !astfe.blocked<?x?, #V>
          maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
                affine_map<(n, i, j) -> (i)>, affine_map<(n, i, j) -> (i)>]
          ins(%v, %X, %Z : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
          outs(%Y : tensor<?xf32>) {
      ^bb0(%a: f32, %x: f32, %z: f32):
        )" +
         body + R"(
        %p = arith.mulf %a, %f : f32
        astfe.yield "addf" %p : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    })";
}

struct GPUFunctions : HostKernelTest {
  GPUFunctions() { rt::setDevice(&emulator); }
  ~GPUFunctions() override { rt::setDevice(nullptr); }

  std::vector<float> run(const std::string &body, std::vector<float> x,
                         std::vector<float> z, float scalar = 0) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(moduleOf(body), &context);
    JitOptions options;
    options.pipeline = kToKernels + "," + kToHost;
    auto jit = Jit::compile(*module, options);
    EXPECT_TRUE(jit) << jit.message();
    auto address = (*jit)->lookup("_mlir_ciface_f");
    EXPECT_TRUE(address) << address.message();
    const auto size = int64_t(x.size());
    std::vector<int64_t> counted(x.size() + 1);
    for (int64_t i = 0; i <= size; ++i)
      counted[size_t(i)] = i;
    Indices positions(counted, 32);
    counted.pop_back();
    Indices coordinates(counted, 32);
    std::vector<float> ones(x.size(), 1.0f), y(x.size(), 0.0f);
    auto vector = [&](std::vector<float> &values) -> Descriptor<1> {
      return {values.data(), values.data(), 0, {size}, {1}};
    };
    Descriptor<1> result{}, v = vector(ones), X = vector(x), Z = vector(z),
                            Y = vector(y);
    astfe_rt_clear_error();
    using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                           void *, void *, float, void *);
    reinterpret_cast<Entry>(*address)(&result, &positions.memref,
                                      &coordinates.memref, &v, size, size, &X,
                                      &Z, scalar, &Y);
    EXPECT_EQ(astfe_rt_last_error(), nullptr);
    return y;
  }

  std::vector<float> apply(const std::string &function, std::vector<float> x) {
    return run("%f = math." + function + " %x : f32", x, x);
  }

  /// The largest error relative to the result, in units of 2^-24.
  double worst(const std::vector<float> &got, const std::vector<double> &want) {
    double most = 0;
    for (size_t i = 0; i < got.size(); ++i)
      most = std::max(most, std::fabs(got[i] - want[i]) /
                                (std::fabs(want[i]) * kUnit));
    return most;
  }

  double worstOf(const std::string &function, double (*reference)(double),
                 const std::vector<float> &x) {
    std::vector<double> want;
    for (float value : x)
      want.push_back(reference(value));
    return worst(apply(function, x), want);
  }

  emu::Emulator emulator;
};

/// Half of them spread over [low, high], half around 0 or 1 as `center` says.
std::vector<float> arguments(double low, double high, double center,
                             double width) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> wide(low, high),
      narrow(center - width, center + width);
  std::vector<float> x;
  for (int i = 0; i < 2000; ++i)
    x.push_back(float(i % 2 ? wide(random) : narrow(random)));
  return x;
}

/// exp of arguments: spread over many binades.
std::vector<float> positives(double low, double high) {
  std::vector<float> x;
  for (float value : arguments(low, high, 0, 0.5))
    x.push_back(float(std::exp(double(value))));
  return x;
}

} // namespace

TEST_F(GPUFunctions, ExponentialsAreAsNearAsStated) {
  EXPECT_LE(worstOf("exp", std::exp, arguments(-87, 88, 0, 1)), 2);
  EXPECT_LE(worstOf("exp2", std::exp2, arguments(-126, 127, 0, 1)), 4);
  EXPECT_LE(worstOf("expm1", std::expm1, arguments(-10, 80, 0, 0.5)), 4);
}

TEST_F(GPUFunctions, LogarithmsAreAsNearAsStated) {
  EXPECT_LE(worstOf("log", std::log, positives(-85, 88)), 2);
  EXPECT_LE(worstOf("log2", std::log2, positives(-85, 88)), 3);
  EXPECT_LE(worstOf("log1p", std::log1p, arguments(-0.9, 1000, 0, 0.5)), 4);
}

TEST_F(GPUFunctions, SigmoidsAreAsNearAsStated) {
  EXPECT_LE(worstOf("tanh", std::tanh, arguments(-10, 10, 0, 0.1)), 6);
  EXPECT_LE(worstOf("erf", std::erf, arguments(-5, 5, 0, 0.1)), 6);
}

TEST_F(GPUFunctions, RootsAreAsNearAsStated) {
  EXPECT_LE(worstOf("sqrt", std::sqrt, positives(-80, 80)), 1);
  EXPECT_LE(worstOf(
                "rsqrt", [](double x) { return 1 / std::sqrt(x); },
                positives(-80, 80)),
            3);
}

TEST_F(GPUFunctions, PowersAreAsNearAsStated) {
  std::vector<float> a = positives(-10, 10), b = arguments(-8, 8, 1, 2);
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
  const std::vector<float> x = arguments(-2, 2, 0, 1);
  std::vector<float> got = run("%f = arith.mulf %x, %s : f32", x, x, -3.25f);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(got[i], x[i] * -3.25f);
}
