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
  core::IndexArray ends(positions.data(), int64_t(positions.size())),
      stored(coordinates.data(), nonzeros());
  return transposed ? core::SparseView::csc(columns, rows, ends, stored)
                    : core::SparseView::csr(rows, columns, ends, stored);
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
  p.transposed = settings.transpose;
  p.operand = Dense::random(p.depth(), settings.columns, settings.isDouble,
                            settings.seed);
  if (settings.kernel == Kernel::SDDMM)
    p.left = Dense::random(p.rows, settings.columns, settings.isDouble,
                           settings.seed + 1);
  return p;
}

Dense emptyResult(const Problem &problem, const Settings &settings) {
  if (problem.isSampled())
    return Dense::zero(problem.nonzeros(), 1, settings.isDouble);
  return Dense::zero(problem.resultRows(), settings.columns, settings.isDouble);
}

/// Largest errors so far, and one more.
static void note(Difference &difference, double error, double bound) {
  difference.maxRelative = std::max(difference.maxRelative, error);
  difference.passed &= error <= bound;
}

/// compare() for the samples of rows [first, last).
static Difference compareSamples(const Problem &problem, const Dense &result,
                                 int64_t first, int64_t last) {
  const int64_t n = problem.left.columns;
  const double bound = double(n + 2) * (result.isDouble ? 0x1p-53 : 0x1p-24);
  Difference difference;
  for (int64_t i = first; i < last; ++i)
    for (int64_t k = problem.positions[i]; k < problem.positions[i + 1]; ++k) {
      const double a = problem.values.at(k);
      double sum = 0, magnitude = 0;
      for (int64_t j = 0; j < n; ++j) {
        const double term = a * problem.left.at(i * n + j) *
                            problem.operand.at(problem.coordinates[k] * n + j);
        sum += term;
        magnitude += std::fabs(term);
      }
      note(difference, core::relativeError(result.at(k), sum, magnitude),
           bound);
    }
  return difference;
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
    for (int64_t j = 0; j < n; ++j)
      note(difference,
           core::relativeError(result.at(i * n + j), sum[j], magnitude[j]),
           bound);
  }
  return difference;
}

/// A^T in rows, for the reference.
static Problem transposeOf(const Problem &problem) {
  Problem p;
  p.rows = problem.columns;
  p.columns = problem.rows;
  p.operand = problem.operand;
  p.positions.assign(size_t(p.rows) + 2, 0);
  for (int32_t column : problem.coordinates)
    ++p.positions[size_t(column) + 2];
  for (size_t i = 2; i < p.positions.size(); ++i)
    p.positions[i] += p.positions[i - 1];
  p.coordinates.resize(problem.coordinates.size());
  p.values = Dense::zero(problem.nonzeros(), 1, problem.values.isDouble);
  for (int64_t i = 0; i < problem.rows; ++i)
    for (int64_t k = problem.positions[i]; k < problem.positions[i + 1]; ++k) {
      const auto at = size_t(p.positions[problem.coordinates[k] + 1]++);
      p.coordinates[at] = int32_t(i);
      if (problem.values.isDouble)
        p.values.values64[at] = problem.values.values64[k];
      else
        p.values.values32[at] = problem.values.values32[k];
    }
  p.positions.pop_back();
  return p;
}

Difference compare(const Problem &problem, const Dense &result,
                   unsigned threads) {
  if (problem.transposed)
    return compare(transposeOf(problem), result, threads);
  constexpr int64_t Chunk = 1024;
  const int64_t chunks = (problem.rows + Chunk - 1) / Chunk;
  std::vector<Difference> parts(chunks);
  core::parallelFor(chunks, threads, [&](int64_t i) {
    parts[i] = (problem.isSampled() ? compareSamples : compareRows)(
        problem, result, i * Chunk, std::min((i + 1) * Chunk, problem.rows));
  });
  Difference all;
  for (const Difference &part : parts) {
    all.maxRelative = std::max(all.maxRelative, part.maxRelative);
    all.passed &= part.passed;
  }
  return all;
}

} // namespace astfe::run
