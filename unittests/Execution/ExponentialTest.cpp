//===- ExponentialTest.cpp - exp in compiled bodies -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of 21 nonzeros takes every form of the loop: a vector, a short one and
// single nonzeros. All but one are -inf, so that their exponentials add
// nothing.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <cmath>
#include <limits>

using namespace astfe;

namespace {
constexpr int64_t kLength = 21;
using Exponential = HostKernelTest;
} // namespace

static std::string textOf(bool isDouble) {
  std::string text = R"(
    #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                                  posWidth = 32, crdWidth = 32}>
    #n = affine_map<(n, i, j) -> (n)>
    #i = affine_map<(n, i, j) -> (i)>
    !P = !astfe.blocked<?x?, #astfe.layout<view>>
    func.func @f(%A: tensor<?x?xT, #S>, %y: tensor<?xT>) -> tensor<?xT> {
      %P = astfe.pack %A : tensor<?x?xT, #S> -> !P
      %v = astfe.values %A in %P : tensor<?x?xT, #S>, !P -> tensor<?xT>
      %r = astfe.compute over %P : !P maps [#n, #i]
          ins(%v : tensor<?xT>) outs(%y : tensor<?xT>) overwrite {
      ^bb0(%a: T):
        %z = math.exp %a : T
        astfe.yield "addf" %z : T
      } -> tensor<?xT>
      return %r : tensor<?xT>
    })";
  for (auto [from, to] : {std::pair("xT", isDouble ? "xf64" : "xf32"),
                          {" T", isDouble ? " f64" : " f32"}})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, 2, to);
  return text;
}

/// exp of each number, computed at place (its number) % kLength of a row.
template <typename T>
static std::vector<T> exponentials(void *entry, const std::vector<T> &numbers) {
  const int64_t rows = int64_t(numbers.size());
  std::vector<int64_t> ends, columns;
  std::vector<T> values(size_t(rows * kLength),
                        -std::numeric_limits<T>::infinity());
  for (int64_t row = 0; row <= rows; ++row)
    ends.push_back(row * kLength);
  for (int64_t n = 0; n < rows * kLength; ++n)
    columns.push_back(n % kLength);
  for (int64_t row = 0; row < rows; ++row)
    values[size_t(row * kLength + row % kLength)] = numbers[size_t(row)];
  std::vector<T> y(numbers.size());
  Indices positions(ends, 32), coordinates(columns, 32);
  Descriptor<1> stored{
      values.data(), values.data(), 0, {int64_t(values.size())}, {1}};
  Descriptor<1> out{y.data(), y.data(), 0, {rows}, {1}}, result;
  using Entry =
      void (*)(void *, void *, void *, void *, int64_t, int64_t, void *);
  astfe_rt_clear_error();
  reinterpret_cast<Entry>(entry)(&result, &positions.memref,
                                 &coordinates.memref, &stored, rows, kLength,
                                 &out);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
  const T *data = static_cast<T *>(result.aligned);
  return std::vector<T>(data, data + rows);
}

template <typename T>
static void expectExponentials(mlir::MLIRContext &context, T low, T high) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(textOf(sizeof(T) == 8), &context);
  ASSERT_TRUE(module);
  JitOptions options;
  options.pipeline = "astfe-to-cpu";
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_f");
  ASSERT_TRUE(entry) << entry.message();

  constexpr T kInf = std::numeric_limits<T>::infinity();
  std::vector<T> numbers = {T(0),
                            T(-0.0),
                            T(1e-30),
                            T(-1e-30),
                            kInf,
                            -kInf,
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::lowest()};
  for (int64_t i = 0; i <= 20000; ++i)
    numbers.push_back(low + (high - low) * T(i) / 20000);
  std::vector<T> got = exponentials(*entry, numbers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const long double want = std::exp((long double)numbers[i]);
    const T rounded = T(want);
    if (std::isinf(rounded)) {
      EXPECT_EQ(got[i], rounded) << numbers[i];
      continue;
    }
    const T unit = std::nextafter(rounded, kInf) - rounded;
    EXPECT_LE(std::fabs((long double)got[i] - want), 2 * (long double)unit)
        << numbers[i];
  }
  EXPECT_TRUE(
      std::isnan(exponentials(*entry, std::vector<T>{T(std::nan(""))}).front()));
}

TEST_F(Exponential, IsWithinTwoUnitsInTheLastPlace) {
  // Beyond 0 and inf on both sides.
  expectExponentials<float>(context, -110, 92);
  expectExponentials<double>(context, -760, 715);
}
