//===- TurnedOperandsTest.cpp - which operands are copied, and without memory //
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy shows in the memory that a product asks for. Where there is none, the
// product goes without, and that is no error.
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

namespace {
constexpr int64_t kColumns = 16;

struct Nonzeros {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> coordinates{3};

  void add(int64_t i, int64_t j) {
    coordinates[0].push_back(i);
    coordinates[1].push_back(j);
    coordinates[2].push_back(0);
  }
};

Nonzeros anywhere(int64_t rows, int64_t columns, int64_t count) {
  Nonzeros made{{rows, columns, 1}, std::vector<std::vector<int64_t>>(3)};
  std::mt19937_64 random{9};
  for (int64_t n = 0; n < count; ++n)
    made.add(int64_t(random() % uint64_t(rows)),
             int64_t(random() % uint64_t(columns)));
  return made;
}

/// Three on and beside the diagonal.
Nonzeros mesh(int64_t rows) {
  Nonzeros made{{rows, rows, 1}, std::vector<std::vector<int64_t>>(3)};
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = std::max<int64_t>(i - 1, 0);
         j <= std::min(i + 1, rows - 1); ++j)
      made.add(i, j);
  return made;
}

struct TurnedOperands : testing::Test {
  TurnedOperands() { setenv("ASTFE_KERNEL_CACHE", "off", 1); }

  /// How many allocations as large as a copy C_ik += t_ijl B_kj asks for, none
  /// of which it gets.
  int64_t copiesOf(const Nonzeros &nonzeros) {
    const auto count = int64_t(nonzeros.coordinates[0].size());
    std::vector<core::IndexArray> arrays;
    for (const std::vector<int64_t> &mode : nonzeros.coordinates)
      arrays.emplace_back(mode.data(), count);
    const core::SparseView view = core::SparseView::coo(nonzeros.shape, arrays);
    auto plan =
        core::makePlan(view, tensorPlanOptions(count, 32, core::Element::F32));
    EXPECT_TRUE(plan) << plan.message();
    const std::vector<float> ones(size_t(count), 1);
    TensorOptions options;
    options.arithmetic = {core::Element::F32};
    auto tensor =
        PackedTensor::pack(view, ones.data(), plan->fused, options, source);
    EXPECT_TRUE(tensor) << tensor.message();
    const int64_t rows = nonzeros.shape[0], columns = nonzeros.shape[1];
    std::vector<float> b(size_t(kColumns * columns)),
        c(size_t(rows * kColumns)), wanted(c.size());
    for (size_t at = 0; at < b.size(); ++at)
      b[at] = float(at % 13) - 6;
    for (size_t n = 0; n < size_t(count); ++n)
      for (int64_t k = 0; k < kColumns; ++k)
        wanted[size_t(nonzeros.coordinates[0][n] * kColumns + k)] +=
            b[size_t(k * columns + nonzeros.coordinates[1][n])];
    const TensorProduct product{3, {{3, 1}}, {0, 3}, {kColumns}};
    auto compute = [&] {
      std::fill(c.begin(), c.end(), 0);
      auto status =
          (*tensor)->compute(product, {{b.data(), {kColumns, columns}}},
                             {c.data(), {rows, kColumns}}, false);
      EXPECT_TRUE(status) << status.message();
      EXPECT_EQ(c, wanted);
    };
    auto kernel = (*tensor)->prepare(product, false);
    EXPECT_TRUE(kernel) << kernel.message();
    int64_t refused = 0;
    {
      MostBytes most(b.size() * sizeof(float) / 2);
      compute();
      refused = most.refused();
    }
    compute();
    return refused;
  }

  compiler::KernelCompiler source;
};
} // namespace

TEST_F(TurnedOperands, AreCopiedForManyUsesOrForOneThatIsFarAway) {
  EXPECT_EQ(copiesOf(anywhere(40, 500, 5000)), 1);
  EXPECT_EQ(copiesOf(anywhere(20'000, 20'000, 150'000)), 1);
}

TEST_F(TurnedOperands, StayForFewUsesAndInMeshes) {
  EXPECT_EQ(copiesOf(anywhere(40, 500, 2000)), 0);
  EXPECT_EQ(copiesOf(mesh(40'000)), 0);
}
