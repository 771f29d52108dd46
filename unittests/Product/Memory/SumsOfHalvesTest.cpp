//===- SumsOfHalvesTest.cpp - sums of halves whose memory is short --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of halves are kept in f32, in memory that a call borrows. Whatever of it
// is missing, the output is as it was and there is a text.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/StageLog.h"
#include "RefusingMalloc.h"
#include <functional>
#include <gtest/gtest.h>

using namespace astfe;
using namespace astfe::product;

namespace {

/// Halves are written as their bits.
constexpr uint16_t kOne = 0x3f80, kBefore = 0x4180; ///< 1 and 16 in bf16

struct SumsOfHalves : testing::Test {
  SumsOfHalves() {
    setenv("ASTFE_KERNEL_CACHE", "off", 1);
    astfe_rt_set_threads(1);
  }
  ~SumsOfHalves() override { astfe_rt_set_threads(0); }

  /// Products under ever less memory, each by an operand that is new to it: all
  /// are right, or all of the output is as it was. Returns the numbers of both.
  std::pair<int, int> expectAllOrNothing(
      size_t outputs,
      const std::function<std::function<core::Status(uint16_t *)>()> &make) {
    std::vector<uint16_t> want(outputs, kBefore);
    core::Status status = make()(want.data());
    EXPECT_TRUE(bool(status)) << status.message();
    std::pair<int, int> seen;
    for (size_t bytes = 1 << 21; bytes >= 1 << 9; bytes /= 2) {
      std::vector<uint16_t> output(outputs, kBefore);
      const auto product = make();
      bool passed;
      std::string message;
      {
        MostBytes most(bytes);
        status = product(output.data());
        passed = bool(status);
        if (!passed)
          message = status.message();
      }
      ++(passed ? seen.first : seen.second);
      if (passed) {
        EXPECT_EQ(output, want) << bytes;
        continue;
      }
      EXPECT_NE(message.find("out of memory"), std::string::npos) << message;
      EXPECT_EQ(output, std::vector<uint16_t>(outputs, kBefore)) << bytes;
    }
    return seen;
  }

  compiler::KernelCompiler source;
};

core::Arithmetic bf16() {
  core::Arithmetic arithmetic;
  arithmetic.element = core::Element::BF16;
  return arithmetic;
}

} // namespace

TEST_F(SumsOfHalves, OfRowsInSeveralSegments) {
  // Along the curve a row has a segment in each block.
  constexpr int64_t kSize = 600;
  std::vector<int64_t> rows, columns;
  for (int64_t i = 0; i < kSize; ++i)
    for (int64_t j = i % 7; j < kSize; j += 7) {
      rows.push_back(i);
      columns.push_back(j);
    }
  const auto count = int64_t(rows.size());
  const std::vector<uint16_t> values(rows.size(), kOne);
  const core::SparseView view = core::SparseView::coo(
      {kSize, kSize}, {core::IndexArray(rows.data(), count),
                       core::IndexArray(columns.data(), count)});
  for (int64_t width : {1, 40}) {
    MatrixOptions options;
    options.arithmetic = bf16();
    options.columns = width;
    core::PlanOptions plan = planOptions(options);
    plan.order = core::OrderKind::Hilbert;
    auto planned = core::makePlan(view, plan);
    ASSERT_TRUE(bool(planned)) << planned.message();
    std::vector<uint16_t> b(size_t(kSize * width), kOne);
    const auto seen = expectAllOrNothing(
        size_t(kSize * width),
        [&]() -> std::function<core::Status(uint16_t *)> {
          auto packed = PackedMatrix::pack(view, values.data(), planned->fused,
                                           options, source);
          EXPECT_TRUE(bool(packed)) << packed.message();
          EXPECT_TRUE(bool((*packed)->compile(width, /*accumulate=*/true)));
          std::shared_ptr<PackedMatrix> matrix = std::move(*packed);
          return [=, &b](uint16_t *c) {
            return matrix->multiply({b.data(), kSize, width, width},
                                    {c, kSize, width, width},
                                    /*accumulate=*/true);
          };
        });
    EXPECT_GT(seen.first, 2) << width;
    EXPECT_GT(seen.second, 2) << width;
  }
}

