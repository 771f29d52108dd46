//===- SumsOfAllTest.cpp - products that keep no mode ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of one mode are computed and added up. Which mode that is shows in the
// bits of a result and in the memory that it takes.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include "RefusingMalloc.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe;
using namespace astfe::product;
using core::Element;
using core::Semiring;

namespace {

struct SumsOfAll : testing::Test {
  SumsOfAll() { setenv("ASTFE_KERNEL_CACHE", "off", 1); }
  ~SumsOfAll() override { astfe_rt_set_threads(0); }

  /// Nonzeros at every `step`-th element.
  template <typename T>
  std::unique_ptr<PackedTensor> pack(const std::vector<int64_t> &shape,
                                     const std::vector<T> &values, int64_t step,
                                     core::Arithmetic arithmetic) {
    const auto count = int64_t(values.size());
    std::vector<std::vector<int64_t>> coordinates(shape.size());
    for (int64_t n = 0; n < count; ++n) {
      int64_t rest = n * step;
      for (size_t k = shape.size(); k-- > 0; rest /= shape[k])
        coordinates[k].push_back(rest % shape[k]);
    }
    std::vector<core::IndexArray> arrays;
    for (const std::vector<int64_t> &mode : coordinates)
      arrays.emplace_back(mode.data(), count);
    const core::SparseView view = core::SparseView::coo(shape, arrays);
    auto plan =
        core::makePlan(view, tensorPlanOptions(count, 1, arithmetic.element));
    EXPECT_TRUE(bool(plan)) << plan.message();
    TensorOptions options;
    options.arithmetic = arithmetic;
    auto tensor =
        PackedTensor::pack(view, values.data(), plan->fused, options, source);
    EXPECT_TRUE(bool(tensor)) << tensor.message();
    return std::move(*tensor);
  }

  /// The sum of all values.
  template <typename T>
  T sum(const std::vector<int64_t> &shape, const std::vector<T> &values,
        core::Arithmetic arithmetic, std::optional<T> before = {}) {
    auto tensor = pack(shape, values, 1, arithmetic);
    T result = before.value_or(T(7));
    auto status = tensor->compute({unsigned(shape.size()), {}, {}, {}}, {},
                                  {&result, {}}, before.has_value());
    EXPECT_TRUE(bool(status)) << status.message();
    return result;
  }

  compiler::KernelCompiler source;
};

} // namespace

TEST_F(SumsOfAll, HaveTheSameBitsForAnyNumberOfThreads) {
  // Several bricks, and a mode for any number of threads.
  const std::vector<int64_t> shape{3, 40, 2000};
  constexpr int64_t kWidth = 16;
  std::mt19937 random(5);
  auto numbers = [&](int64_t count) {
    std::vector<float> result;
    for (int64_t n = 0; n < count; ++n)
      result.push_back(float(random() % 10000) / 7);
    return result;
  };
  auto tensor = pack(shape, numbers(3 * 40 * 2000), 1, {Element::F32});
  std::vector<float> b = numbers(3 * kWidth);
  auto compute = [&] {
    std::vector<float> c(kWidth);
    auto status =
        tensor->compute({3, {{0, 3}}, {3}, {kWidth}}, {{b.data(), {3, kWidth}}},
                        {c.data(), {kWidth}}, /*accumulate=*/false);
    EXPECT_TRUE(bool(status)) << status.message();
    return c;
  };
  astfe_rt_set_threads(1);
  const std::vector<float> want = compute();
  for (int64_t threads : {2, 4, 8, 64}) {
    astfe_rt_set_threads(threads);
    EXPECT_EQ(compute(), want) << threads;
  }
}

