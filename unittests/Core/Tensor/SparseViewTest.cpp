//===- SparseViewTest.cpp - views, their checks and their keys ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/SparseView.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

namespace {

template <typename T>
IndexArray indices(const std::vector<T> &array) {
  return {array.data(), int64_t(array.size())};
}

std::string message(const SparseView &view) {
  Status status = view.check();
  return status ? "" : status.message();
}

/// A matrix as coordinates sorted by row, and as CSR; CSC is the same arrays
/// read as the transpose.
template <typename T>
struct Matrix {
  int64_t rows, columns;
  std::vector<T> row, column, positions;

  Matrix(int64_t rows, int64_t columns, size_t nonzeros, uint64_t seed)
      : rows(rows), columns(columns), column(nonzeros),
        positions(size_t(rows) + 1, 0) {
    std::mt19937_64 random(seed);
    for (size_t n = 0; n < nonzeros; ++n) {
      // The cube favours low rows: empty ones and long ones both occur.
      double x = double(random() % 10000) / 10000;
      row.push_back(T(double(rows) * x * x * x));
      column[n] = T(random() % uint64_t(columns));
    }
    std::sort(row.begin(), row.end());
    for (T r : row)
      ++positions[size_t(r) + 1];
    for (size_t r = 0; r < size_t(rows); ++r)
      positions[r + 1] += positions[r];
  }
  SparseView coo() const {
    return SparseView::coo({rows, columns}, {indices(row), indices(column)});
  }
  SparseView csr() const {
    return SparseView::csr(rows, columns, indices(positions), indices(column));
  }
  SparseView csc() const {
    return SparseView::csc(columns, rows, indices(positions), indices(column));
  }
};

/// What encodeNonzeros promises, one nonzero at a time.
void expectKeys(const SparseView &view, const Space &space,
                const std::vector<std::vector<int64_t>> &points,
                unsigned threads) {
  std::vector<uint32_t> parts;
  std::vector<uint64_t> keys;
  encodeNonzeros(view, space, parts, keys, threads);
  ASSERT_EQ(keys.size(), points.size());
  ASSERT_EQ(parts.size(), space.parts.size() == 1 ? 0 : points.size());
  for (size_t n = 0; n < points.size(); ++n) {
    std::vector<int64_t> point = points[n];
    for (unsigned k = 0; k < space.permutations.size(); ++k)
      if (!space.permutations[k].empty())
        point[k] = space.permutations[k][size_t(point[k])];
    const Part &part = space.parts[parts.empty() ? 0 : parts[n]];
    for (unsigned k = 0; k < space.rank(); ++k) {
      point[k] -= part.origin[k];
      ASSERT_TRUE(point[k] >= 0 && point[k] < part.extents[k]) << n;
    }
    ASSERT_EQ(keys[n], part.order().key(point)) << n;
  }
}

template <typename T>
std::vector<std::vector<int64_t>> pointsOf(const Matrix<T> &matrix,
                                           bool transposed = false) {
  std::vector<std::vector<int64_t>> points;
  for (size_t n = 0; n < matrix.row.size(); ++n) {
    points.push_back({int64_t(matrix.row[n]), int64_t(matrix.column[n])});
    if (transposed)
      std::swap(points.back()[0], points.back()[1]);
  }
  return points;
}

template <typename T>
void expectAllFormats() {
  // Below and above one chunk of the parallel loop.
  for (size_t nonzeros : {0, 1, 1500, 70000}) {
    Matrix<T> matrix(333, 77, nonzeros, 3);
    Space space = *Space::whole({333, 77}, OrderKind::Hilbert);
    Space turned = *Space::whole({77, 333}, OrderKind::Hilbert);
    for (unsigned threads : {1, 3}) {
      expectKeys(matrix.coo(), space, pointsOf(matrix), threads);
      expectKeys(matrix.csr(), space, pointsOf(matrix), threads);
      expectKeys(matrix.csc(), turned, pointsOf(matrix, true), threads);
    }
  }
}

} // namespace

