//===- MakeMatrixTest.cpp - how a matrix is stored on the host ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Matrix.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace astfe;
using namespace astfe::product;

namespace {
/// Keeps what was asked for, and has nothing.
class Asking : public KernelSource {
public:
  core::Result<std::shared_ptr<const Kernel>>
  get(const KernelRequest &request) override {
    requests.push_back(request);
    return std::make_shared<const Kernel>();
  }
  std::vector<KernelRequest> requests;
};

/// Rows of four nonzeros anywhere.
class MakeMatrix : public testing::Test {
protected:
  core::Result<std::unique_ptr<Matrix>> make(int64_t rows,
                                             const MatrixOptions &options,
                                             bool byColumns = false,
                                             int64_t emptyRows = 0) {
    std::mt19937 random(7);
    positions = {0};
    coordinates.clear();
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < 4; ++i)
        coordinates.push_back(int32_t(random() % uint64_t(rows)));
      std::sort(coordinates.end() - 4, coordinates.end());
      positions.push_back(int32_t(coordinates.size()));
    }
    positions.insert(positions.end(), size_t(emptyRows), positions.back());
    // Complex values have the bytes of four floats at most.
    const std::vector<float> values(4 * coordinates.size(), 1);
    const core::IndexArray p(positions.data(), int64_t(positions.size()));
    const core::IndexArray c(coordinates.data(), int64_t(coordinates.size()));
    const int64_t extent = rows + emptyRows;
    view = byColumns ? core::SparseView::csc(extent, extent, p, c)
                     : core::SparseView::csr(extent, extent, p, c);
    return makeMatrix(view, values.data(), /*graph=*/nullptr, options, source);
  }
  bool isView(int64_t rows, const MatrixOptions &options,
              bool byColumns = false) {
    auto made = make(rows, options, byColumns);
    EXPECT_TRUE(made) << made.message();
    return !(*made)->pattern();
  }
  static MatrixOptions columns(int64_t count) {
    MatrixOptions options;
    options.columns = count;
    return options;
  }

  Asking source;
  std::vector<int32_t> positions, coordinates;
  core::SparseView view;
};
} // namespace

TEST_F(MakeMatrix, TinyProductsAndShortRowsAreViews) {
  EXPECT_TRUE(isView(20, {}));
  EXPECT_TRUE(isView(20, columns(1)));
  EXPECT_TRUE(isView(3000, columns(48)));
  EXPECT_FALSE(isView(3000, columns(1)));
  EXPECT_FALSE(isView(3000, columns(512)));
  // Nobody says: 64 columns.
  EXPECT_TRUE(isView(3000, {}));
}

/// They run as a dense column for each part, so that packing brings a vector
/// what it brings two columns.
TEST_F(MakeMatrix, ComplexVectorsAreViewsAsTwoColumnsAre) {
  MatrixOptions options = columns(1);
  for (core::Element element : {core::Element::C64, core::Element::C128}) {
    options.arithmetic.element = element;
    EXPECT_TRUE(isView(3000, options));
    // Tiny, of more rows than a tiny vector of real numbers has.
    EXPECT_TRUE(isView(500, options));
  }
  EXPECT_FALSE(isView(500, columns(1)));
}

TEST_F(MakeMatrix, SumsAlongColumnsArePackedUnlessTheyAreFew) {
  EXPECT_TRUE(isView(20, columns(1), /*byColumns=*/true));
  EXPECT_TRUE(isView(128, columns(16), /*byColumns=*/true));
  EXPECT_FALSE(isView(128, columns(17), /*byColumns=*/true));
  EXPECT_FALSE(isView(3000, columns(48), /*byColumns=*/true));
}

