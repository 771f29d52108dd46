//===- ChainThreadsTest.cpp - threads that share an Attention or a Spmm ---===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains are functions of this file here, which sum what the matrix stores for
// each row, times what the nonzeros gather: nothing is compiled, so that the
// thread sanitizer sees all of it. One thread sets values, all equal, while
// others call: each result has to be of one setting.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Attention.h"
#include "ASTFE/Product/Spmm.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace astfe;
using namespace astfe::product;

namespace {

/// A buffer that a chain was passed.
struct Buffer {
  const int64_t *words;
  size_t rank;

  Buffer(void **arguments, size_t number, size_t rank)
      : words(*static_cast<int64_t **>(arguments[number])), rank(rank) {}
  int64_t size(size_t dim) const { return words[3 + dim]; }
  template <typename T>
  T &at(int64_t i, int64_t x = 0) const {
    int64_t place = words[2] + i * words[3 + rank];
    if (rank > 1)
      place += x * words[3 + rank + 1];
    return reinterpret_cast<T *>(words[1])[place];
  }
};

/// Each row of `target`: the sum over its nonzeros of a_n source_j.
void sumRows(void **arguments, const Buffer &source, const Buffer &target) {
  const Buffer positions(arguments, 0, 1), coordinates(arguments, 1, 1),
      values(arguments, 2, 1);
  const int64_t rows = positions.size(0) - 1,
                width = target.rank > 1 ? target.size(1) : 1;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t x = 0; x < width; ++x) {
      float sum = 0;
      for (auto n = positions.at<int32_t>(i); n < positions.at<int32_t>(i + 1);
           ++n)
        sum += values.at<float>(n) *
               source.at<float>(coordinates.at<int32_t>(n), x);
      target.at<float>(i, x) = sum;
    }
}

// Operands follow the matrix's five: AttentionText.h and Spmm.h list them.
void forward(void **a) {
  sumRows(a, Buffer(a, 7, 2), Buffer(a, 8, 2));
  sumRows(a, Buffer(a, 7, 2), Buffer(a, 9, 1));
}
void rows(void **a) {
  sumRows(a, Buffer(a, 6, 2), Buffer(a, 10, 2));
  sumRows(a, Buffer(a, 6, 2), Buffer(a, 11, 1));
}
void columns(void **a) {
  sumRows(a, Buffer(a, 5, 2), Buffer(a, 11, 2));
  sumRows(a, Buffer(a, 8, 2), Buffer(a, 12, 2));
}
void products(void **a) { sumRows(a, Buffer(a, 5, 2), Buffer(a, 6, 2)); }
void samples(void **a) {
  const Buffer out(a, 7, 1);
  for (int64_t n = 0; n < out.size(0); ++n)
    out.at<float>(n) = 1;
}

class Chains : public Program {
public:
  core::Result<void *> lookup(const std::string &symbol) const override {
    for (auto [name, function] :
         {std::pair("forward", &forward), std::pair("rows", &rows),
          std::pair("columns", &columns), std::pair("product", &products),
          std::pair("samples", &samples)})
      if (symbol == std::string("_mlir__mlir_ciface_") + name)
        return reinterpret_cast<void *>(function);
    return core::Error{"no symbol " + symbol};
  }
};

core::Result<std::shared_ptr<const Program>> compile(const std::string &,
                                                     const ChainTarget &) {
  return std::shared_ptr<const Program>(std::make_shared<Chains>());
}

/// Row i has i % 4 nonzeros, in the first columns.
struct Matrix {
  static constexpr int64_t kRows = 64, kColumns = 8;
  std::vector<int64_t> positions{0}, coordinates;

  Matrix() {
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < i % 4; ++j)
        coordinates.push_back(j);
      positions.push_back(int64_t(coordinates.size()));
    }
  }
  core::SparseView view() const {
    auto array = [](const std::vector<int64_t> &of) {
      return core::IndexArray(of.data(), int64_t(of.size()));
    };
    return core::SparseView::csr(kRows, kColumns, array(positions),
                                 array(coordinates));
  }
  std::vector<float> ofValue(float value) const {
    return std::vector<float>(coordinates.size(), value);
  }
  /// Nonzeros of a row, or of a column.
  static float inRow(int64_t i) { return float(i % 4); }
  static float inColumn(int64_t j) {
    return j < 3 ? float(kRows / 4 * (3 - j)) : 0;
  }
};

