//===- Problem.cpp - operands, reference and error of one product ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/RelativeError.h"
#include "ASTFE/Core/Tensor/Frostt.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace astfe::run {

Dense Dense::zero(int64_t rows, int64_t columns, bool isDouble) {
  Dense d;
  d.rows = rows;
  d.columns = columns;
  d.isDouble = isDouble;
  d.values32.assign(isDouble ? 0 : rows * columns, 0);
  d.values64.assign(isDouble ? rows * columns : 0, 0);
  return d;
}

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
static uint64_t splitMix(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

Dense Dense::random(int64_t rows, int64_t columns, bool isDouble,
                    uint64_t seed) {
  Dense d = zero(rows, columns, isDouble);
  for (int64_t i = 0, n = rows * columns; i < n; ++i) {
    double x = double(splitMix(seed) >> 40) * 0x1p-23 - 1;
    if (isDouble)
      d.values64[i] = x;
    else
      d.values32[i] = float(x);
  }
  return d;
}

void Dense::fill(uint32_t word) {
  auto set = [&](auto &values) {
    auto *words = reinterpret_cast<char *>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(values[0]); i += sizeof(word))
      std::memcpy(words + i, &word, sizeof(word));
  };
  set(values32);
  set(values64);
}

core::SparseView Problem::view() const {
  return core::SparseView::csr(
      rows, columns,
      core::IndexArray(positions.data(), int64_t(positions.size())),
      core::IndexArray(coordinates.data(), nonzeros()));
}

/// Positions and coordinates have 32 bits here.
static bool fitsIndices(int64_t rows, int64_t columns, int64_t nonzeros) {
  return std::max({rows, columns, nonzeros}) <=
         std::numeric_limits<int32_t>::max();
}

static core::Error tooLarge(const Settings &settings) {
  return {settings.matrix +
          ": expected fewer than 2^31 rows, columns and nonzeros"};
}

core::Result<Problem> readProblem(const Settings &settings) {
  core::ReadOptions options;
  options.duplicates = settings.duplicates;
  auto tensor = core::readTensor(settings.matrix, options);
  if (!tensor)
    return tensor.error();
  if (tensor->shape.size() != 2)
    return core::Error{settings.matrix + ": expected a matrix but got " +
                       std::to_string(tensor->shape.size()) + " modes"};
  if (!fitsIndices(tensor->shape[0], tensor->shape[1],
                   int64_t(tensor->values.size())))
    return tooLarge(settings);
  auto csr = core::toCsr(*tensor);
  if (!csr)
    return core::Error{settings.matrix + ": " + csr.message()};
  return makeProblem(settings, *csr);
}

core::Result<Problem> makeProblem(const Settings &settings,
                                  const core::CsrMatrix &csr) {
  if (!fitsIndices(csr.rows, csr.columns, csr.positions.back()))
    return tooLarge(settings);
  Problem p;
  p.rows = csr.rows;
  p.columns = csr.columns;
  p.positions.assign(csr.positions.begin(), csr.positions.end());
  p.coordinates.assign(csr.coordinates.begin(), csr.coordinates.end());
  p.values = Dense::zero(p.nonzeros(), 1, settings.isDouble);
  for (int64_t i = 0; i < p.nonzeros(); ++i) {
    if (settings.isDouble)
      p.values.values64[i] = csr.values[i];
    else
      p.values.values32[i] = float(csr.values[i]);
  }
  if (p.columns &&
      settings.columns > INT64_MAX / 8 / std::max(p.rows, p.columns))
    return core::Error{"--cols: the dense operand exceeds the address space"};
  p.operand = Dense::random(p.columns, settings.columns, settings.isDouble,
                            settings.seed);
  return p;
}

/// compare() for rows [first, last).
static Difference compareRows(const Problem &problem, const Dense &result,
                              int64_t first, int64_t last) {
  const int64_t n = problem.operand.columns;
  const double unit = result.isDouble ? 0x1p-53 : 0x1p-24;
  Difference difference;
  std::vector<double> sum(n), magnitude(n);
  for (int64_t i = first; i < last; ++i) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(magnitude.begin(), magnitude.end(), 0.0);
    const int64_t begin = problem.positions[i], end = problem.positions[i + 1];
    for (int64_t k = begin; k < end; ++k) {
      const double a = problem.values.at(k);
      const int64_t row = problem.coordinates[k] * n;
      for (int64_t j = 0; j < n; ++j) {
        const double term = a * problem.operand.at(row + j);
        sum[j] += term;
        magnitude[j] += std::fabs(term);
      }
    }
    const double bound = double(end - begin + 2) * unit;
    for (int64_t j = 0; j < n; ++j) {
      const double error =
          core::relativeError(result.at(i * n + j), sum[j], magnitude[j]);
      difference.maxRelative = std::max(difference.maxRelative, error);
      difference.passed &= error <= bound;
    }
  }
  return difference;
}

Difference compare(const Problem &problem, const Dense &result,
                   unsigned threads) {
  constexpr int64_t Chunk = 1024;
  const int64_t chunks = (problem.rows + Chunk - 1) / Chunk;
  std::vector<Difference> parts(chunks);
  core::parallelFor(chunks, threads, [&](int64_t i) {
    parts[i] = compareRows(problem, result, i * Chunk,
                           std::min((i + 1) * Chunk, problem.rows));
  });
  Difference all;
  for (const Difference &part : parts) {
    all.maxRelative = std::max(all.maxRelative, part.maxRelative);
    all.passed &= part.passed;
  }
  return all;
}

} // namespace astfe::run
