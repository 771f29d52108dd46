//===- SpmmProductTest.cpp - products with epilogues on a GPU's streams ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Spmm.h"
#include "ChainFixture.h"
#include <cmath>

using namespace astfe;
using namespace astfe::product;

namespace {

class SpmmProductTest : public ChainTest {
protected:
  std::unique_ptr<Spmm> make(const Pattern &pattern,
                             const std::vector<float> &values) {
    auto made = Spmm::create(pattern.view(), values.data(), core::Element::F32,
                             compile(), place());
    EXPECT_TRUE(bool(made)) << made.message();
    return std::move(*made);
  }

  /// Both directions twice, with operands that begin `offset` elements behind
  /// what the device allocates; the log of the second time.
  std::string runTwice(const Pattern &pattern, int64_t n, Activation activation,
                       bool hasBias, size_t offset) {
    auto values = someNumbers<float>(pattern.nonzeros(), 1);
    const auto b = someNumbers<float>(pattern.columns * n, 2),
               bias = someNumbers<float>(n, 3),
               g = someNumbers<float>(pattern.rows * n, 4);
    SCOPED_TRACE(testing::Message()
                 << n << " columns, " << activationNames()[size_t(activation)]
                 << (hasBias ? " with" : " without") << " bias, offset "
                 << offset);
    auto product = make(pattern, values);
    auto stream = device->createStream();
    EXPECT_TRUE(bool(stream));
    auto given = [&](const std::vector<float> &data) {
      std::vector<float> shifted(offset);
      shifted.insert(shifted.end(), data.begin(), data.end());
      return upload(shifted) + offset;
    };
    auto target = [&](int64_t size) {
      return given(std::vector<float>(size_t(size),
                                      std::numeric_limits<float>::quiet_NaN()));
    };
    float *B = given(b), *G = given(g), *Bias = given(bias),
          *C = target(pattern.rows * n), *dA = target(pattern.nonzeros()),
          *dB = target(pattern.columns * n);
    std::string log;
    for (int time = 0; time < 2; ++time) {
      // Values of rows and of columns are other ones the second time.
      for (float &value : values)
        value = 1 - value;
      takeLog();
      auto status = product->setValues(values.data());
      EXPECT_TRUE(bool(status)) << status.message();
      // Of nothing there are no values.
      EXPECT_EQ(countOf(takeLog(), "synchronize") > 0, !values.empty());
      status = product->forwardOn(*stream, n, B, hasBias ? Bias : nullptr,
                                  activation, C);
      EXPECT_TRUE(bool(status)) << status.message();
      status = product->backwardOn(*stream, n, B, G, dA, dB);
      EXPECT_TRUE(bool(status)) << status.message();
      log = takeLog();
    }
    EXPECT_TRUE(bool(device->synchronizeStream(*stream)));
    std::vector<double> c(size_t(pattern.rows * n)), da(values.size()),
        db(b.size());
    for (int64_t i = 0; i < pattern.rows; ++i) {
      for (int64_t at = pattern.positions[size_t(i)];
           at < pattern.positions[size_t(i) + 1]; ++at)
        for (int64_t x = 0; x < n; ++x) {
          const auto row = size_t(i * n + x),
                     column = size_t(pattern.coordinates[size_t(at)] * n + x);
          const double a = double(values[size_t(at)]);
          c[row] += a * double(b[column]);
          da[size_t(at)] += double(g[row]) * double(b[column]);
          db[column] += a * double(g[row]);
        }
      for (int64_t x = 0; x < n; ++x) {
        double &y = c[size_t(i * n + x)];
        y += hasBias ? double(bias[size_t(x)]) : 0;
        if (activation == Activation::Relu)
          y = std::max(y, 0.0);
        else if (activation == Activation::Tanh)
          y = std::tanh(y);
        else if (activation == Activation::Sigmoid)
          y = 1 / (1 + std::exp(-y));
      }
    }
    expectNear(download<float>(C, c.size()), c, 2e-5);
    expectNear(download<float>(dA, da.size()), da, 2e-5);
    expectNear(download<float>(dB, db.size()), db, 2e-5);
    EXPECT_TRUE(bool(device->destroyStream(*stream)));
    EXPECT_EQ(log.find("copy"), log.npos) << log;
    // Rows that are cut have partial results, in the stream's order.
    EXPECT_EQ(countOf(log, "allocate") > 0, countOf(log, "cut") > 0) << log;
    return log;
  }
};

TEST_F(SpmmProductTest, OperandsStayAndNothingIsCopied) {
  const Pattern pattern = Pattern::random(40, 30);
  for (Activation activation : {Activation::None, Activation::Relu,
                                Activation::Tanh, Activation::Sigmoid})
    for (bool hasBias : {false, true}) {
      const std::string log = runTwice(pattern, 32, activation, hasBias, 0);
      EXPECT_EQ(countOf(log, "launch "), 3) << log;
    }
}

TEST_F(SpmmProductTest, AnyWidthAndAlignment) {
  const Pattern pattern = Pattern::random(20, 30);
  for (int64_t n : {1, 7, 64, 130})
    for (size_t offset : {0, 1})
      runTwice(pattern, n, Activation::Relu, /*hasBias=*/true, offset);
}

TEST_F(SpmmProductTest, LongRowsAndColumnsAndEmptyMatrices) {
  runTwice(Pattern::withLongRow(4, 3000), 32, Activation::Tanh,
           /*hasBias=*/true, 0);
  runTwice(Pattern::empty(5, 7), 8, Activation::Sigmoid, /*hasBias=*/false, 0);
}

TEST_F(SpmmProductTest, WrongOperandsAreErrorsBeforeAnyLaunch) {
  const Pattern pattern = Pattern::random(10, 10);
  const auto values = someNumbers<float>(pattern.nonzeros(), 1);
  auto product = make(pattern, values);
  float *b = upload(someNumbers<float>(80, 2)),
        *c = upload(someNumbers<float>(80, 3)),
        *bias = upload(someNumbers<float>(8, 4));
  std::vector<float> host(80);
  takeLog();
  auto forward = [&](int64_t n, float *b, float *bias, float *c) {
    return product->forwardOn(nullptr, n, b, bias, Activation::None, c)
        .message();
  };
  EXPECT_NE(forward(8, host.data(), nullptr, c).find("B: expected "),
            std::string::npos);
  EXPECT_NE(forward(8, b, host.data(), c).find("bias: expected "),
            std::string::npos);
  EXPECT_EQ(forward(8, b, bias, b),
            "B: expected memory apart from C's but got some that overlaps");
  EXPECT_NE(forward(-1, b, bias, c).find("expected columns from 0"),
            std::string::npos);
  EXPECT_NE(forward(9, b, bias, c).find("C: expected "), std::string::npos);
  EXPECT_EQ(product->backwardOn(nullptr, 8, b, c, nullptr, c).message(),
            "G: expected memory apart from dB's but got some that overlaps");
  EXPECT_EQ(product->forward(8, b, nullptr, Activation::None, c).message(),
            "expected a product of the host but got one on a device");
  auto onHost = Spmm::create(pattern.view(), values.data(), core::Element::F32,
                             compile());
  ASSERT_TRUE(bool(onHost));
  EXPECT_EQ((*onHost)
                ->forwardOn(nullptr, 8, b, nullptr, Activation::None, c)
                .message(),
            "expected a product on a device but got one of the host");
  EXPECT_EQ(takeLog().find("launch"), std::string::npos);
}

} // namespace
