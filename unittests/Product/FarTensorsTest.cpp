//===- FarTensorsTest.cpp - extents beyond 32 bits ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few nonzeros in tensors of extents above 2^32, added into dense operands of
// tens of gigabytes that are address space only, but for the pages that are
// touched: on the host, and by GPU kernels on the emulator.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Product/PackedTensor.h"
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace astfe;
using product::DenseTensor;
using product::TensorProduct;

namespace {

constexpr int64_t kFar = 5'000'000'000;

/// Zeros that take no memory.
class Reserved {
public:
  explicit Reserved(std::vector<int64_t> extents)
      : extents(std::move(extents)) {
    for (int64_t extent : this->extents)
      bytes *= size_t(extent);
    void *mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data = mapped == MAP_FAILED ? nullptr : static_cast<float *>(mapped);
  }
  Reserved(const Reserved &) = delete;
  ~Reserved() {
    if (data)
      munmap(data, bytes);
  }

  float &operator()(int64_t row, int64_t column = 0) {
    const int64_t width = int64_t(bytes / sizeof(float)) / extents.front();
    return data[row * width + column];
  }
  DenseTensor view() { return {data, extents}; }

  std::vector<int64_t> extents;
  size_t bytes = sizeof(float);
  float *data = nullptr;
};

/// Whether tests run on the emulator.
class FarTensors : public testing::TestWithParam<bool> {
protected:
  FarTensors()
      : emulator(options()), source({"", GetParam() ? "llvm" : "isa"}) {
    if (GetParam())
      rt::setDevice(&emulator);
  }
  ~FarTensors() override { rt::setDevice(nullptr); }

  /// What checks keep of each element would be in memory.
  static emu::Options options() {
    emu::Options options;
    options.checkBounds = options.checkRaces = false;
    return options;
  }

  /// Nonzeros at the first, the last and a middle row of the far mode.
  void pack(unsigned farMode) {
    tensor.shape = {4, 4, 4};
    tensor.shape[farMode] = kFar;
    tensor.coordinates = {{0, 1, 3}, {0, 2, 3}, {0, 1, 3}};
    tensor.coordinates[farMode] = {0, kFar - 1, kFar / 2};
    tensor.values = {1.5, 2.5, -1};
    product::TensorOptions options;
    if (GetParam()) {
      options.device = &emulator;
      options.chip = "sm_90";
    }
    const core::SparseView view = tensor.view();
    auto plan = core::makePlan(
        view, product::tensorPlanOptions(3, 2, core::Element::F32));
    ASSERT_TRUE(plan) << plan.message();
    const float values[] = {1.5, 2.5, -1};
    auto made =
        product::PackedTensor::pack(view, values, plan->fused, options, source);
    ASSERT_TRUE(made) << made.message();
    packed = std::move(*made);
  }

  void add(const TensorProduct &product, std::vector<Reserved *> operands) {
    std::vector<DenseTensor> views;
    for (Reserved *operand : operands) {
      if (GetParam())
        ASSERT_TRUE(emulator.registerHost(operand->data, operand->bytes));
      views.push_back(operand->view());
    }
    const DenseTensor output = views.back();
    views.pop_back();
    auto status = packed->compute(product, views, output, /*accumulate=*/true);
    ASSERT_TRUE(status) << status.message();
    if (GetParam())
      ASSERT_TRUE(emulator.synchronize());
    for (Reserved *operand : operands)
      if (GetParam())
        ASSERT_TRUE(emulator.unregisterHost(operand->data));
  }

