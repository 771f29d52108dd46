//===- ColumnTotalsTest.cpp - columns that a tensor's product sums over ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// m_i += t_ijk B_jr C_kr and others whose output has no columns, against loops
// over all nonzeros, for numbers of columns with every kind of last vector.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/KernelCompiler.h"
#include "ASTFE/Product/PackedTensor.h"
#include "ASTFE/Runtime/ABI.h"
#include <gtest/gtest.h>
#include <random>

using namespace astfe;
using namespace astfe::product;
using core::Element;
using core::Semiring;

namespace {

/// None, a lane, under a mask, whole, overlapping, several tiles.
const std::vector<int64_t> kEveryKind{0, 1, 3, 8, 13, 20, 71};

class ColumnTotals : public testing::Test {
protected:
  ColumnTotals() { setenv("ASTFE_KERNEL_CACHE", "off", 1); }

  /// Small integers at random places, several of some and none of others.
  template <typename T>
  void pack(core::Arithmetic arithmetic, int64_t nonzeros) {
    coordinates.assign(shape.size(), {});
    numbers.clear();
    for (int64_t n = 0; n < nonzeros; ++n) {
      for (size_t k = 0; k < shape.size(); ++k)
        coordinates[k].push_back(int64_t(random() % uint64_t(shape[k])));
      numbers.push_back(int64_t(random() % 9) - 4);
    }
    std::vector<core::IndexArray> arrays;
    for (const std::vector<int64_t> &mode : coordinates)
      arrays.emplace_back(mode.data(), nonzeros);
    const core::SparseView view = core::SparseView::coo(shape, arrays);
    auto plan = core::makePlan(
        view, tensorPlanOptions(nonzeros, 32, arithmetic.element));
    ASSERT_TRUE(plan) << plan.message();
    TensorOptions options;
    options.arithmetic = arithmetic;
    const std::vector<T> values(numbers.begin(), numbers.end());
    auto made =
        PackedTensor::pack(view, values.data(), plan->fused, options, source);
    ASSERT_TRUE(made) << made.message();
    tensor = std::move(*made);
  }

  size_t sizeOf(const TensorProduct &product,
                const std::vector<unsigned> &dims) const {
    int64_t size = 1;
    for (int64_t extent : product.extentsOf(dims, shape))
      size *= extent;
    return size_t(size);
  }

  /// Where nonzero n is, in column r, in an operand of these dimensions.
  size_t placeOf(const TensorProduct &product,
                 const std::vector<unsigned> &dims, size_t n, int64_t r) const {
    int64_t at = 0;
    for (unsigned dim : dims)
      at = dim < product.rank ? at * shape[dim] + coordinates[dim][n]
                              : at * product.dense.front() + r;
    return size_t(at);
  }

