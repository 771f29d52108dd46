//===- TensorProductTest.cpp - tensors on a GPU's streams -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/PackedTensor.h"
#include "DeviceFixture.h"
#include <random>

using namespace astfe;
using namespace astfe::product;

namespace {

/// Nonzeros anywhere, of which the first row of mode 0 has half.
struct RandomTensor {
  static constexpr std::array<int64_t, 3> kShape = {20, 30, 40};
  std::array<std::vector<int64_t>, 3> coordinates;
  std::vector<float> values;
  std::vector<int64_t> ends;

  RandomTensor() {
    std::mt19937 random(5);
    for (int64_t n = 0; n < 600; ++n) {
      coordinates[0].push_back(n % 2 ? 0 : int64_t(random() % 20));
      coordinates[1].push_back(int64_t(random() % 30));
      coordinates[2].push_back(int64_t(random() % 40));
      values.push_back(float(random() % 64) / 32 - 1);
    }
    ends = {0, int64_t(values.size())};
  }

  core::SparseView view() const {
    core::LevelView view;
    view.shape.assign(kShape.begin(), kShape.end());
    for (unsigned mode = 0; mode < 3; ++mode) {
      core::TensorLevel level;
      level.kind =
          mode ? core::LevelKind::Singleton : core::LevelKind::Compressed;
      level.mode = mode;
      level.size = kShape[mode];
      if (!mode)
        level.positions = core::LevelArray(ends.data(), 2);
      level.coordinates =
          core::LevelArray(coordinates[mode].data(), int64_t(values.size()));
      level.ordered = level.unique = false;
      view.levels.push_back(level);
    }
    return core::SparseView::of(std::move(view));
  }
};

class TensorProductTest : public DeviceTest {
protected:
  std::unique_ptr<PackedTensor> pack(rt::Device *where) {
    auto plan = core::makePlan(tensor.view(),
                               tensorPlanOptions(int64_t(tensor.values.size()),
                                                 32, core::Element::F32));
    EXPECT_TRUE(bool(plan));
    TensorOptions options;
    options.device = where;
    options.chip = where ? where->chip() : "";
    auto packed = PackedTensor::pack(tensor.view(), tensor.values.data(),
                                     plan->fused, options, source, &source);
    EXPECT_TRUE(bool(packed)) << packed.message();
    return std::move(*packed);
  }

  const RandomTensor tensor;
};

/// Vectors of columns, some, and operands that begin between vectors.
TEST_F(TensorProductTest, OperandsStayAndNothingIsCopiedBetweenProducts) {
  auto packed = pack(device);
  auto stream = device->createStream();
  ASSERT_TRUE(bool(stream));
  struct Case {
    int64_t columns;
    size_t offset;
  };
  for (const Case &some : {Case{8, 0}, Case{8, 1}, Case{7, 0}}) {
    const int64_t columns = some.columns;
    const size_t offset = some.offset;
    const auto n = size_t(columns);
    auto filled = [&](int64_t rows) {
      std::vector<float> data(size_t(rows) * n + offset);
      for (size_t i = 0; i < data.size(); ++i)
        data[i] = float(i % 17) / 16 - 0.5f;
      return data;
    };
    const std::vector<float> b = filled(30), c = filled(40), m = filled(20);
    auto operand = [&](const std::vector<float> &data, int64_t rows) {
      return DenseTensor{upload(data) + offset, {rows, columns}};
    };
    TensorProduct product;
    product.rank = 3;
    product.inputs = {{1, 3}, {2, 3}};
    product.output = {0, 3};
    product.dense = {columns};
    const std::vector<DenseTensor> inputs{operand(b, 30), operand(c, 40)};
    const DenseTensor output = operand(m, 20);
    auto run = [&](bool accumulate) {
      auto status =
          packed->computeOn(*stream, product, inputs, output, accumulate);
      ASSERT_TRUE(bool(status)) << status.message();
    };
    run(false);
    takeLog();
    run(false);
    const std::string log = takeLog();
    const bool hasVectors = columns == 8 && offset == 0;
    EXPECT_NE(log.find(hasVectors ? "launch bricks16_tile8_by4"
                                  : "launch bricks16_tile8 "),
              log.npos)
        << log;
    EXPECT_EQ(log.find("copy"), log.npos) << log;
    EXPECT_EQ(log.find("allocate"), log.npos) << log;
    run(true);
    ASSERT_TRUE(bool(device->synchronizeStream(*stream)));
    const auto result =
        download<float>(static_cast<float *>(output.data), 20 * n);
    std::vector<double> sums(20 * n), sizes(20 * n);
    for (size_t at = 0; at < tensor.values.size(); ++at)
      for (size_t r = 0; r < n; ++r) {
        auto element = [&](const std::vector<float> &data, unsigned mode) {
          const auto row = size_t(tensor.coordinates[mode][at]);
          return double(data[row * n + r + offset]);
        };
        const double term =
            2.0 * double(tensor.values[at]) * element(b, 1) * element(c, 2);
        const size_t place = size_t(tensor.coordinates[0][at]) * n + r;
        sums[place] += term;
        sizes[place] += std::abs(term);
      }
    for (size_t i = 0; i < sums.size(); ++i)
      EXPECT_NEAR(double(result[i]), sums[i], 1e-6 * sizes[i] + 1e-30);
  }
  EXPECT_TRUE(bool(device->destroyStream(*stream)));
}

TEST_F(TensorProductTest, OfTheHostAreErrors) {
  TensorProduct product;
  product.rank = 3;
  auto status = pack(nullptr)->computeOn(nullptr, product, {}, {nullptr, {}},
                                         /*accumulate=*/false);
  EXPECT_EQ(status.message(),
            "expected a tensor on a device but got one of the host");
}

} // namespace
