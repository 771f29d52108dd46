//===- ViewProductTest.cpp - matrices as they are stored, on a GPU --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is chosen and launched is read from the driver's log.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/ViewMatrix.h"
#include "DeviceFixture.h"
#include <complex>
#include <cstring>

using namespace astfe;
using namespace astfe::product;

namespace {

/// Rows of five nonzeros, and one that is longer; indices of T.
template <typename T>
struct EvenRows {
  static constexpr int64_t kRows = 70, kColumns = 400;
  std::vector<T> positions{0}, coordinates;
  std::vector<float> values;

  explicit EvenRows(int64_t longest = 5) {
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t i = 0; i < (row == 3 ? longest : 5); ++i) {
        coordinates.push_back(T((row * 31 + i * 7) % kColumns));
        values.push_back(float((row * 13 + i * 5) % 64) / 32 - 1);
      }
      positions.push_back(T(coordinates.size()));
    }
  }
  core::IndexArray places() const {
    return {positions.data(), int64_t(positions.size())};
  }
  core::IndexArray columns() const {
    return {coordinates.data(), int64_t(coordinates.size())};
  }
  core::SparseView csr() const {
    return core::SparseView::csr(kRows, kColumns, places(), columns());
  }
  /// The same arrays by columns: the transpose.
  core::SparseView csc() const {
    return core::SparseView::csc(kColumns, kRows, places(), columns());
  }
};

class ViewProductTest : public DeviceTest {
protected:
  template <typename T>
  std::unique_ptr<product::Matrix> make(const EvenRows<T> &matrix,
                                        const MatrixOptions &options,
                                        bool transposed = false) {
    auto made = makeMatrix(transposed ? matrix.csc() : matrix.csr(),
                           matrix.values.data(), nullptr, options, source);
    EXPECT_TRUE(bool(made)) << made.message();
    return std::move(*made);
  }

  /// Runs C = A B, whose log is `first` then, and C += A B; compares with sums
  /// in double, and returns the log of the second.
  template <typename T>
  std::string multiply(product::Matrix &made, const EvenRows<T> &matrix,
                       int64_t n, bool transposed = false) {
    const int64_t rows = made.rows(), columns = made.columns();
    std::vector<float> b(size_t(columns * n)), c(size_t(rows * n), NAN);
    for (size_t i = 0; i < b.size(); ++i)
      b[i] = float(i % 17) / 16 - 0.5f;
    const Dense operand{upload(b), columns, n, n},
        result{upload(c), rows, n, n};
    auto stream = device->createStream();
    EXPECT_TRUE(bool(stream));
    std::string log;
    for (bool accumulate : {false, true}) {
      EXPECT_TRUE(bool(made.compile(n, accumulate)));
      takeLog();
      auto status = made.multiplyOn(*stream, operand, result, accumulate);
      EXPECT_TRUE(bool(status)) << status.message();
      log = takeLog();
      if (!accumulate)
        first = log;
    }
    EXPECT_TRUE(bool(device->synchronizeStream(*stream)));
    EXPECT_TRUE(bool(device->destroyStream(*stream)));
    c = download<float>(result.data, c.size());
    compare(matrix, b, c, n, transposed);
    return log;
  }

  template <typename T>
  static void compare(const EvenRows<T> &matrix, const std::vector<float> &b,
                      const std::vector<float> &c, int64_t n, bool transposed) {
    std::vector<double> sums(c.size()), sizes(c.size());
    for (size_t stored = 0; stored < size_t(EvenRows<T>::kRows); ++stored)
      for (auto at = size_t(matrix.positions[stored]);
           at < size_t(matrix.positions[stored + 1]); ++at) {
        size_t row = stored, column = size_t(matrix.coordinates[at]);
        if (transposed)
          std::swap(row, column);
        for (size_t j = 0; j < size_t(n); ++j) {
          const double term = 2.0 * double(matrix.values[at]) *
                              double(b[column * size_t(n) + j]);
          sums[row * size_t(n) + j] += term;
          sizes[row * size_t(n) + j] += std::abs(term);
        }
      }
    for (size_t i = 0; i < c.size(); ++i)
      ASSERT_NEAR(double(c[i]), sums[i], 1e-6 * sizes[i]) << i;
  }

  std::string first;
};

bool has(const std::string &log, const char *what) {
  return log.find(what) != log.npos;
}