  /// What `combine(sum, nonzero, inputs)` makes of every nonzero and column.
  template <typename T, typename R, typename Combine>
  void expectTotals(const TensorProduct &product, bool accumulate, R identity,
                    Combine combine) {
    SCOPED_TRACE(product.text() + ", " + std::to_string(product.dense.front()) +
                 " columns" + (accumulate ? ", added" : ""));
    std::vector<std::vector<T>> inputs;
    std::vector<DenseTensor> operands;
    for (const std::vector<unsigned> &dims : product.inputs) {
      std::vector<T> &input =
          inputs.emplace_back(sizeOf(product, dims) + 1); // Never empty.
      for (T &value : input)
        value = T(int64_t(random() % 7) - 3);
    }
    for (size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(
          {inputs[i].data(), product.extentsOf(product.inputs[i], shape)});
    std::vector<R> output(sizeOf(product, product.output), R(-5));
    std::vector<R> wanted(output.size(), accumulate ? R(-5) : identity);
    for (size_t n = 0; n < numbers.size(); ++n)
      for (int64_t r = 0; r < product.dense.front(); ++r) {
        std::vector<R> factors;
        for (size_t i = 0; i < inputs.size(); ++i)
          factors.push_back(
              R(inputs[i][placeOf(product, product.inputs[i], n, r)]));
        R &sum = wanted[placeOf(product, product.output, n, r)];
        sum = combine(sum, R(numbers[n]), factors);
      }
    auto status = tensor->compute(
        product, operands,
        {output.data(), product.extentsOf(product.output, shape)}, accumulate);
    ASSERT_TRUE(status) << status.message();
    EXPECT_EQ(output, wanted);
  }

  /// Totals of rows, of two modes and of everything, and beside a dense
  /// dimension that the output keeps.
  template <typename T, typename R, typename Combine>
  void expectAll(R identity, Combine combine,
                 const std::vector<int64_t> &numbersOfColumns) {
    for (int64_t columns : numbersOfColumns)
      for (bool accumulate : {false, true})
        for (const TensorProduct &product :
             {TensorProduct{3, {{1, 3}, {2, 3}}, {0}, {columns}},
              TensorProduct{3, {{1, 3}}, {2}, {columns}},
              TensorProduct{3, {{0, 3}, {2, 3}}, {1, 2}, {columns}},
              TensorProduct{3, {{0, 3}, {1, 3}, {2, 3}}, {}, {columns}},
              TensorProduct{3, {{3, 1}}, {0}, {columns}}})
          ASSERT_NO_FATAL_FAILURE(
              (expectTotals<T, R>(product, accumulate, identity, combine)));
  }

  std::mt19937_64 random{3};
  compiler::KernelCompiler source;
  std::vector<int64_t> shape{13, 9, 40};
  std::vector<std::vector<int64_t>> coordinates;
  std::vector<int64_t> numbers;
  std::unique_ptr<PackedTensor> tensor;
};

template <typename R>
R addProduct(R sum, R value, const std::vector<R> &factors) {
  for (R factor : factors)
    value *= factor;
  return sum + value;
}

template <typename R>
R largestSum(R largest, R value, const std::vector<R> &terms) {
  for (R term : terms)
    value += term;
  return std::max(largest, value);
}

} // namespace

TEST_F(ColumnTotals, OfFloatsAreExact) {
  ASSERT_NO_FATAL_FAILURE(pack<double>({Element::F64}, 900));
  expectAll<double, double>(0, addProduct<double>, kEveryKind);
}

TEST_F(ColumnTotals, OfFewNonzerosLeaveRowsClear) {
  ASSERT_NO_FATAL_FAILURE(pack<float>({Element::F32}, 5));
  expectAll<float, float>(0, addProduct<float>, {3, 20});
}

TEST_F(ColumnTotals, OfBytesAreSummedUpInWords) {
  ASSERT_NO_FATAL_FAILURE(pack<int8_t>({Element::I8}, 900));
  expectAll<int8_t, int32_t>(0, addProduct<int32_t>, {1, 71});
}

TEST_F(ColumnTotals, OfMaximaHaveNoTermsOfOtherLanes) {
  ASSERT_NO_FATAL_FAILURE(pack<double>({Element::F64, Semiring::MaxPlus}, 300));
  expectAll<double, double>(-std::numeric_limits<double>::infinity(),
                            largestSum<double>, {0, 3, 13, 71});
}

/// Operands whose columns do not lie side by side: with many uses of each row,
/// with a few that are far apart, and with one or none. Which of them are copied
/// is for Memory/TurnedOperandsTest.cpp.
TEST_F(ColumnTotals, OfTransposedOperands) {
  for (auto [extents, nonzeros] :
       {std::pair(std::vector<int64_t>{50, 60, 2}, 2000),
        std::pair(std::vector<int64_t>{3000, 20'000, 2}, 140'000),
        std::pair(std::vector<int64_t>{3000, 20'000, 2}, 21'000)}) {
    shape = extents;
    ASSERT_NO_FATAL_FAILURE(pack<double>({Element::F64}, nonzeros));
    for (bool accumulate : {false, true})
      for (const TensorProduct &product :
           {TensorProduct{3, {{3, 1}}, {0, 3}, {13}},
            TensorProduct{3, {{3, 1}, {2, 3}}, {3, 0}, {13}}})
        ASSERT_NO_FATAL_FAILURE((expectTotals<double, double>(
            product, accumulate, 0, addProduct<double>)));
  }
}

TEST_F(ColumnTotals, OfHalvesAreRoundedOnce) {
  // 256 + 1 + 1 is 258, but 256 where each sum is rounded to bf16.
  const std::vector<int64_t> rows{0, 0, 0}, zeros{0, 0, 0};
  const core::SparseView view =
      core::SparseView::coo({2, 1, 1}, {core::IndexArray(rows.data(), 3),
                                        core::IndexArray(zeros.data(), 3),
                                        core::IndexArray(zeros.data(), 3)});
  constexpr uint16_t kOne = 0x3f80;
  const std::vector<uint16_t> values{kOne, kOne, 0};
  const core::Arithmetic arithmetic{Element::BF16};
  auto plan = core::makePlan(view, tensorPlanOptions(3, 32, Element::BF16));
  ASSERT_TRUE(plan) << plan.message();
  TensorOptions options;
  options.arithmetic = arithmetic;
  auto made =
      PackedTensor::pack(view, values.data(), plan->fused, options, source);
  ASSERT_TRUE(made) << made.message();
  // 129 columns of ones, several tiles, twice.
  constexpr int64_t kWidth = 129;
  std::vector<uint16_t> ones(kWidth, kOne), output{7, 7};
  auto status = (*made)->compute({3, {{1, 3}}, {0}, {kWidth}},
                                 {{ones.data(), {1, kWidth}}},
                                 {output.data(), {2}}, /*accumulate=*/false);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(output, (std::vector<uint16_t>{0x4381, 0}));
}