constexpr int kCalls = 40;

/// Calls from three threads, while a fourth sets the values.
template <typename Object>
int countFailures(Object &object, const Matrix &matrix,
                  const std::function<bool(Object &)> &call) {
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i)
        failures += !call(object);
    });
  threads.emplace_back([&] {
    for (int i = 0; i < kCalls; ++i)
      // Not all objects have a status for it.
      (void)object.setValues(matrix.ofValue(float(1 + i % 2)).data());
  });
  for (std::thread &thread : threads)
    thread.join();
  return failures;
}

/// Each row of so many elements is `value` times what its number gives.
bool isValueTimes(const std::vector<float> &got, int64_t width, float value,
                  float (*number)(int64_t)) {
  for (size_t at = 0; at < got.size(); ++at)
    if (got[at] != value * number(int64_t(at) / width))
      return false;
  return true;
}

TEST(ChainThreads, OneAttention) {
  constexpr int64_t kHeads = 3, kDim = 4, kWidth = kHeads * kDim;
  Matrix matrix;
  const std::vector<float> first = matrix.ofValue(1);
  auto made = Attention::create(
      matrix.view(), first.data(),
      {kHeads, kDim, core::Element::F32, Mask::Multiply}, compile);
  ASSERT_TRUE(made) << made.message();
  const std::vector<float> ones(size_t(Matrix::kRows * kWidth), 1.0f);
  const void *one = ones.data();
  auto call = [&](Attention &attention) {
    std::vector<float> o(ones.size()), lse(size_t(Matrix::kRows * kHeads)),
        dq(o.size()), dk(size_t(Matrix::kColumns * kWidth)), dv(dk.size());
    if (!attention.forward({one, one, one}, o.data(), lse.data()) ||
        !attention.backward({one, one, one}, one, lse.data(),
                            {dq.data(), dk.data(), dv.data()}))
      return false;
    const float before = o[size_t(kWidth)], after = dq[size_t(kWidth)];
    return (before == 1 || before == 2) && (after == 1 || after == 2) &&
           isValueTimes(o, kWidth, before, &Matrix::inRow) &&
           isValueTimes(lse, kHeads, before, &Matrix::inRow) &&
           isValueTimes(dq, kWidth, after, &Matrix::inRow) &&
           isValueTimes(dk, kWidth, after, &Matrix::inColumn) &&
           isValueTimes(dv, kWidth, after, &Matrix::inColumn);
  };
  EXPECT_EQ(countFailures<Attention>(**made, matrix, call), 0);
}

TEST(ChainThreads, OneSpmm) {
  constexpr int64_t kWidth = 5;
  Matrix matrix;
  const std::vector<float> first = matrix.ofValue(1);
  auto made =
      Spmm::create(matrix.view(), first.data(), core::Element::F32, compile);
  ASSERT_TRUE(made) << made.message();
  const std::vector<float> ones(size_t(Matrix::kRows * kWidth), 1.0f);
  auto call = [&](Spmm &product) {
    std::vector<float> c(ones.size()), da(first.size()),
        db(size_t(Matrix::kColumns * kWidth));
    if (!product.forward(kWidth, ones.data(), nullptr, Activation::None,
                         c.data()) ||
        !product.backward(kWidth, ones.data(), ones.data(), da.data(),
                          db.data()))
      return false;
    const float value = c[size_t(kWidth)], other = db[0] / Matrix::inColumn(0);
    return (value == 1 || value == 2) && (other == 1 || other == 2) &&
           isValueTimes(c, kWidth, value, &Matrix::inRow) &&
           isValueTimes(db, kWidth, other, &Matrix::inColumn) && da == first;
  };
  EXPECT_EQ(countFailures<Spmm>(**made, matrix, call), 0);
}

} // namespace
