//===- StockPipelineTest.cpp - a kernel that mlir-opt compiled ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs/spmm.mlir through upstream's lowering, as CMakeLists.txt says.
//
//===----------------------------------------------------------------------===//

#include "Bitcode.h"
#include "KernelFixture.h"

#include <cmath>
#include <random>

using namespace astfe;
using namespace astfe::emu;

namespace {

class StockPipelineTest : public KernelTest {
protected:
  static constexpr int64_t rows = 61, inner = 45, columns = 128;

  StockPipelineTest() {
    std::mt19937 random(11);
    auto number = [&] { return float(random() % 200) / 100 - 1; };
    for (int64_t i = 0; i < inner * columns; ++i)
      b.push_back(number());
    pos.push_back(0);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t n = random() % (row == 7 ? 200 : 40); n > 0; --n) {
        crd.push_back(int32_t(random() % inner));
        val.push_back(number());
      }
      pos.push_back(int32_t(crd.size()));
    }
  }

  /// The error of C += A B by that many blocks; C comes back in `result`.
  std::string multiply(int64_t blocks, bool shared) {
    std::string bitcode = readBitcode("spmm");
    core::Result<void *> module =
        emulator.loadModule(bitcode.data(), bitcode.size());
    if (!module)
      return module.message();
    float *c = device(std::vector<float>(rows * columns, 1));
    int64_t nonzeros = int64_t(crd.size());
    std::string error = launch(*emulator.kernel(*module, "spmm"), blocks, 128,
                               device(pos), device(crd), device(val), device(b),
                               c, rows, nonzeros, inner, shared);
    result.resize(rows * columns);
    EXPECT_TRUE(
        bool(emulator.copy(result.data(), c, result.size() * 4, nullptr)));
    return error;
  }

  /// Largest error against float64, relative to the sum of |terms|.
  double error() const {
    double worst = 0;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        double sum = 1, terms = 1;
        for (int32_t n = pos[row]; n < pos[row + 1]; ++n) {
          double term = double(val[n]) * b[crd[n] * columns + column];
          sum += term;
          terms += std::abs(term);
        }
        double difference = result[row * columns + column] - sum;
        worst = std::max(worst, std::abs(difference) / terms);
      }
    return worst;
  }

  std::vector<int32_t> pos, crd;
  std::vector<float> val, b, result;
};
ASTFE_BOTH_SCHEDULES(StockPipelineTest);

TEST_P(StockPipelineTest, PlainStores) {
  EXPECT_EQ(multiply(3, false), "");
  EXPECT_LT(error(), 1e-6);
  Counters total = emulator.lastLaunch().total();
  EXPECT_EQ(total.stores, rows * 32);
  // Each nonzero's row of B once, in vectors of four.
  EXPECT_GE(total.loadBytes, int64_t(crd.size()) * columns * 4);
  EXPECT_EQ(total.collectives, int64_t(crd.size()) * 2);
}

TEST_P(StockPipelineTest, Atomics) {
  EXPECT_EQ(multiply(5, true), "");
  EXPECT_LT(error(), 1e-6);
  EXPECT_EQ(emulator.lastLaunch().total().atomics, rows * columns);
}

TEST_P(StockPipelineTest, BadColumnIndex) {
  crd[crd.size() / 2] = inner;
  std::string error = multiply(3, false);
  EXPECT_TRUE(has(error, "kernel 'spmm': out-of-bounds load of 16 bytes "
                         "through argument 3 at byte "));
  EXPECT_TRUE(has(error, "thread ("));
}

TEST_P(StockPipelineTest, BadPosition) {
  pos[1] = int32_t(crd.size()) + 40;
  EXPECT_TRUE(has(multiply(1, false), "out-of-bounds load of 4 bytes"));
}

TEST_P(StockPipelineTest, WrongBlockSize) {
  std::string bitcode = readBitcode("spmm");
  core::Result<void *> module =
      emulator.loadModule(bitcode.data(), bitcode.size());
  ASSERT_TRUE(bool(module));
  EXPECT_TRUE(has(launch(*emulator.kernel(*module, "spmm"), 1, 64),
                  "compiled for, (128,1,1) but got (64,1,1)"));
}

} // namespace
