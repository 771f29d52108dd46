//===- AttentionProductTest.cpp - sparse attention on a GPU's streams -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/Attention.h"
#include "ChainFixture.h"
#include <cmath>

using namespace astfe;
using namespace astfe::product;

namespace {

/// What attention computes, in float64.
struct Reference {
  std::vector<double> o, lse, dq, dk, dv;
};

template <typename T>
struct Problem {
  /// Of lse.
  using Sum = std::conditional_t<sizeof(T) == 8, double, float>;
  AttentionShape shape;
  Pattern pattern;
  std::vector<T> values, q, k, v, go;

  Problem(const AttentionShape &given, Pattern some)
      : shape(given), pattern(std::move(some)) {
    shape.element = sizeof(T) == 8   ? core::Element::F64
                    : sizeof(T) == 4 ? core::Element::F32
                                     : core::Element::F16;
    const int64_t width = shape.heads * shape.dim;
    values = someNumbers<T>(pattern.nonzeros(), 1);
    q = someNumbers<T>(pattern.rows * width, 2);
    k = someNumbers<T>(pattern.columns * width, 3);
    v = someNumbers<T>(pattern.columns * width, 4);
    go = someNumbers<T>(pattern.rows * width, 5);
  }

  Reference reference() const;

private:
  double dot(const std::vector<T> &x, int64_t i, const std::vector<T> &y,
             int64_t j, int64_t head) const {
    double sum = 0;
    for (int64_t d = 0; d < shape.dim; ++d)
      sum += double(x[place(i, head, d)]) * double(y[place(j, head, d)]);
    return sum;
  }
  size_t place(int64_t row, int64_t head, int64_t d) const {
    return size_t((row * shape.heads + head) * shape.dim + d);
  }
};

template <typename T>
Reference Problem<T>::reference() const {
  Reference r;
  r.o.resize(q.size());
  r.dq.resize(q.size());
  r.dk.resize(k.size());
  r.dv.resize(k.size());
  r.lse.resize(size_t(pattern.rows * shape.heads),
               -std::numeric_limits<double>::infinity());
  const double scale = shape.scale();
  for (int64_t i = 0; i < pattern.rows; ++i)
    for (int64_t h = 0; h < shape.heads; ++h) {
      const int64_t first = pattern.positions[size_t(i)],
                    last = pattern.positions[size_t(i) + 1];
      if (first == last)
        continue;
      std::vector<double> s, g;
      for (int64_t n = first; n < last; ++n) {
        const int64_t j = pattern.coordinates[size_t(n)];
        const double w = double(values[size_t(n)]),
                     score = dot(q, i, k, j, h) * scale;
        s.push_back(shape.mask == Mask::Add        ? score + w
                    : shape.mask == Mask::Multiply ? score * w
                                                   : score);
        g.push_back(dot(go, i, v, j, h));
      }
      const double most = *std::max_element(s.begin(), s.end());
      double sum = 0, d = 0;
      for (double score : s)
        sum += std::exp(score - most);
      const double lse = r.lse[size_t(i * shape.heads + h)] =
          most + std::log(sum);
      for (size_t at = 0; at < s.size(); ++at)
        d += std::exp(s[at] - lse) * g[at];
      for (size_t at = 0; at < s.size(); ++at) {
        const auto n = size_t(first) + at;
        const int64_t j = pattern.coordinates[n];
        const double p = std::exp(s[at] - lse);
        double ds = p * (g[at] - d) * scale;
        if (shape.mask == Mask::Multiply)
          ds *= double(values[n]);
        for (int64_t x = 0; x < shape.dim; ++x) {
          const size_t row = place(i, h, x), column = place(j, h, x);
          r.o[row] += p * double(v[column]);
          r.dq[row] += ds * double(k[column]);
          r.dk[column] += ds * double(q[row]);
          r.dv[column] += p * double(go[row]);
        }
      }
    }
  return r;
}

class AttentionProductTest : public ChainTest {
protected:
  /// Forward and backward twice with operands that begin `offset` elements
  /// behind what the device allocates, and the log of the second time.
  template <typename T>
  std::string runTwice(const AttentionShape &shape, Pattern pattern,
                       size_t offset) {
    using Sum = typename Problem<T>::Sum;
    Problem<T> problem(shape, std::move(pattern));
    auto made = Attention::create(problem.pattern.view(), problem.values.data(),
                                  problem.shape, compile(), place());
    EXPECT_TRUE(bool(made)) << made.message();
    auto stream = device->createStream();
    EXPECT_TRUE(bool(stream));
    auto given = [&](const auto &data) {
      auto shifted = data;
      shifted.insert(shifted.begin(), offset, {});
      return upload(shifted) + offset;
    };
    T *q = given(problem.q), *k = given(problem.k), *v = given(problem.v),
      *go = given(problem.go);
    // What is not written is seen.
    auto target = [&](size_t size) {
      return given(std::vector<T>(size, T(std::nanf(""))));
    };
    T *o = target(problem.q.size()), *dq = target(problem.q.size()),
      *dk = target(problem.k.size()), *dv = target(problem.k.size());
    Sum *lse = given(
        std::vector<Sum>(size_t(problem.pattern.rows * problem.shape.heads),
                         Sum(std::nanf(""))));
    std::string log;
    for (int time = 0; time < 2; ++time) {
      // Values of rows and of columns are other ones the second time.
      for (T &value : problem.values)
        value = -value;
      auto status = (*made)->setValues(problem.values.data());
      EXPECT_TRUE(bool(status)) << status.message();
      takeLog();
      status = (*made)->forwardOn(*stream, {q, k, v}, o, lse);
      EXPECT_TRUE(bool(status)) << status.message();
      status = (*made)->backwardOn(*stream, {q, k, v}, go, lse, {dq, dk, dv});
      EXPECT_TRUE(bool(status)) << status.message();
      log = takeLog();
    }
    EXPECT_TRUE(bool(device->synchronizeStream(*stream)));
    const Reference wanted = problem.reference();
    const double ofSums = sizeof(T) == 8 ? 1e-12 : 2e-5,
                 tolerance = sizeof(T) == 2 ? 1e-3 : ofSums;
    expectNear(download<T>(o, wanted.o.size()), wanted.o, tolerance);
    expectNear(download<Sum>(lse, wanted.lse.size()), wanted.lse, ofSums);
    expectNear(download<T>(dq, wanted.dq.size()), wanted.dq, tolerance);
    expectNear(download<T>(dk, wanted.dk.size()), wanted.dk, tolerance);
    expectNear(download<T>(dv, wanted.dv.size()), wanted.dv, tolerance);
    EXPECT_TRUE(bool(device->destroyStream(*stream)));
    EXPECT_EQ(log.find("copy"), log.npos) << log;
    // Rows that are cut have partial results, in the stream's order.
    EXPECT_EQ(countOf(log, "allocate") > 0, countOf(log, "cut") > 0) << log;
    return log;
  }
};

TEST_F(AttentionProductTest, HeadsStayWhereTheyAreAndNothingIsCopied) {
  for (Mask mask : {Mask::Pattern, Mask::Multiply, Mask::Add}) {
    AttentionShape shape;
    shape.heads = 3;
    shape.dim = 64;
    shape.mask = mask;
    const std::string log = runTwice<float>(shape, Pattern::random(40, 30), 0);
    // A kernel of all heads, and two for their gradients, in vectors.
    EXPECT_EQ(countOf(log, "launch "), 3) << log;
    EXPECT_EQ(countOf(log, "chain grid 3 "), 3) << log;
    EXPECT_EQ(countOf(log, "_by1"), 0) << log;
  }
}

TEST_F(AttentionProductTest, HalvesAreSummedUpInFloats) {
  AttentionShape shape;
  shape.heads = 2;
  shape.dim = 64;
  shape.mask = Mask::Multiply;
  for (size_t offset : {0, 1})
    runTwice<_Float16>(shape, Pattern::random(40, 30), offset);
}

TEST_F(AttentionProductTest, OperandsBetweenVectorsAreLoadedOneByOne) {
  AttentionShape shape;
  shape.heads = 2;
  shape.dim = 64;
  std::string log = runTwice<float>(shape, Pattern::random(20, 30), 1);
  EXPECT_EQ(countOf(log, "chain_by1"), 3) << log;
  // Heads of which every other one begins there.
  shape.dim = 34;
  runTwice<float>(shape, Pattern::random(20, 30), 0);
  log = runTwice<double>(shape, Pattern::random(20, 30), 0);
  EXPECT_EQ(countOf(log, "_by1"), 0) << log;
}

TEST_F(AttentionProductTest, LongRowsAndColumnsAreCut) {
  AttentionShape shape;
  shape.heads = 2;
  shape.dim = 32;
  const std::string log =
      runTwice<float>(shape, Pattern::withLongRow(4, 3000), 0);
  EXPECT_EQ(countOf(log, "chain_cut grid 2 "), 2) << log;
  EXPECT_EQ(countOf(log, "combine_chain grid 2 "), 2) << log;
}

TEST_F(AttentionProductTest, HeadsShareTheBlocksOfTheGPU) {
  AttentionShape shape;
  shape.heads = 2000;
  shape.dim = 1;
  const std::string log = runTwice<float>(shape, Pattern::random(9, 8), 0);
  // One block for each where there are more than the GPU holds at a time.
  EXPECT_EQ(countOf(log, "chain grid 2000 1 1 "), 3) << log;
}

TEST_F(AttentionProductTest, TheOnlyHeadHasAllBlocksAndItsRowsSideBySide) {
  AttentionShape shape;
  shape.heads = 1;
  shape.dim = 64;
  const std::string log = runTwice<float>(shape, Pattern::random(40, 30), 0);
  EXPECT_EQ(countOf(log, "launch "), 3) << log;
  EXPECT_EQ(countOf(log, " 1 1 block 128"), 3) << log;
}

TEST_F(AttentionProductTest, MatricesOfNothing) {
  AttentionShape shape;
  shape.dim = 8;
  runTwice<float>(shape, Pattern::empty(5, 7), 0);
  runTwice<double>(shape, Pattern::empty(5, 7), 0);
}

TEST_F(AttentionProductTest, WrongOperandsAreErrorsBeforeAnyLaunch) {
  AttentionShape shape;
  shape.dim = 8;
  const Problem<float> problem(shape, Pattern::random(20, 20));
  auto made = Attention::create(problem.pattern.view(), nullptr, shape,
                                compile(), place());
  ASSERT_TRUE(bool(made)) << made.message();
  float *q = upload(problem.q), *k = upload(problem.k), *v = upload(problem.v),
        *o = upload(problem.q), *lse = upload(std::vector<float>(20));
  std::vector<float> host(problem.q.size());
  takeLog();
  auto error = [&](const float *q, float *o, float *lse) {
    return (*made)->forwardOn(nullptr, {q, k, v}, o, lse).message();
  };
  EXPECT_NE(error(host.data(), o, lse).find("q: expected "), std::string::npos);
  EXPECT_EQ(error(q, q, lse),
            "q: expected memory apart from o's but got some that overlaps");
  EXPECT_EQ(error(q, o, o),
            "o: expected memory apart from lse's but got some that overlaps");
  EXPECT_NE(error(q, o + 1, lse).find("o: expected "), std::string::npos);
  EXPECT_NE(
      error(reinterpret_cast<float *>(reinterpret_cast<char *>(q) + 2), o, lse)
          .find("q: expected an address divisible by 4 but got one that ends "
                "in 2"),
      std::string::npos);
  EXPECT_EQ((*made)->forward({q, k, v}, o, lse).message(),
            "expected an attention of the host but got one on a device");
  EXPECT_EQ((*made)->backward({q, k, v}, q, lse, {o, k, v}).message(),
            "expected an attention of the host but got one on a device");
  auto onHost =
      Attention::create(problem.pattern.view(), nullptr, shape, compile());
  ASSERT_TRUE(bool(onHost));
  EXPECT_EQ((*onHost)->forwardOn(nullptr, {q, k, v}, o, lse).message(),
            "expected an attention on a device but got one of the host");
  EXPECT_EQ(takeLog().find("launch"), std::string::npos);
}

} // namespace