TEST_F(MakeMatrix, FewSumsAlongColumnsArePackedWhereCoordinatesDescend) {
  positions = {0, 2, 2};
  coordinates = {1, 0};
  const float values[] = {1, 2};
  auto made = makeMatrix(
      core::SparseView::csc(2, 2, {positions.data(), int64_t(positions.size())},
                            {coordinates.data(), int64_t(coordinates.size())}),
      values, /*graph=*/nullptr, columns(1), source);
  ASSERT_TRUE(made) << made.message();
  EXPECT_NE((*made)->pattern(), nullptr);
}

/// Of far more columns than rows, if they may be: parts of a view search for
/// their coordinates.
TEST_F(MakeMatrix, SumsIntoFewRowsAreViewsWhereCoordinatesAscend) {
  constexpr int64_t kRows = 4000, kColumns = 200000;
  std::mt19937 random(7);
  positions = {0};
  for (int64_t column = 0; column < kColumns; ++column) {
    for (int64_t first : {int64_t(0), kRows / 2})
      coordinates.push_back(
          int32_t(first + int64_t(random() % uint64_t(kRows / 2))));
    positions.push_back(int32_t(coordinates.size()));
  }
  const std::vector<float> values(coordinates.size(), 1);
  auto isStored = [&](const MatrixOptions &options = columns(64)) {
    auto made = makeMatrix(
        core::SparseView::csc(
            kRows, kColumns, {positions.data(), int64_t(positions.size())},
            {coordinates.data(), int64_t(coordinates.size())}),
        values.data(), /*graph=*/nullptr, options, source);
    EXPECT_TRUE(made) << made.message();
    return !(*made)->pattern();
  };
  EXPECT_TRUE(isStored());
  // Vectors may come where nobody says how many columns there are.
  EXPECT_FALSE(isStored({}));
  MatrixOptions asks = columns(64);
  asks.keepsOrder = true;
  EXPECT_FALSE(isStored(asks));
  asks = columns(64);
  asks.arithmetic.element = core::Element::I8; // and sums of i32
  EXPECT_FALSE(isStored(asks));
  std::swap(coordinates[6], coordinates[7]);
  EXPECT_FALSE(isStored());
}

TEST_F(MakeMatrix, ProductsOfOneThreadAreCutForOne) {
  astfe_rt_set_threads(3);
  auto workers = [&](int64_t rows, MatrixOptions options,
                     int64_t emptyRows = 0) {
    options.storage = core::Storage::Packed;
    auto made = make(rows, options, /*byColumns=*/false, emptyRows);
    EXPECT_TRUE(made) << made.message();
    return (*made)->pattern()->workers();
  };
  EXPECT_EQ(workers(1500, columns(1)), 1);
  EXPECT_EQ(workers(2500, columns(1)), 3);
  // 6000 multiply-adds and 16 rows of the result in a line.
  EXPECT_EQ(workers(1500, columns(1), 16 * 2192 - 1500), 1);
  EXPECT_EQ(workers(1500, columns(1), 16 * 2193 - 1500), 3);
  // What is wider may be wider still.
  EXPECT_EQ(workers(1500, columns(2)), 3);
  // Nobody says how wide products are.
  EXPECT_EQ(workers(1500, {}), 3);
  MatrixOptions two = columns(1);
  two.workers = 2;
  EXPECT_EQ(workers(1500, two), 2);
  astfe_rt_set_workers(2);
  EXPECT_EQ(workers(1500, columns(1)), 2);
  astfe_rt_set_workers(0);
  astfe_rt_set_threads(0);
}

TEST_F(MakeMatrix, WhatIsAskedForIsDone) {
  MatrixOptions options;
  options.storage = core::Storage::Packed;
  EXPECT_FALSE(isView(20, options));
  options.storage = core::Storage::View;
  EXPECT_TRUE(isView(3000, options));
  EXPECT_TRUE(isView(3000, options, /*byColumns=*/true));
  options.samples = true;
  auto wrong = make(20, options);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.message(), "expected no graph, workers or samples of a view "
                             "but got samples");
  options.storage = std::nullopt;
  EXPECT_FALSE(isView(20, options));
  options = {};
  options.workers = 3;
  EXPECT_FALSE(isView(20, options));
  options.storage = core::Storage::View;
  EXPECT_EQ(make(20, options).message(),
            "expected no graph, workers or samples of a view but got workers");
}