TEST(SparseView, WorkedExampleOfTheHeader) {
  std::vector<int32_t> positions{0, 2, 2, 3}, columns{1, 3, 0};
  SparseView view = SparseView::csr(3, 4, indices(positions), indices(columns));
  EXPECT_EQ(message(view), "");
  EXPECT_EQ(view.nonzeros(), 3);
  expectKeys(view, *Space::whole({3, 4}, OrderKind::Rows),
             {{0, 1}, {0, 3}, {2, 0}}, 1);
}

TEST(SparseView, EncodesEveryFormatAndWidth) {
  expectAllFormats<int32_t>();
  expectAllFormats<int64_t>();
}

TEST(SparseView, EncodesMixedWidths) {
  std::vector<int32_t> rows{0, 4, 2}, layers{1, 0, 1};
  std::vector<int64_t> columns{2999999999, 7, 0};
  SparseView view = SparseView::coo(
      {5, 3000000000, 2}, {indices(rows), indices(columns), indices(layers)});
  EXPECT_EQ(message(view), "");
  expectKeys(view, *Space::whole(view.shape, OrderKind::Hilbert),
             {{0, 2999999999, 1}, {4, 7, 0}, {2, 0, 1}}, 1);
}

TEST(SparseView, EncodesProductsAbove31Bits) {
  for (const std::vector<int64_t> &shape :
       std::vector<std::vector<int64_t>>{{70000, 70000}, {3000000000, 5}}) {
    std::vector<std::vector<int64_t>> points{
        {shape[0] - 1, shape[1] - 1}, {shape[0] - 1, 0}, {0, shape[1] - 1}};
    std::vector<int64_t> rows, columns;
    for (const auto &point : points) {
      rows.push_back(point[0]);
      columns.push_back(point[1]);
    }
    SparseView view = SparseView::coo(shape, {indices(rows), indices(columns)});
    for (OrderKind kind : {OrderKind::Rows, OrderKind::Hilbert})
      expectKeys(view, *Space::whole(shape, kind), points, 1);
  }
}

TEST(SparseView, CompressedNarrowCoordinatesOfAWideMatrix) {
  // The columns fit 32 bits, the extent does not: copies must be 64 bits wide.
  std::vector<int32_t> positions{0, 1, 3}, columns{2147483647, 0, 9};
  SparseView view =
      SparseView::csr(2, 3000000000, indices(positions), indices(columns));
  EXPECT_EQ(message(view), "");
  expectKeys(view, *Space::whole(view.shape, OrderKind::Hilbert),
             {{0, 2147483647}, {1, 0}, {1, 9}}, 1);
}

TEST(SparseView, EncodesPermutationsAndParts) {
  Matrix<int32_t> matrix(40, 30, 5000, 5);
  std::mt19937_64 random(2);
  Space space = *Space::whole({40, 30}, OrderKind::Hilbert);
  space.permutations.resize(2);
  for (int64_t i = 0; i < 40; ++i)
    space.permutations[0].push_back(i);
  std::shuffle(space.permutations[0].begin(), space.permutations[0].end(),
               random);
  ASSERT_TRUE(space.check());
  expectKeys(matrix.csr(), space, pointsOf(matrix), 1);

  // Two hub rows, then one hub column, then the rest.
  space.parts = {{{0, 0}, {2, 30}, OrderKind::Rows, 10},
                 {{2, 0}, {38, 1}, OrderKind::Rows, 10},
                 {{2, 1}, {38, 29}, OrderKind::Panels, 3}};
  ASSERT_TRUE(space.check());
  for (unsigned threads : {1, 2})
    expectKeys(matrix.csr(), space, pointsOf(matrix), threads);
  space.permutations.clear();
  expectKeys(matrix.coo(), space, pointsOf(matrix), 1);
}

