//===- PackedMatrixTest.cpp - a matrix that many threads use --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels here are functions of this file, so that a thread sanitizer sees
// everything; compiled ones are tested through the C API.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/PackedMatrix.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Product/KernelTable.h"
#include "ASTFE/Runtime/Parallel.h"
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

using namespace astfe;
using namespace astfe::product;

namespace {

constexpr int64_t kShares = 4;

struct Sums {
  const AstfeMemRef1D *values;
  double partial[kShares] = {};
};

/// Every element of C becomes the sum of the stored values, added up by the
/// process's threads.
template <typename D>
void sumOfValues(void *, AstfeMemRef1D *values, D *, D *c) {
  Sums sums{values, {}};
  rt::parallel(
      [](void *context, int64_t share) {
        auto &sums = *static_cast<Sums *>(context);
        const auto *data = static_cast<const float *>(sums.values->aligned);
        const int64_t size = sums.values->size;
        for (int64_t i = share * size / kShares,
                     end = (share + 1) * size / kShares;
             i < end; ++i)
          sums.partial[share] += data[i];
      },
      &sums, kShares);
  const double sum = std::accumulate(sums.partial, sums.partial + kShares, 0.0);
  int64_t count = 0;
  if constexpr (std::is_same_v<D, MemRef2D>)
    count = c->sizes[0] * c->sizes[1];
  else
    count = c->size;
  std::fill_n(static_cast<float *>(c->aligned), count, float(sum));
}

class Summing : public KernelSource {
public:
  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override {
    auto kernel = std::make_shared<Kernel>();
    kernel->entry = request.isVector()
                        ? reinterpret_cast<void *>(sumOfValues<AstfeMemRef1D>)
                        : reinterpret_cast<void *>(sumOfValues<MemRef2D>);
    return std::shared_ptr<const Kernel>(std::move(kernel));
  }
};

/// As Summing, and keeps what was asked for.
class Asking : public Summing {
public:
  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override {
    requests.push_back(request);
    return Summing::get(request);
  }
  std::vector<KernelRequest> requests;
};

constexpr int64_t kRows = 20000;

std::unique_ptr<PackedMatrix> diagonal(float value, KernelSource &source,
                                       MatrixOptions options = {}) {
  core::CooTensor tensor;
  tensor.shape = {kRows, kRows};
  tensor.coordinates.resize(2);
  for (int64_t i = 0; i < kRows; ++i)
    for (auto &mode : tensor.coordinates)
      mode.push_back(i);
  const std::vector<float> values(size_t(kRows), value);
  auto plan = core::makePlan(tensor.view(), planOptions(options));
  EXPECT_TRUE(plan) << plan.message();
  auto matrix = PackedMatrix::pack(tensor.view(), values.data(), plan->fused,
                                   options, source);
  EXPECT_TRUE(matrix) << matrix.message();
  return std::move(*matrix);
}

/// The sum that a product saw; it is the same in all of C.
float product(PackedMatrix &matrix, int64_t columns) {
  std::vector<float> b(size_t(kRows * columns), 1), c(b.size(), -1);
  auto status = matrix.multiply({b.data(), kRows, columns, columns},
                                {c.data(), kRows, columns, columns},
                                /*accumulate=*/false);
  EXPECT_TRUE(status) << status.message();
  for (float element : c)
    if (element != c.front())
      return -1;
  return c.front();
}

TEST(PackedMatrix, TheExpectedWidthHasAPlaceHoweverLateItComes) {
  Asking source;
  MatrixOptions options;
  options.columns = 16;
  auto matrix = diagonal(1, source, options);
  using Widths = std::vector<std::optional<int64_t>>;
  Widths asked;
  for (int64_t columns : {2, 3, 5, 6, 7, 16, 1})
    EXPECT_EQ(product(*matrix, columns), kRows);
  for (const KernelRequest &request : source.requests)
    asked.push_back(request.columns);
  // Three others have their own; the next two share one for any number.
  EXPECT_EQ(asked, (Widths{2, 3, 5, std::nullopt, 16, 1}));
}

TEST(PackedMatrix, StridedOperandsHaveKernelsOfTheirWidth) {
  Asking source;
  auto matrix = diagonal(1, source);
  std::vector<float> b(size_t(kRows * 8), 1), c(b.size(), -1);
  auto status =
      matrix->multiply({b.data(), kRows, 4, 8}, {c.data(), kRows, 4, 4},
                       /*accumulate=*/true);
  EXPECT_TRUE(status) << status.message();
  ASSERT_EQ(source.requests.size(), 1u);
  EXPECT_EQ(source.requests[0].columns, 4);
  EXPECT_TRUE(source.requests[0].strided);
  EXPECT_FALSE(source.requests[0].overwrite);
}

TEST(PackedMatrix, SamplesHaveKernelsOfFewWidths) {
  Asking source;
  MatrixOptions options;
  options.samples = true;
  auto matrix = diagonal(1, source, options);
  for (int round = 0; round < 2; ++round)
    for (int64_t columns : {2, 3, 5, 6, 7, 8})
      EXPECT_TRUE(bool(matrix->compileSamples(columns)));
  std::vector<std::optional<int64_t>> asked;
  for (const KernelRequest &request : source.requests) {
    EXPECT_EQ(request.computation, Computation::Samples);
    asked.push_back(request.columns);
  }
  EXPECT_EQ(asked,
            (std::vector<std::optional<int64_t>>{2, 3, 5, 6, std::nullopt}));
  // A product is another kernel.
  EXPECT_TRUE(bool(matrix->compile(2, /*accumulate=*/false)));
  EXPECT_EQ(source.requests.back().computation, Computation::Product);
}

TEST(PackedMatrix, LocalColumnsHave16BitsForOneColumn) {
  constexpr int32_t kWide = 100000;
  std::vector<int32_t> positions(kWide + 1), columns(kWide);
  std::iota(positions.begin(), positions.end(), 0);
  std::iota(columns.begin(), columns.end(), 0);
  const auto view = core::SparseView::csr(
      kWide, kWide, core::IndexArray(positions.data(), kWide + 1),
      core::IndexArray(columns.data(), kWide));
  const std::vector<double> values(2 * kWide, 1);
  Summing source;
  auto bits = [&](MatrixOptions options) {
    auto plan = core::makePlan(view, planOptions(options));
    EXPECT_TRUE(plan) << plan.message();
    auto matrix =
        PackedMatrix::pack(view, values.data(), plan->fused, options, source);
    EXPECT_TRUE(matrix) << matrix.message();
    return int((*matrix)->packed().layout.columnBits);
  };
  MatrixOptions options;
  options.columns = 1;
  EXPECT_EQ(bits(options), 16);
  options.samples = true;
  EXPECT_EQ(bits(options), 32);
  options.samples = false;
  options.columns = 32;
  EXPECT_EQ(bits(options), 32);
  // Complex vectors run as a dense column.
  options.columns = 1;
  options.arithmetic.element = core::Element::C64;
  EXPECT_EQ(bits(options), 32);
}

TEST(PackedMatrix, NewValuesWaitForProductsAndProductsForThem) {
  Summing source;
  KernelTable kernels(source);
  auto matrix = diagonal(1, kernels);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int64_t columns : {1, 2, 3})
    threads.emplace_back([&, columns] {
      for (int i = 0; i < 20; ++i) {
        const float sum = product(*matrix, columns);
        wrong += sum != kRows && sum != 2 * kRows;
      }
    });
  for (int i = 0; i < 20; ++i) {
    const std::vector<float> values(size_t(kRows), float(1 + i % 2));
    auto status = matrix->setValues(values.data());
    EXPECT_TRUE(status) << status.message();
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(product(*matrix, 1), 2 * kRows);
}

} // namespace
