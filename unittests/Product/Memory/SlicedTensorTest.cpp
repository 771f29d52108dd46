//===- SlicedTensorTest.cpp - products whose copies have no memory --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where memory has no room for a copy by a mode's rows, a product goes slice by
// slice: the same bits, for any number of threads, and close to what one loop
// over the nonzeros computes.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/StageLog.h"
#include "RefusingMalloc.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace astfe;
using namespace astfe::product;

namespace {

constexpr int64_t kColumns = 5;
constexpr int64_t kGroups = 20;

/// A tensor of small whole numbers in f32, and factors.
struct Problem {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> coordinates;
  std::vector<float> values;
  std::vector<std::vector<float>> factors; ///< by mode

  Problem(std::vector<int64_t> extents, int64_t count)
      : shape(std::move(extents)), coordinates(shape.size()) {
    std::mt19937_64 random(7);
    for (int64_t n = 0; n < count; ++n) {
      for (size_t k = 0; k < shape.size(); ++k)
        coordinates[k].push_back(int64_t(random() % uint64_t(shape[k])));
      values.push_back(float(int(random() % 9) - 4) / 3);
    }
    for (int64_t extent : shape) {
      factors.emplace_back();
      for (int64_t i = 0; i < extent * kColumns; ++i)
        factors.back().push_back(float(int(random() % 15) - 7) / 5);
    }
  }

  unsigned rank() const { return unsigned(shape.size()); }

  core::SparseView view() const {
    std::vector<core::IndexArray> arrays;
    for (const std::vector<int64_t> &mode : coordinates)
      arrays.emplace_back(mode.data(), int64_t(mode.size()));
    return core::SparseView::coo(shape, std::move(arrays));
  }

  /// An element of mode's MTTKRP, and the sum of the terms' magnitudes.
  std::vector<std::pair<double, double>> expected(unsigned mode) const {
    std::vector<std::pair<double, double>> sums(size_t(shape[mode] * kColumns));
    for (size_t n = 0; n < values.size(); ++n)
      for (int64_t c = 0; c < kColumns; ++c) {
        double term = values[n];
        for (unsigned k = 0; k < rank(); ++k)
          if (k != mode)
            term *= factors[k][size_t(coordinates[k][n] * kColumns + c)];
        auto &sum = sums[size_t(coordinates[mode][n] * kColumns + c)];
        sum.first += term;
        sum.second += std::abs(term);
      }
    return sums;
  }
};

/// Packed into so many groups that slices are a small part of it.
std::unique_ptr<PackedTensor> packed(const Problem &problem,
                                     TensorKernelSource &source) {
  core::SparseView view = problem.view();
  core::PlanOptions options =
      tensorPlanOptions(view.nonzeros(), kColumns, core::Element::F32);
  options.setWorkers(kGroups);
  options.partition.leaf = view.nonzeros() / kGroups;
  auto plan = core::makePlan(view, options);
  EXPECT_TRUE(bool(plan)) << plan.message();
  auto tensor = PackedTensor::pack(view, problem.values.data(), plan->fused,
                                   TensorOptions(), source);
  EXPECT_TRUE(bool(tensor)) << tensor.message();
  EXPECT_GE((*tensor)->bricks().bricks(), kGroups / 2);
  return std::move(*tensor);
}

struct SlicedTensor : testing::Test {
  SlicedTensor() { setenv("ASTFE_KERNEL_CACHE", "off", 1); }
  ~SlicedTensor() override {
    astfe_rt_set_memory(0);
    astfe_rt_set_threads(0);
    EXPECT_EQ(rt::Handle::live(), 0);
  }

  core::Status mttkrp(PackedTensor &tensor, Problem &problem, unsigned mode,
                      std::vector<float> &output, bool accumulate = false) {
    std::vector<DenseTensor> inputs;
    for (unsigned k = 0; k < problem.rank(); ++k)
      if (k != mode)
        inputs.push_back(
            {problem.factors[k].data(), {problem.shape[k], kColumns}});
    return tensor.compute(
        TensorProduct::mttkrp(problem.rank(), mode, kColumns), inputs,
        {output.data(), {problem.shape[mode], kColumns}}, accumulate);
  }

  /// Into what holds ones.
  std::vector<float> mttkrp(PackedTensor &tensor, Problem &problem,
                            unsigned mode, bool accumulate = false) {
    std::vector<float> output(size_t(problem.shape[mode] * kColumns), 1);
    auto status = mttkrp(tensor, problem, mode, output, accumulate);
    EXPECT_TRUE(bool(status)) << status.message();
    return output;
  }

