//===- TensorAsMatrixTest.cpp - a product of a tensor as one of a matrix --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/TensorAsMatrix.h"
#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe;
using namespace astfe::product;

namespace {

using Shape = std::array<int64_t, 2>;

TEST(MatrixForm, IsThatOfSumsOverOneMode) {
  const auto form = matrixFormOf(TensorProduct::ttm(3, 1, 4));
  ASSERT_TRUE(form);
  EXPECT_EQ(form->modes.rows, (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(form->modes.column, 1u);
  EXPECT_TRUE(form->hasColumns);
  EXPECT_FALSE(matrixFormOf(TensorProduct::ttv(4, 1))->hasColumns);
  // Rows in the output's order, and a mode that is only summed over.
  EXPECT_EQ(matrixFormOf({3, {{0}}, {2, 1}, {}})->modes.rows,
            (std::vector<unsigned>{2, 1}));
  EXPECT_EQ(matrixFormOf({3, {{0, 3}}, {2, 3}, {4}})->modes.rows,
            (std::vector<unsigned>{2}));
}

TEST(MatrixForm, IsNoOtherProducts) {
  const TensorProduct others[] = {
      TensorProduct::mttkrp(3, 0, 4),
      {3, {}, {0, 1}, {}},           // no operand
      {3, {{}}, {0, 1}, {}},         // a number
      {3, {{1, 2}}, {0}, {}},        // two modes
      {3, {{0}}, {0, 1}, {}},        // scaled rows
      {3, {{3, 2}}, {0, 1, 3}, {4}}, // columns of the transpose
      {3, {{2, 3}}, {0, 3, 1}, {4}}, // columns between modes
      {3, {{2, 3}}, {3, 0, 1}, {4}}, // columns first
      {3, {{2, 3}}, {0, 1}, {4}},    // columns summed over
      {3, {{2}}, {0, 1, 3}, {4}},    // columns of the output only
      {3, {{2, 3}}, {3}, {4}},       // no rows
      {3, {{2, 3, 4}}, {0, 1, 3}, {4, 4}},
  };
  for (const TensorProduct &other : others)
    EXPECT_FALSE(matrixFormOf(other)) << other.text();
}

class TensorAsMatrix : public testing::Test {
protected:
  ~TensorAsMatrix() override { astfe_rt_set_memory(0); }

  void pack(std::vector<int64_t> extents, int64_t nonzeros) {
    shape = std::move(extents);
    coordinates.assign(shape.size(), {});
    values.clear();
    for (int64_t n = 0; n < nonzeros; ++n) {
      for (size_t k = 0; k < shape.size(); ++k)
        coordinates[k].push_back(int64_t(random() % uint64_t(shape[k])));
      values.push_back(double(int64_t(random() % 17) - 8));
    }
    std::vector<core::IndexArray> arrays;
    for (const std::vector<int64_t> &mode : coordinates)
      arrays.emplace_back(mode.data(), nonzeros);
    packValues(core::SparseView::coo(shape, arrays), values.data(),
               core::Element::F64);
  }
  void packValues(const core::SparseView &view, const void *values,
                  core::Element element,
                  core::Semiring semiring = core::Semiring::PlusTimes) {
    TensorOptions options;
    options.arithmetic = {element, semiring};
    auto plan =
        core::makePlan(view, tensorPlanOptions(view.nonzeros(), 1, element));
    ASSERT_TRUE(plan) << plan.message();
    auto made =
        PackedTensor::pack(view, values, plan->fused, options, source, &source);
    ASSERT_TRUE(made) << made.message();
    tensor = std::move(*made);
  }

  /// Small integers, whose sums are exact, against a loop over all nonzeros.
  void expectProduct(const TensorProduct &product, bool accumulate) {
    auto sizeOf = [&](const std::vector<unsigned> &dims) {
      int64_t size = 1;
      for (int64_t extent : product.extentsOf(dims, shape))
        size *= extent;
      return size_t(size);
    };
    const std::vector<unsigned> &in = product.inputs.front();
    std::vector<double> input(sizeOf(in)), output(sizeOf(product.output), 3);
    for (double &value : input)
      value = double(random() % 5);
    std::vector<double> expected(output.size(), accumulate ? 3 : 0);
    const int64_t columns = product.dense.empty() ? 1 : product.dense.front();
    for (size_t n = 0; n < values.size(); ++n)
      for (int64_t r = 0; r < columns; ++r) {
        auto place = [&](const std::vector<unsigned> &dims) {
          int64_t at = 0;
          for (unsigned dim : dims)
            at = dim < product.rank ? at * shape[dim] + coordinates[dim][n]
                                    : at * columns + r;
          return size_t(at);
        };
        expected[place(product.output)] += values[n] * input[place(in)];
      }
    auto status = tensor->compute(
        product, {{input.data(), product.extentsOf(in, shape)}},
        {output.data(), product.extentsOf(product.output, shape)}, accumulate);
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(output, expected) << product.text();
  }

  std::mt19937_64 random{7};
  compiler::KernelCompiler source;
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> coordinates;
  std::vector<double> values;
  std::unique_ptr<PackedTensor> tensor;
};

TEST_F(TensorAsMatrix, ComputesWhatBricksDo) {
  ASSERT_NO_FATAL_FAILURE(pack({11, 7, 13}, 900));
  for (bool accumulate : {false, true}) {
    for (unsigned mode : {0u, 1u, 2u}) {
      expectProduct(TensorProduct::ttv(3, mode), accumulate);
      expectProduct(TensorProduct::ttm(3, mode, 5), accumulate);
    }
    expectProduct({3, {{1}}, {2, 0}, {}}, accumulate);
    expectProduct({3, {{2, 3}}, {1, 0, 3}, {32}}, accumulate);
    expectProduct({3, {{2, 3}}, {1, 3}, {32}}, accumulate);
  }
  EXPECT_EQ(tensor->matrixShape(TensorProduct::ttv(3, 0)), (Shape{91, 11}));
  EXPECT_EQ(tensor->matrixShape({3, {{1}}, {2, 0}, {}}), (Shape{143, 7}));
  EXPECT_EQ(tensor->matrixShape({3, {{2, 3}}, {1, 3}, {32}}), (Shape{7, 13}));
  // Another number of columns is a product of the same matrix.
  expectProduct(TensorProduct::ttm(3, 2, 9), false);
}

TEST_F(TensorAsMatrix, IsNotWhereResultsAreLarge) {
  ASSERT_NO_FATAL_FAILURE(pack({50, 100, 4}, 500));
  // Rows of few nonzeros, and shorter than a line, in a cache.
  EXPECT_EQ(tensor->matrixShape(TensorProduct::ttm(3, 2, 2)), std::nullopt);
  expectProduct(TensorProduct::ttm(3, 2, 2), false);
  // 5000 positions, 500 lines that are read and written.
  for (const TensorProduct &product :
       {TensorProduct::ttm(3, 2, 16), TensorProduct::ttv(3, 2)}) {
    EXPECT_EQ(tensor->matrixShape(product), (Shape{5000, 4}));
    expectProduct(product, false);
  }
}

TEST_F(TensorAsMatrix, IsThatOfSumsOfHalvesWithColumns) {
  const int64_t rows[] = {0, 49}, columns[] = {99, 0}, depth[] = {3, 2};
  constexpr uint16_t kOne = 0x3f80, kTwo = 0x4000; // of bf16
  const std::vector<uint16_t> values = {kTwo, kOne};
  const core::SparseView view = core::SparseView::coo(
      {50, 100, 4}, {{rows, 2}, {columns, 2}, {depth, 2}});
  ASSERT_NO_FATAL_FAILURE(packValues(view, values.data(), core::Element::BF16));
  const auto product = TensorProduct::ttm(3, 2, 2);
  EXPECT_EQ(tensor->matrixShape(product), (Shape{5000, 4}));
  // One column is a matrix up to 32 rows a nonzero.
  EXPECT_EQ(tensor->matrixShape(TensorProduct::ttv(3, 2)), std::nullopt);
  std::vector<uint16_t> input(4 * 2, kOne), output(5000 * 2, 7);
  std::vector<uint16_t> expected(output.size(), 0);
  std::fill_n(&expected[2 * 99], 2, kTwo);
  std::fill_n(&expected[2 * 4900], 2, kOne);
  auto status = tensor->compute(product, {{input.data(), {4, 2}}},
                                {output.data(), {50, 100, 2}},
                                /*accumulate=*/false);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(output, expected);
  // Maxima are not rounded: bricks keep no sums of them.
  ASSERT_NO_FATAL_FAILURE(packValues(view, values.data(), core::Element::BF16,
                                     core::Semiring::MaxPlus));
  EXPECT_EQ(tensor->matrixShape(product), std::nullopt);
}

TEST_F(TensorAsMatrix, TakesOtherValues) {
  ASSERT_NO_FATAL_FAILURE(pack({50, 100, 4}, 500));
  // The first walks bricks.
  const auto products = {TensorProduct::ttm(3, 2, 2),
                         TensorProduct::ttm(3, 2, 16)};
  for (const TensorProduct &product : products)
    expectProduct(product, false);
  for (double &value : values)
    value = 1 - value;
  tensor->setValues(values.data());
  for (const TensorProduct &product : products)
    expectProduct(product, false);
}

TEST_F(TensorAsMatrix, IsNotWithoutMemory) {
  ASSERT_NO_FATAL_FAILURE(pack({11, 7, 13}, 900));
  const int64_t taken = tensor->bricks().bytes();
  astfe_rt_set_memory(taken + 900 * 40);
  expectProduct(TensorProduct::ttv(3, 1), false);
  EXPECT_NE(tensor->matrixShape(TensorProduct::ttv(3, 1)), std::nullopt);
  // The first one took most of it.
  expectProduct(TensorProduct::ttv(3, 2), false);
  EXPECT_EQ(tensor->matrixShape(TensorProduct::ttv(3, 2)), std::nullopt);
  astfe_rt_set_memory(0);
  // It stays so.
  EXPECT_EQ(tensor->matrixShape(TensorProduct::ttv(3, 2)), std::nullopt);
}

TEST_F(TensorAsMatrix, RefusesWrongExtents) {
  ASSERT_NO_FATAL_FAILURE(pack({11, 7, 13}, 900));
  std::vector<double> input(13), output(77);
  auto status =
      tensor->compute(TensorProduct::ttv(3, 2), {{input.data(), {13}}},
                      {output.data(), {7, 11}}, false);
  EXPECT_EQ(status.message(), "expected an output of 11x7 but got 7x11");
}

TEST_F(TensorAsMatrix, CountsItsTraffic) {
  ASSERT_NO_FATAL_FAILURE(pack({11, 7, 13}, 900));
  auto traffic = tensor->traffic(TensorProduct::ttm(3, 2, 4));
  ASSERT_TRUE(traffic) << traffic.message();
  // Rows of C, read and written; two workers may share one.
  EXPECT_GE(traffic->outputBytes, 77 * 4 * 8 * 2);
  EXPECT_LT(traffic->outputBytes, 2 * 77 * 4 * 8 * 2);
  // Positions and coordinates of the matrix, not of bricks.
  EXPECT_LE(traffic->indexBytes, 900 * 8 + 78 * 8);
}

} // namespace