TEST(SparseView, FingerprintsTellPatternsApartAndNothingElse) {
  Matrix<int32_t> narrow(333, 77, 70000, 3);
  Matrix<int64_t> wide(333, 77, 70000, 3);
  uint64_t print = fingerprintPattern(narrow.coo());
  EXPECT_NE(print, 0u);
  EXPECT_EQ(print, fingerprintPattern(narrow.coo(), 4));
  EXPECT_EQ(print, fingerprintPattern(narrow.csr()));
  EXPECT_EQ(print, fingerprintPattern(wide.csr(), 2));
  std::reverse(wide.row.begin(), wide.row.end());
  std::reverse(wide.column.begin(), wide.column.end());
  EXPECT_EQ(print, fingerprintPattern(wide.coo()));

  EXPECT_NE(print, fingerprintPattern(narrow.csc()));
  wide.column[0] = (wide.column[0] + 1) % 77;
  EXPECT_NE(print, fingerprintPattern(wide.coo()));
  // The same arrays in a larger shape, and nothing in two shapes.
  ++narrow.columns;
  EXPECT_NE(print, fingerprintPattern(narrow.coo()));
  EXPECT_NE(fingerprintPattern(Matrix<int32_t>(2, 3, 0, 1).coo()),
            fingerprintPattern(Matrix<int32_t>(3, 2, 0, 1).coo()));
}

TEST(SparseView, FingerprintsOfEqualSumsDiffer) {
  std::vector<int32_t> outer{0, 3}, inner{1, 2}, twice{1, 1}, none{2, 2};
  auto print = [](const std::vector<int32_t> &mode) {
    return fingerprintPattern(SparseView::coo({4}, {indices(mode)}));
  };
  EXPECT_NE(print(outer), print(inner));
  EXPECT_NE(print(twice), print(none));
}

TEST(SparseView, ChecksPositions) {
  std::vector<int32_t> columns{0, 1, 0};
  auto check = [&](const std::vector<int64_t> &positions) {
    return message(SparseView::csr(2, 2, indices(positions), indices(columns)));
  };
  EXPECT_EQ(check({0, 2, 3}), "");
  EXPECT_EQ(check({0, 3}), "expected 3 positions but got 2");
  EXPECT_EQ(check({1, 2, 3}), "expected positions to begin with 0 but got 1");
  EXPECT_EQ(check({0, 4, 3}), "expected ascending positions but got 3 after 4 "
                              "at position 2");
  EXPECT_EQ(check({0, 2, 2}),
            "expected positions to end with the 3 nonzeros but got 2");
}

TEST(SparseView, ChecksCoordinates) {
  std::vector<int64_t> good(3000, 1), bad = good;
  bad[2100] = 2;
  bad[2200] = -1;
  EXPECT_EQ(message(SparseView::coo({2, 3}, {indices(bad), indices(good)})),
            "nonzero 2100: expected a coordinate of mode 0 below 2 but got 2");
  bad[2100] = 1;
  EXPECT_EQ(message(SparseView::coo({2, 3}, {indices(good), indices(bad)})),
            "nonzero 2200: expected a coordinate of mode 1 below 3 but got -1");
  std::vector<int32_t> positions{0, 1}, column{2};
  EXPECT_EQ(message(SparseView::csc(2, 1, indices(positions), indices(column))),
            "nonzero 0: expected a coordinate of mode 0 below 2 but got 2");
  EXPECT_EQ(
      message(SparseView::coo({0, 3}, {indices(column), indices(column)})),
      "nonzero 0: expected a coordinate of mode 0 below 0 but got 2");
}

TEST(SparseView, ChecksItsArrays) {
  std::vector<int32_t> two{0, 1}, one{0};
  EXPECT_EQ(message(SparseView::coo({2, 2}, {indices(two)})),
            "expected 2 coordinate arrays but got 1");
  EXPECT_EQ(message(SparseView::coo({2, 2}, {indices(two), indices(one)})),
            "expected 2 coordinates of mode 1 but got 1");
  SparseView cube = SparseView::csr(1, 2, indices(two), indices(one));
  EXPECT_EQ(message(cube), "");
  cube.shape.push_back(2);
  EXPECT_EQ(message(cube), "expected 2 modes in a compressed matrix but got 3");
  cube.shape = {1, 2};
  cube.coordinates.push_back(indices(one));
  EXPECT_EQ(message(cube), "expected 1 coordinate array but got 2");
  EXPECT_EQ(message(SparseView::coo({}, {})),
            "expected 1 to 8 modes but got 0");
}