  compiler::KernelCompiler source;
};

} // namespace

TEST_F(SlicedTensor, AnyModeOfAnyRankHasTheBitsOfItsCopy) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{30, 20, 25}, {12, 10, 9, 11}, {8, 9, 7, 6, 10}}) {
    Problem problem(shape, 6000);
    for (unsigned mode = 0; mode < problem.rank(); ++mode) {
      SCOPED_TRACE(std::to_string(shape.size()) + " modes, " +
                   std::to_string(mode));
      for (bool accumulate : {false, true}) {
        astfe_rt_set_memory(0);
        auto whole = packed(problem, source);
        const std::vector<float> want =
            mttkrp(*whole, problem, mode, accumulate);
        EXPECT_EQ(rt::stageLog().slices, 0);
        const auto expected = problem.expected(mode);
        for (size_t i = 0; i < want.size(); ++i)
          EXPECT_NEAR(want[i], expected[i].first + accumulate,
                      1e-5 * (expected[i].second + 1));
        astfe_rt_set_memory(1);
        auto sliced = packed(problem, source);
        for (int64_t threads : {1, 2, 3}) {
          astfe_rt_set_threads(threads);
          EXPECT_EQ(mttkrp(*sliced, problem, mode, accumulate), want);
          // Bricks are packed by mode 0.
          const int64_t bricks = sliced->bricks().bricks();
          EXPECT_EQ(rt::stageLog().slices,
                    mode == 0 ? 0 : (bricks + threads - 1) / threads);
        }
        astfe_rt_set_threads(0);
      }
    }
  }
}

TEST_F(SlicedTensor, MemoryIsSharedByTheModesThatCome) {
  Problem problem({30, 20, 25}, 6000);
  auto first = packed(problem, source);
  astfe_rt_set_memory(first->bricks().bytes() + first->bricks().mostBytesOf(1));
  auto tensor = packed(problem, source);
  mttkrp(*tensor, problem, 1);
  EXPECT_EQ(rt::stageLog().slices, 0);
  mttkrp(*tensor, problem, 2);
  EXPECT_GT(rt::stageLog().slices, 1);
  // The first stays, and so does the answer for the other.
  astfe_rt_set_memory(0);
  mttkrp(*tensor, problem, 1);
  EXPECT_EQ(rt::stageLog().slices, 0);
  mttkrp(*tensor, problem, 2);
  EXPECT_GT(rt::stageLog().slices, 1);
}

TEST_F(SlicedTensor, AFailedAllocationIsAsGoodAsALimit) {
  Problem problem({30, 20, 25}, 60000);
  const auto want = mttkrp(*packed(problem, source), problem, 2);
  auto tensor = packed(problem, source);
  ASSERT_EQ(tensor->bricks().copies[2], std::nullopt);
  astfe_rt_set_threads(1);
  // The coordinates of a copy take two bytes for each nonzero, a slice is a
  // twentieth of them.
  std::vector<float> output(want.size());
  MostBytes most(2 * 60000 - 1);
  auto status = mttkrp(*tensor, problem, 2, output);
  EXPECT_TRUE(bool(status)) << status.message();
  EXPECT_GT(most.refused(), 0);
  EXPECT_GT(rt::stageLog().slices, 1);
  EXPECT_EQ(output, want);
}

TEST_F(SlicedTensor, WithoutMemoryForASliceNothingIsWritten) {
  Problem problem({30, 20, 25}, 60000);
  astfe_rt_set_memory(1);
  auto tensor = packed(problem, source);
  auto kernel = tensor->prepare(TensorProduct::mttkrp(3, 1, kColumns), false);
  ASSERT_TRUE(bool(kernel)) << kernel.message();
  std::vector<float> output(20 * kColumns, 7);
  // What a slice takes, piece by piece: none of them may be half way through.
  int64_t refused = 0;
  for (size_t bytes = 1 << 18; bytes >= 1 << 9; bytes /= 2) {
    std::string message;
    {
      MostBytes most(bytes);
      auto status = mttkrp(*tensor, problem, 1, output);
      refused += !status;
      if (!status)
        message = status.message();
    }
    if (message.empty()) {
      output.assign(output.size(), 7);
      continue;
    }
    EXPECT_NE(message.find("memory"), std::string::npos) << message;
    EXPECT_EQ(output, std::vector<float>(output.size(), 7)) << bytes;
  }
  EXPECT_GT(refused, 1);
  EXPECT_LT(refused, 10);
}