TEST_F(SumsOfAll, OfHalvesAreRoundedOnce) {
  using core::Arithmetic;
  // 40000, 40000, -40000 and -39968 by two, whose sums are beyond f16.
  const std::vector<uint16_t> large{0x78e2, 0x78e2, 0xf8e2, 0xf8e1};
  const Arithmetic f16{Element::F16}, bf16{Element::BF16};
  const uint16_t half16 = sum({2, 2, 1}, large, f16);
  EXPECT_EQ(half16, 0x5000); // 32
  // 32 and -16.
  EXPECT_EQ(sum({2, 2, 1}, large, f16, std::optional<uint16_t>(0xcc00)),
            0x4c00);
  // 256 + 1 is 256 in bf16, 256 + 2 is not.
  const std::vector<uint16_t> small{0x4380, 0x3f80, 0x3f80, 0};
  EXPECT_EQ(sum({2, 2, 1}, small, bf16), 0x4381); // 258
  for (Semiring semiring : {Semiring::MaxPlus, Semiring::MaxTimes})
    EXPECT_EQ(sum({2, 2, 1}, large, Arithmetic{Element::F16, semiring}),
              0x78e2);
  EXPECT_EQ(sum({2, 2, 1}, large, Arithmetic{Element::F16, Semiring::MinPlus}),
            0xf8e2);
  EXPECT_EQ(sum({2, 2, 1}, std::vector<uint16_t>(),
                Arithmetic{Element::F16, Semiring::MinPlus}),
            0x7c00); // infinity
}

TEST_F(SumsOfAll, ProductsOfHalvesAreNotRounded) {
  // (1 + 3 2^-10)^2 - 1 is 6 2^-10 + 9 2^-20, of which f16 has 8.
  auto tensor = pack<uint16_t>({2, 1, 1}, {0x3c03, 0xbc00}, 1, {Element::F16});
  std::vector<uint16_t> factor{0x3c03, 0x3c00};
  uint16_t result = 0;
  auto status = tensor->compute({3, {{0}}, {}, {}}, {{factor.data(), {2}}},
                                {&result, {}}, /*accumulate=*/false);
  ASSERT_TRUE(bool(status)) << status.message();
  EXPECT_EQ(result, 0x1e02);
}

TEST_F(SumsOfAll, TakeNoMoreMemoryThanNonzeros) {
  // As of a wide matrix, and with a thread for more rows than two.
  astfe_rt_set_threads(4);
  constexpr int64_t kWide = 100'000, kWidth = 64;
  std::vector<float> ones(200, 1), b(size_t(kWide * kWidth), 2), c(kWidth);
  auto tensor = pack({2, kWide, 1}, ones, 1000, {Element::F32});
  auto multiply = [&] {
    return tensor->compute({3, {{1, 3}}, {3}, {kWidth}},
                           {{b.data(), {kWide, kWidth}}}, {c.data(), {kWidth}},
                           /*accumulate=*/false);
  };
  ASSERT_TRUE(multiply()); // compiles
  c.assign(c.size(), 0);
  MostBytes most(1 << 16);
  auto status = multiply();
  EXPECT_TRUE(bool(status)) << status.message();
  EXPECT_EQ(c, std::vector<float>(kWidth, 400));
}

TEST_F(SumsOfAll, WithoutMemoryForRowsNameItsBytes) {
  auto tensor = pack<float>({1 << 20}, {1, 2, 3}, 5, {Element::F32});
  float result = 0;
  auto compute = [&] {
    return tensor->compute({1, {}, {}, {}}, {}, {&result, {}},
                           /*accumulate=*/false);
  };
  ASSERT_TRUE(compute());
  EXPECT_EQ(result, 6);
  std::string message;
  {
    MostBytes most(1 << 20);
    result = 7;
    auto status = compute();
    ASSERT_FALSE(status);
    message = status.message();
  }
  EXPECT_EQ(message, "expected memory for 4194304 bytes of the sums of 1048576 "
                     "rows of mode 0, of 1 each");
  EXPECT_EQ(result, 7);
}

TEST_F(SumsOfAll, OfWrongProductsAreRefused) {
  auto tensor = pack<float>({2, 2, 2}, {1, 2, 3}, 1, {Element::F32});
  float input[2] = {1, 1}, result = 7;
  auto status = tensor->compute({3, {{5}}, {}, {}}, {{input, {2}}},
                                {&result, {}}, /*accumulate=*/false);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.message(), "expected dimensions below 3 but got 5");
  EXPECT_EQ(result, 7);
}

TEST_F(SumsOfAll, HaveNoModelOfTheirTraffic) {
  auto tensor = pack<float>({2, 2, 2}, {1, 2, 3}, 1, {Element::F32});
  auto traffic = tensor->traffic({3, {}, {}, {}});
  ASSERT_FALSE(traffic);
  EXPECT_EQ(traffic.message(), "expected an output that is indexed by a mode "
                               "of the tensor but got ()");
  EXPECT_EQ(tensor->traffic({4, {}, {0}, {}}).message(),
            "expected a product of a tensor of rank 3 but got 4");
}