TEST_F(ViewProductTest, EvenRowsAreAView) {
  const EvenRows<int32_t> even, uneven(1600);
  auto narrow = make(even, optionsFor(8));
  std::string log = multiply(*narrow, even, 8);
  EXPECT_TRUE(has(log, "launch tile8_rows ")) << log;
  // Nothing is copied between products, and nothing is waited for.
  for (const char *word : {"copy", "allocate", "fill", "synchronize", "wait"})
    EXPECT_FALSE(has(log, word)) << log;
  // The same matrix with other widths, for which kernels of a view exist too.
  EXPECT_TRUE(has(multiply(*narrow, even, 1), "launch one_column_rows "));
  EXPECT_FALSE(has(multiply(*narrow, even, 64), "_rows "));

  auto vector = make(even, optionsFor(1));
  EXPECT_TRUE(has(multiply(*vector, even, 1), "launch one_column_rows "));
  // No more than there are warps.
  auto wide = make(even, optionsFor(64));
  EXPECT_TRUE(has(multiply(*wide, even, 8), "launch tile8_rows "));
  for (int64_t columns : {8, 64}) {
    auto longRow = make(uneven, optionsFor(columns));
    EXPECT_FALSE(has(multiply(*longRow, uneven, 8), "_rows "));
  }
}

TEST_F(ViewProductTest, WhatIsAskedForIsStored) {
  const EvenRows<int32_t> even;
  MatrixOptions options = optionsFor(8);
  options.storage = core::Storage::Packed;
  EXPECT_FALSE(has(multiply(*make(even, options), even, 8), "_rows "));
  options = optionsFor(64);
  options.storage = core::Storage::View;
  EXPECT_TRUE(has(multiply(*make(even, options), even, 8), "tile8_rows "));

  auto error = [&](const MatrixOptions &wrong) {
    auto made =
        makeMatrix(even.csr(), even.values.data(), nullptr, wrong, source);
    return made ? std::string() : made.message();
  };
  options.workers = 3;
  EXPECT_EQ(error(options),
            "expected no graph, workers or samples of a view but "
            "got workers");
  options.workers = 0;
  options.samples = true;
  EXPECT_EQ(error(options),
            "expected no graph, workers or samples of a view but "
            "got samples");
  // Workers leave the rule nothing to choose.
  options = optionsFor(8);
  options.workers = 3;
  EXPECT_FALSE(has(multiply(*make(even, options), even, 8), "_rows "));
}

TEST_F(ViewProductTest, EachWidthCutsLongRowsAtALengthOfItsOwn) {
  const EvenRows<int64_t> matrix(300);
  MatrixOptions options = optionsFor(64);
  options.storage = core::Storage::View;
  auto made = make(matrix, options);
  // A warp has all columns of a nonzero: 96 nonzeros are long.
  std::string log = multiply(*made, matrix, 64);
  EXPECT_TRUE(has(log, "launch tile64_cut ")) << log;
  EXPECT_TRUE(has(log, "launch combine_rows ")) << log;
  EXPECT_FALSE(has(log, "copy")) << log;
  EXPECT_FALSE(has(log, "synchronize")) << log;
  // Of teams of two lanes 1536 are.
  log = multiply(*made, matrix, 8);
  EXPECT_TRUE(has(log, "launch tile8_rows ")) << log;
  EXPECT_FALSE(has(log, "combine_rows")) << log;
}

TEST_F(ViewProductTest, TheTransposeIsAddedByAtomics) {
  const EvenRows<int32_t> matrix;
  MatrixOptions options = optionsFor(8);
  // The rule takes no columns, along which sums are of many warps.
  multiply(*make(matrix, options, true), matrix, 8, true);
  EXPECT_FALSE(has(first, "launch fill ")) << first;
  options.storage = core::Storage::View;
  auto made = make(matrix, options, true);
  EXPECT_EQ(made->rows(), int64_t(EvenRows<int32_t>::kColumns));
  multiply(*made, matrix, 8, true);
  EXPECT_TRUE(has(first, "launch fill ")) << first;
}

TEST_F(ViewProductTest, NewValuesAreTakenAsTheyAre) {
  EvenRows<int32_t> matrix;
  auto made = make(matrix, optionsFor(4));
  for (float &value : matrix.values)
    value = 0.5f - value;
  // Products on any stream may still read those that were there.
  takeLog();
  ASSERT_TRUE(bool(made->setValues(matrix.values.data())));
  EXPECT_NE(takeLog().find("synchronize"), std::string::npos);
  multiply(*made, matrix, 4);
}