TEST_F(MakeMatrix, SamplesHaveAPlanOfTheirOwn) {
  MatrixOptions options;
  EXPECT_FALSE(planOptions(options).samples);
  options.samples = true;
  EXPECT_TRUE(planOptions(options).samples);
}

TEST_F(MakeMatrix, AGraphPacks) {
  ASSERT_TRUE(make(20, {}));
  auto plan = core::makePlan(view, planOptions({}));
  ASSERT_TRUE(plan) << plan.message();
  const std::vector<float> values(coordinates.size(), 1);
  MatrixOptions options;
  auto made = makeMatrix(view, values.data(), &plan->fused, options, source);
  ASSERT_TRUE(made) << made.message();
  EXPECT_TRUE((*made)->pattern());
  options.storage = core::Storage::View;
  EXPECT_EQ(
      makeMatrix(view, values.data(), &plan->fused, options, source).message(),
      "expected no graph, workers or samples of a view but got a graph");
  // A plan is no graph of the caller's, but its order is kept.
  made = makePlanned(view, values.data(), *plan, {}, source);
  EXPECT_FALSE((*made)->pattern());
  made = makePlanned(view, values.data(), *plan, options, source);
  EXPECT_FALSE((*made)->pattern());
  plan->arrangement.order = core::OrderKind::Hilbert;
  made = makePlanned(view, values.data(), *plan, {}, source);
  EXPECT_TRUE((*made)->pattern());
}

TEST_F(MakeMatrix, TransposedViewsWantAscendingCoordinates) {
  ASSERT_TRUE(make(20, {}));
  MatrixOptions options;
  options.storage = core::Storage::View;
  const std::vector<float> values(4, 1);
  auto error = [&](std::vector<int32_t> rows, bool byColumns) {
    const std::vector<int32_t> begins = {0, 2, 4};
    const core::IndexArray p(begins.data(), 3), c(rows.data(), 4);
    auto made = makeMatrix(byColumns ? core::SparseView::csc(9, 2, p, c)
                                     : core::SparseView::csr(2, 9, p, c),
                           values.data(), nullptr, options, source);
    return made ? std::string() : made.message();
  };
  EXPECT_EQ(error({4, 7, 5, 3}, true),
            "expected ascending coordinates of a transposed view on the host "
            "but got 3 behind 5");
  EXPECT_EQ(error({4, 7, 3, 3}, true), "");
  EXPECT_EQ(error({4, 7, 5, 3}, false), "");
}

TEST_F(MakeMatrix, EmptyMatricesAreViews) {
  const int32_t zero[] = {0, 0, 0};
  for (auto [rows, columns] : {std::pair(0, 0), std::pair(2, 0)}) {
    view = core::SparseView::csr(rows, columns, {zero, rows + 1}, {zero, 0});
    auto made = makeMatrix(view, nullptr, nullptr, {}, source);
    ASSERT_TRUE(made) << made.message();
    EXPECT_FALSE((*made)->pattern());
    EXPECT_TRUE((*made)->setValues(nullptr));
  }
}

TEST_F(MakeMatrix, OneKernelServesAllViewsOfAHost) {
  for (int64_t rows : {20, 30}) {
    auto made = make(rows, columns(8));
    ASSERT_TRUE(made) << made.message();
    EXPECT_TRUE((*made)->compile(8, /*accumulate=*/false));
    EXPECT_EQ((*made)->nonzeros(), 4 * rows);
  }
  ASSERT_EQ(source.requests.size(), 2u);
  EXPECT_EQ(source.requests[0].key(), source.requests[1].key());
  EXPECT_TRUE(source.requests[0].view);
  EXPECT_FALSE(source.requests[0].view->cutsRows);
}
