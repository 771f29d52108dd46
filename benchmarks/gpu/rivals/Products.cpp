//===- Products.cpp - products that are raced -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "ASTFE/Core/Tensor/Frostt.h"

#include <algorithm>
#include <cerrno> // program_invocation_short_name
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

using namespace astfe;
using namespace astfe::bench;

void bench::fail(const std::string &message) {
  std::fprintf(stderr, "%s: error: %s\n", program_invocation_short_name,
               message.c_str());
  std::exit(1);
}

Product::Product(const Matrix &a, int64_t columns)
    : a(a), columns(columns), b(size_t(a.columns * columns)),
      c(size_t(a.rows * columns)), size(c.size()) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> distribution(-1, 1);
  for (float &value : b)
    value = distribution(random);
  for (int64_t row = 0; row < a.rows; ++row)
    for (int32_t n = a.positions[size_t(row)]; n < a.positions[size_t(row) + 1];
         ++n)
      for (int64_t j = 0; j < columns; ++j) {
        const double term =
            double(a.values[size_t(n)]) *
            double(b[size_t(a.coordinates[size_t(n)] * columns + j)]);
        c[size_t(row * columns + j)] += term;
        size[size_t(row * columns + j)] += std::abs(term);
      }
}

void Product::check(const std::string &who, const float *result) const {
  // Sums of n terms in f32, in any order: n roundings of 2^-24, and one more.
  int64_t longest = 0;
  for (size_t row = 0; row + 1 < a.positions.size(); ++row)
    longest =
        std::max<int64_t>(longest, a.positions[row + 1] - a.positions[row]);
  const double bound = double(longest + 1) * std::ldexp(1.0, -24);
  for (size_t i = 0; i < c.size(); ++i)
    if (!(std::abs(double(result[i]) - c[i]) <= bound * size[i]))
      fail(who + ": expected " + std::to_string(c[i]) + " at element " +
           std::to_string(i) + " but got " + std::to_string(result[i]));
}

static Matrix readMatrix(const std::string &path) {
  auto read = core::readTensor(path);
  if (!read)
    fail(read.message());
  auto csr = core::toCsr(*read);
  if (!csr)
    fail(csr.message());
  Matrix matrix;
  matrix.rows = csr->rows;
  matrix.columns = csr->columns;
  matrix.positions.assign(csr->positions.begin(), csr->positions.end());
  matrix.coordinates.assign(csr->coordinates.begin(), csr->coordinates.end());
  matrix.values.assign(csr->values.begin(), csr->values.end());
  return matrix;
}

std::vector<Named> bench::matricesOf(const std::vector<std::string> &classes,
                                     const std::vector<std::string> &files,
                                     int64_t nonzeros) {
  std::vector<Named> result;
  std::set<std::string> wanted(classes.begin(), classes.end());
  const bool all = wanted.empty() && files.empty();
  for (MatrixClass kind : matrixClasses())
    if (wanted.erase(className(kind)) != 0 || all)
      result.push_back({className(kind), generate(kind, nonzeros)});
  if (!wanted.empty())
    fail("expected a class of matrices but got '" + *wanted.begin() + "'");
  for (const std::string &path : files)
    result.push_back(
        {std::filesystem::path(path).stem().string(), readMatrix(path)});
  return result;
}