TEST_F(ViewProductTest, NoNonzerosMakeZeros) {
  EvenRows<int32_t> matrix;
  matrix.positions.assign(matrix.positions.size(), 0);
  matrix.coordinates.clear();
  matrix.values.clear();
  auto made = make(matrix, optionsFor(8));
  EXPECT_TRUE(has(multiply(*made, matrix, 8), "tile8_rows "));
}

/// Of a view with 8 columns, and of a packed pattern with 64.
TEST_F(ViewProductTest, ComplexNumbersArePairsOfFloats) {
  using Number = std::complex<float>;
  const EvenRows<int32_t> matrix;
  const std::vector<Number> values(matrix.values.size(), Number(1, 2));
  for (int64_t n : {8, 64}) {
    MatrixOptions options = optionsFor(n);
    options.arithmetic.element = core::Element::C64;
    auto made =
        makeMatrix(matrix.csr(), values.data(), nullptr, options, source);
    ASSERT_TRUE(bool(made)) << made.message();
    const int64_t rows = (*made)->rows(), columns = (*made)->columns();
    const Dense b{upload(std::vector<Number>(size_t(columns * n), {3, 1})),
                  columns, n, n};
    std::vector<Number> c(size_t(rows * n), 7);
    ASSERT_TRUE(bool((*made)->compile(n, /*accumulate=*/true)));
    takeLog();
    auto status =
        (*made)->multiplyOn(nullptr, b, {upload(c), rows, n, n}, true);
    ASSERT_TRUE(bool(status)) << status.message();
    EXPECT_EQ(has(takeLog(), "_rows "), n == 8);
    EXPECT_EQ(download<Number>(allocated.back(), c.size()),
              std::vector<Number>(c.size(), 7.0f + 5.0f * Number(1, 7)));
  }
}

TEST_F(ViewProductTest, ResultsOfBytesAreWiderThanTheirOperands) {
  const EvenRows<int32_t> matrix;
  const std::vector<int8_t> values(matrix.values.size(), 3);
  MatrixOptions options = optionsFor(8);
  options.arithmetic.element = core::Element::I8;
  auto made = makeMatrix(matrix.csr(), values.data(), nullptr, options, source);
  ASSERT_TRUE(bool(made)) << made.message();
  const int64_t rows = (*made)->rows(), columns = (*made)->columns();
  const Dense b{upload(std::vector<int8_t>(size_t(columns * 8), 100)), columns,
                8, 8};
  std::vector<int32_t> c(size_t(rows * 8), 7);
  auto status = (*made)->multiplyOn(nullptr, b, {upload(c), rows, 8, 8}, false);
  ASSERT_TRUE(bool(status)) << status.message();
  EXPECT_EQ(download<int32_t>(allocated.back(), c.size()),
            std::vector<int32_t>(c.size(), 5 * 300));
  c.resize(size_t(rows * 2));
  status = (*made)->multiplyOn(nullptr, b, {upload(c), rows, 8, 8}, false);
  EXPECT_EQ(status ? "" : status.message(),
            "C: expected 2240 bytes of memory but got 560");
}

/// Nonzeros of each row of the transpose.
std::vector<int> transposedCounts(const EvenRows<int32_t> &matrix) {
  std::vector<int> counts(EvenRows<int32_t>::kColumns, 0);
  for (int32_t row : matrix.coordinates)
    ++counts[size_t(row)];
  return counts;
}

/// Whole numbers below 256 in bf16.
uint16_t bf16(int number) {
  const auto wide = float(number);
  uint32_t bits;
  std::memcpy(&bits, &wide, sizeof(bits));
  return uint16_t(bits >> 16);
}

/// The transpose of ones, as a view.
MatrixOptions scattering(MatrixOptions options, core::Element element) {
  options.storage = core::Storage::View;
  options.arithmetic.element = element;
  return options;
}