  emu::Emulator emulator;
  compiler::KernelCompiler source;
  core::CooTensor tensor;
  std::unique_ptr<product::PackedTensor> packed;
};

TEST_P(FarTensors, MttkrpIntoFarRows) {
  ASSERT_NO_FATAL_FAILURE(pack(0));
  Reserved b({4, 2}), c({4, 2}), m({kFar, 2});
  if (!m.data)
    GTEST_SKIP() << "no address space";
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t r = 0; r < 2; ++r)
      b(i, r) = float(1 + i + r), c(i, r) = float(2 - r);
  m(0, 0) = 10;
  m(kFar - 1, 1) = 20;
  ASSERT_NO_FATAL_FAILURE(add(TensorProduct::mttkrp(3, 0, 2), {&b, &c, &m}));
  EXPECT_EQ(m(0, 0), 10 + 1.5f * 1 * 2);
  EXPECT_EQ(m(0, 1), 1.5f * 2 * 1);
  EXPECT_EQ(m(kFar - 1, 0), 2.5f * 3 * 2);
  EXPECT_EQ(m(kFar - 1, 1), 20 + 2.5f * 4 * 1);
  EXPECT_EQ(m(kFar / 2, 0), -1.0f * 4 * 2);
  EXPECT_EQ(m(kFar / 2, 1), -1.0f * 5 * 1);
  // What the lower half of the bits would name.
  for (int64_t row : {kFar - 1, kFar / 2}) {
    EXPECT_EQ(m(row & 0xffffffff, 0), row == kFar / 2 ? -8 : 0);
    EXPECT_EQ(m(row & 0x7fffffff, 0), 0);
  }
}

TEST_P(FarTensors, MttkrpOfAFarFactor) {
  ASSERT_NO_FATAL_FAILURE(pack(2));
  Reserved a({4, 2}), c({kFar, 2}), m({4, 2});
  if (!c.data)
    GTEST_SKIP() << "no address space";
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t r = 0; r < 2; ++r)
      a(i, r) = float(1 + i + r);
  c(0, 0) = 3, c(0, 1) = 4;
  c(kFar - 1, 0) = 5, c(kFar - 1, 1) = 6;
  c(kFar / 2, 0) = 7, c(kFar / 2, 1) = 8;
  ASSERT_NO_FATAL_FAILURE(add(TensorProduct::mttkrp(3, 1, 2), {&a, &c, &m}));
  EXPECT_EQ(m(0, 0), 1.5f * 1 * 3);
  EXPECT_EQ(m(0, 1), 1.5f * 2 * 4);
  EXPECT_EQ(m(1, 0), 0);
  EXPECT_EQ(m(2, 0), 2.5f * 2 * 5);
  EXPECT_EQ(m(2, 1), 2.5f * 3 * 6);
  EXPECT_EQ(m(3, 0), -1.0f * 4 * 7);
  EXPECT_EQ(m(3, 1), -1.0f * 5 * 8);
}

TEST_P(FarTensors, TtvIntoFarRows) {
  ASSERT_NO_FATAL_FAILURE(pack(0));
  Reserved v({4}), y({kFar, 4});
  if (!y.data)
    GTEST_SKIP() << "no address space";
  for (int64_t i = 0; i < 4; ++i)
    v(i) = float(1 + i);
  y(kFar - 1, 2) = 100;
  ASSERT_NO_FATAL_FAILURE(add(TensorProduct::ttv(3, 2), {&v, &y}));
  EXPECT_EQ(y(0, 0), 1.5f * 1);
  EXPECT_EQ(y(kFar - 1, 2), 100 + 2.5f * 2);
  EXPECT_EQ(y(kFar / 2, 3), -1.0f * 4);
  EXPECT_EQ(y(kFar - 1, 1), 0);
}

TEST_P(FarTensors, TtvAlongFarRows) {
  ASSERT_NO_FATAL_FAILURE(pack(1));
  Reserved v({kFar}), y({4, 4});
  if (!v.data)
    GTEST_SKIP() << "no address space";
  v(0) = 3, v(kFar - 1) = 4, v(kFar / 2) = 5;
  y(1, 1) = 100;
  ASSERT_NO_FATAL_FAILURE(add(TensorProduct::ttv(3, 1), {&v, &y}));
  EXPECT_EQ(y(0, 0), 1.5f * 3);
  EXPECT_EQ(y(1, 1), 100 + 2.5f * 4);
  EXPECT_EQ(y(3, 3), -1.0f * 5);
  EXPECT_EQ(y(2, 2), 0);
}

INSTANTIATE_TEST_SUITE_P(Targets, FarTensors, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &param) {
                           return param.param ? "Emulator" : "Host";
                         });

} // namespace
