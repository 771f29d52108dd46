//===- GPUFunctions.h - functions in kernels' bodies, by themselves -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = I f(x, z) with the identity matrix I is f itself, element by element: no
// sum hides what the approximation does. Errors are those that
// Conversion/GPUToNVVM.h states.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_EXECUTION_GPUFUNCTIONS_H
#define ASTFE_UNITTESTS_EXECUTION_GPUFUNCTIONS_H

#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Runtime/ABI.h"
#include "GPUPipeline.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <limits>
#include <random>

namespace astfe {

/// `body` computes %f of %x, %z and the scalar %s.
inline std::string moduleOf(const std::string &body, const std::string &type) {
  std::string text = R"(
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
        )" + body + R"(
        %p = arith.mulf %a, %f : f32
        astfe.yield "addf" %p : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    })";
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos;
       at += type.size())
    text.replace(at, 3, type);
  return text;
}

template <typename T>
struct GPUFunctionTest : HostKernelTest {
  GPUFunctionTest() { rt::setDevice(&emulator); }
  ~GPUFunctionTest() override { rt::setDevice(nullptr); }

  std::vector<T> run(const std::string &body, std::vector<T> x,
                     std::vector<T> z, T scalar = 0) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(
        moduleOf(body, sizeof(T) == 4 ? "f32" : "f64"), &context);
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
    std::vector<T> ones(x.size(), T(1)), y(x.size(), T(0));
    auto vector = [&](std::vector<T> &values) -> Descriptor<1> {
      return {values.data(), values.data(), 0, {size}, {1}};
    };
    Descriptor<1> result{}, v = vector(ones), X = vector(x), Z = vector(z),
                            Y = vector(y);
    astfe_rt_clear_error();
    using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                           void *, void *, T, void *);
    reinterpret_cast<Entry> (*address)(&result, &positions.memref,
                                       &coordinates.memref, &v, size, size, &X,
                                       &Z, scalar, &Y);
    EXPECT_EQ(astfe_rt_last_error(), nullptr);
    return y;
  }

  std::vector<T> apply(const std::string &function, std::vector<T> x) {
    return run("%f = math." + function + " %x : f32", x, x);
  }

  /// The largest error relative to the result, in units of its last place; the
  /// reference is in `Exact`, which has more places.
  template <typename Exact>
  double worst(const std::vector<T> &got, const std::vector<Exact> &want) {
    Exact most = 0, unit = std::numeric_limits<T>::epsilon() / Exact(2);
    for (size_t i = 0; i < got.size(); ++i)
      most = std::max(most, std::fabs(got[i] - want[i]) /
                                (std::fabs(want[i]) * unit));
    return double(most);
  }

  template <typename Exact>
  double worstOf(const std::string &function, Exact (*reference)(Exact),
                 const std::vector<T> &x) {
    std::vector<Exact> want;
    for (T value : x)
      want.push_back(reference(value));
    return worst(apply(function, x), want);
  }

  emu::Emulator emulator;
};

/// Half of them spread over [low, high], half around 0 or 1 as `center` says.
template <typename T>
std::vector<T> arguments(double low, double high, double center, double width) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> wide(low, high),
      narrow(center - width, center + width);
  std::vector<T> x;
  for (int i = 0; i < 2000; ++i)
    x.push_back(T(i % 2 ? wide(random) : narrow(random)));
  return x;
}

/// exp of arguments: spread over many binades.
template <typename T>
std::vector<T> positives(double low, double high) {
  std::vector<T> x;
  for (T value : arguments<T>(low, high, 0, 0.5))
    x.push_back(T(std::exp(double(value))));
  return x;
}

} // namespace astfe

#endif // ASTFE_UNITTESTS_EXECUTION_GPUFUNCTIONS_H