TEST_F(ViewProductTest, ScatteredHalvesAreSummedApartAndStored) {
  const EvenRows<int32_t> matrix;
  const std::vector<int> counts = transposedCounts(matrix);
  const std::vector<uint16_t> values(matrix.values.size(), bf16(1));
  auto made =
      makeMatrix(matrix.csc(), values.data(), nullptr,
                 scattering(optionsFor(8), core::Element::BF16), source);
  ASSERT_TRUE(bool(made)) << made.message();
  const int64_t rows = (*made)->rows(), columns = (*made)->columns();
  for (int64_t n : {1, 8})
    for (bool accumulate : {false, true}) {
      const Dense b{upload(std::vector<uint16_t>(size_t(columns * n), bf16(2))),
                    columns, n, n};
      std::vector<uint16_t> c(size_t(rows * n), bf16(5));
      ASSERT_TRUE(bool((*made)->compile(n, accumulate)));
      takeLog();
      auto status =
          (*made)->multiplyOn(nullptr, b, {upload(c), rows, n, n}, accumulate);
      ASSERT_TRUE(bool(status)) << status.message();
      const std::string log = takeLog();
      EXPECT_TRUE(has(log, "launch fill ")) << log;
      EXPECT_TRUE(has(log, "launch store ")) << log;
      for (size_t i = 0; i < c.size(); ++i)
        c[i] = bf16(2 * counts[i / size_t(n)] + (accumulate ? 5 : 0));
      EXPECT_EQ(download<uint16_t>(allocated.back(), c.size()), c);
    }
}

TEST_F(ViewProductTest, ScatteredBytesAreAddedInWords) {
  const EvenRows<int32_t> matrix;
  const std::vector<int> counts = transposedCounts(matrix);
  const std::vector<int8_t> values(matrix.values.size(), 3);
  auto made = makeMatrix(matrix.csc(), values.data(), nullptr,
                         scattering(optionsFor(8), core::Element::I8), source);
  ASSERT_TRUE(bool(made)) << made.message();
  const int64_t rows = (*made)->rows(), columns = (*made)->columns();
  const Dense b{upload(std::vector<int8_t>(size_t(columns * 8), 100)), columns,
                8, 8};
  for (bool accumulate : {false, true}) {
    std::vector<int32_t> c(size_t(rows * 8), 7);
    auto status =
        (*made)->multiplyOn(nullptr, b, {upload(c), rows, 8, 8}, accumulate);
    ASSERT_TRUE(bool(status)) << status.message();
    for (size_t i = 0; i < c.size(); ++i)
      c[i] = 300 * counts[i / 8] + (accumulate ? 7 : 0);
    EXPECT_EQ(download<int32_t>(allocated.back(), c.size()), c);
  }
}

TEST_F(ViewProductTest, WithoutMemoryForSumsApartNothingIsLaunched) {
  const EvenRows<int32_t> matrix;
  const std::vector<uint16_t> values(matrix.values.size(), bf16(1));
  auto made =
      makeMatrix(matrix.csc(), values.data(), nullptr,
                 scattering(optionsFor(8), core::Element::BF16), source);
  ASSERT_TRUE(bool(made)) << made.message();
  const int64_t rows = (*made)->rows(), columns = (*made)->columns();
  const Dense b{upload(std::vector<uint16_t>(size_t(columns * 8), bf16(2))),
                columns, 8, 8};
  std::vector<uint16_t> c(size_t(rows * 8), bf16(5));
  const Dense result{upload(c), rows, 8, 8};
  ASSERT_TRUE(bool((*made)->compile(8, false)));
  // All but less than the sums take, in f32.
  std::vector<void *> filling;
  for (size_t bytes = size_t(1) << 24; bytes >= 1024; bytes /= 2)
    while (auto memory = device->allocate(bytes, false))
      filling.push_back(*memory);
  takeLog();
  auto status = (*made)->multiplyOn(nullptr, b, result, false);
  ASSERT_FALSE(bool(status));
  EXPECT_TRUE(has(status.message(), "CUDA_ERROR_OUT_OF_MEMORY"))
      << status.message();
  EXPECT_FALSE(has(takeLog(), "launch"));
  EXPECT_EQ(download<uint16_t>(result.data, c.size()), c);
  for (void *memory : filling)
    EXPECT_TRUE(bool(device->free(memory)));
  // The next one finds it.
  status = (*made)->multiplyOn(nullptr, b, result, false);
  EXPECT_TRUE(bool(status)) << status.message();
  EXPECT_NE(download<uint16_t>(result.data, c.size()), c);
}

} // namespace