namespace {
/// Every third element of a cuboid. An element of a product gets a sum from
/// each fiber.
struct Thirds {
  const std::vector<int64_t> shape{60, 50, 40};
  std::vector<std::vector<int64_t>> coordinates =
      std::vector<std::vector<int64_t>>(3);
  std::vector<uint16_t> values;

  Thirds() {
    for (int64_t n = 0; n < 60 * 50 * 40; n += 3) {
      coordinates[0].push_back(n / 2000);
      coordinates[1].push_back(n / 40 % 50);
      coordinates[2].push_back(n % 40);
      values.push_back(uint16_t(kOne + n % 5));
    }
  }
  core::SparseView view() const {
    std::vector<core::IndexArray> arrays;
    for (const std::vector<int64_t> &mode : coordinates)
      arrays.emplace_back(mode.data(), int64_t(mode.size()));
    return core::SparseView::coo(shape, std::move(arrays));
  }
  std::shared_ptr<PackedTensor> pack(int64_t groups,
                                     TensorKernelSource &source) const {
    core::PlanOptions plan =
        tensorPlanOptions(int64_t(values.size()), 1, core::Element::BF16);
    plan.setWorkers(groups);
    plan.partition.leaf = int64_t(values.size()) / groups;
    auto planned = core::makePlan(view(), plan);
    EXPECT_TRUE(bool(planned)) << planned.message();
    TensorOptions options;
    options.arithmetic = bf16();
    auto packed = PackedTensor::pack(view(), values.data(), planned->fused,
                                     options, source);
    EXPECT_TRUE(bool(packed)) << packed.message();
    return std::move(*packed);
  }
};
} // namespace

TEST_F(SumsOfHalves, OfTensors) {
  const Thirds thirds;
  const TensorProduct product = TensorProduct::ttv(3, 2);
  std::vector<uint16_t> vector(40, kOne);
  const auto seen = expectAllOrNothing(
      60 * 50, [&]() -> std::function<core::Status(uint16_t *)> {
        auto tensor = thirds.pack(1, source);
        EXPECT_TRUE(bool(tensor->prepare(product, /*accumulate=*/true)));
        return [=, &vector](uint16_t *output) {
          return tensor->compute(product, {{vector.data(), {40}}},
                                 {output, {60, 50}}, /*accumulate=*/true);
        };
      });
  EXPECT_GT(seen.first, 2);
  EXPECT_GT(seen.second, 2);
}

TEST_F(SumsOfHalves, OfSlicesAreRoundedOnce) {
  const Thirds thirds;
  std::vector<uint16_t> vector(60, kOne);
  // With and without fibers to flush.
  for (const TensorProduct &product :
       {TensorProduct::ttv(3, 0), TensorProduct{3, {{0}}, {2}, {}}})
    for (bool accumulate : {false, true}) {
      auto compute = [&](PackedTensor &tensor) {
        std::vector<int64_t> extents =
            product.extentsOf(product.output, thirds.shape);
        std::vector<uint16_t> output(size_t(extents.size() == 1 ? 40 : 50 * 40),
                                     kBefore);
        auto status = tensor.compute(product, {{vector.data(), {60}}},
                                     {output.data(), extents}, accumulate);
        EXPECT_TRUE(bool(status)) << status.message();
        return output;
      };
      const std::vector<uint16_t> want = compute(*thirds.pack(20, source));
      EXPECT_EQ(rt::stageLog().slices, 0);
      astfe_rt_set_memory(1);
      EXPECT_EQ(compute(*thirds.pack(20, source)), want);
      astfe_rt_set_memory(0);
      EXPECT_GT(rt::stageLog().slices, 5);
    }
}
