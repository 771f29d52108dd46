//===- DeviceProductTest.cpp - products on a GPU's streams ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFixture.h"
#include <random>

using namespace astfe;
using namespace astfe::product;

namespace {

/// A matrix of random rows, the first of which holds half of all.
struct RandomRows {
  static constexpr int64_t kRows = 70, kColumns = 90;
  std::vector<int32_t> positions{0}, coordinates;
  std::vector<float> values;

  RandomRows() {
    std::mt19937 random(5);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int32_t column = 0; column < kColumns; ++column)
        if (row == 0 || random() % 30 == 0) {
          coordinates.push_back(column);
          values.push_back(float(random() % 64) / 32 - 1);
        }
      positions.push_back(int32_t(coordinates.size()));
    }
  }

  core::SparseView view() const {
    return core::SparseView::csr(
        kRows, kColumns,
        core::IndexArray(positions.data(), int64_t(positions.size())),
        core::IndexArray(coordinates.data(), int64_t(coordinates.size())));
  }
};

class DeviceProductTest : public DeviceTest {
protected:
  std::unique_ptr<PackedMatrix> pack() {
    const MatrixOptions options = optionsFor(64);
    auto plan = core::makePlan(matrix.view(), planOptions(options));
    EXPECT_TRUE(bool(plan));
    auto packed = PackedMatrix::pack(matrix.view(), matrix.values.data(),
                                     plan->fused, options, source);
    EXPECT_TRUE(bool(packed));
    return std::move(*packed);
  }

  const RandomRows matrix;
};

TEST_F(DeviceProductTest, PlansWeighForAGPU) {
  EXPECT_TRUE(planOptions(optionsFor(32)).machine == core::gpuMachine());
  EXPECT_FALSE(planOptions(MatrixOptions()).machine == core::gpuMachine());
  // What samples wait for is a host's.
  MatrixOptions samples = optionsFor(32);
  samples.samples = true;
  EXPECT_FALSE(planOptions(samples).samples);
}

TEST_F(DeviceProductTest, OperandsStayAndNothingIsCopiedBetweenProducts) {
  auto packed = pack();
  auto stream = device->createStream();
  ASSERT_TRUE(bool(stream));
  for (int64_t n : {1, 33, 64}) {
    std::vector<float> b(size_t(RandomRows::kColumns * n)),
        c(size_t(RandomRows::kRows * n), 0.25f);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = float(i % 17) / 16 - 0.5f;
    const Dense operand{upload(b), RandomRows::kColumns, n, n},
        result{upload(c), RandomRows::kRows, n, n};
    auto status = packed->multiplyOn(*stream, operand, result, false);
    ASSERT_TRUE(bool(status)) << status.message();
    takeLog();
    // C = A B, again, and then C += A B.
    for (bool accumulate : {false, true}) {
      if (accumulate) // Its kernel is loaded by the first product.
        ASSERT_TRUE(bool(packed->compile(n, true)));
      takeLog();
      status = packed->multiplyOn(*stream, operand, result, accumulate);
      ASSERT_TRUE(bool(status)) << status.message();
      const std::string log = takeLog();
      EXPECT_NE(log.find("launch "), log.npos) << log;
      EXPECT_EQ(log.find("copy"), log.npos) << log;
      EXPECT_EQ(log.find("allocate"), log.npos) << log;
    }
    ASSERT_TRUE(bool(device->synchronizeStream(*stream)));
    ASSERT_TRUE(
        bool(device->copy(c.data(), result.data, c.size() * 4, nullptr)));
    for (size_t row = 0; row < size_t(RandomRows::kRows); ++row)
      for (size_t j = 0; j < size_t(n); ++j) {
        double sum = 0, size = 0;
        for (auto at = size_t(matrix.positions[row]);
             at < size_t(matrix.positions[row + 1]); ++at) {
          const double term =
              2.0 * double(matrix.values[at]) *
              double(b[size_t(matrix.coordinates[at]) * size_t(n) + j]);
          sum += term;
          size += std::abs(term);
        }
        EXPECT_NEAR(double(c[row * size_t(n) + j]), sum, 1e-6 * size);
      }
  }
  EXPECT_TRUE(bool(device->destroyStream(*stream)));
}

TEST_F(DeviceProductTest, WrongOperandsAreErrors) {
  auto packed = pack();
  constexpr int64_t n = 8;
  std::vector<float> zeros(size_t(RandomRows::kColumns * n));
  float *b = upload(zeros), *c = upload(zeros);
  auto error = [&](void *bData, void *cData) {
    takeLog();
    auto status = packed->multiplyOn(
        nullptr, {bData, RandomRows::kColumns, n, n},
        {cData, RandomRows::kRows, n, n}, /*accumulate=*/false);
    EXPECT_EQ(takeLog().find("launch"), std::string::npos);
    return status ? std::string("none") : status.message();
  };
  EXPECT_EQ(error(zeros.data(), c),
            "B: expected memory of 'cuda:0 Fake' but got host memory");
  EXPECT_EQ(error(b + 1, c), "B: expected 2880 bytes of memory but got 2876");
  EXPECT_EQ(error(reinterpret_cast<char *>(b) + 2, c),
            "B: expected an address divisible by 4 but got one that ends in 2");
  EXPECT_EQ(error(b, b), "expected B and C apart but got memory that overlaps");
  auto status = packed->multiplyOn(nullptr, {b, RandomRows::kColumns, n, n},
                                   {c, RandomRows::kRows, n - 2, n}, false);
  EXPECT_EQ(status ? "none" : status.message(),
            "C: expected rows side by side on a GPU but got rows of 6 columns "
            "that are 8 apart");
  status = packed->multiplyOn(nullptr, {b, RandomRows::kColumns, n, n},
                              {c, RandomRows::kRows, n, n}, false);
  EXPECT_TRUE(bool(status)) << status.message();
}

} // namespace
