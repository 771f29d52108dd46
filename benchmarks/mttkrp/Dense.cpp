//===- Dense.cpp - factors, and rows of them in vectors -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dense.h"
#include "Random.h"
#include <algorithm>
#include <cmath>
#include <new>
#include <sys/mman.h>

namespace astfe::bench {

/// Large pages, where the system has them: rows are read anywhere.
constexpr size_t kPage = size_t(1) << 21;

Rows::Rows(int64_t count) : size(count) {
  const size_t bytes = std::max<size_t>(size_t(count), 1) * sizeof(Row);
  const size_t whole = (bytes + kPage - 1) / kPage * kPage;
  auto *data = static_cast<Row *>(std::aligned_alloc(kPage, whole));
  if (!data)
    throw std::bad_alloc();
  madvise(data, whole, MADV_HUGEPAGE);
  std::memset(static_cast<void *>(data), 0, whole);
  rows.reset(data);
}

void Rows::Free::operator()(Row *data) const { std::free(data); }

core::CooTensor asCoo(const Tensor &tensor) {
  core::CooTensor result;
  result.shape = tensor.shape;
  for (const std::vector<int32_t> &mode : tensor.coordinates)
    result.coordinates.emplace_back(mode.begin(), mode.end());
  result.values.assign(size_t(tensor.nonzeros()), 1.0);
  return result;
}

Problem::Problem(core::CooTensor given) : tensor(std::move(given)) {
  Random random(7);
  for (int64_t n = 0; n < nonzeros(); ++n)
    values.push_back(random.value());
  for (int64_t extent : tensor.shape) {
    factors.emplace_back(extent);
    auto *entries = reinterpret_cast<float *>(factors.back().data());
    for (int64_t i = 0; i < extent * kRank; ++i)
      entries[i] = random.value();
  }
}

std::vector<double> Problem::reference(unsigned key) const {
  std::vector<double> result(size_t(tensor.shape[key] * kRank), 0.0);
  auto [a, b] = others(key);
  for (int64_t n = 0; n < nonzeros(); ++n)
    for (int64_t r = 0; r < kRank; ++r)
      result[size_t(tensor.coordinates[key][size_t(n)] * kRank + r)] +=
          double(values[size_t(n)]) *
          double(factors[a].at(tensor.coordinates[a][size_t(n)], r)) *
          double(factors[b].at(tensor.coordinates[b][size_t(n)], r));
  return result;
}

double worstError(const Rows &rows, const std::vector<double> &expected) {
  double worst = 0, largest = 1e-30;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double got = double(rows.floats()[i]);
    // Written so that what is no number is an error too.
    if (!(std::abs(got - expected[i]) <= worst))
      worst = std::abs(got - expected[i]);
    largest = std::max(largest, std::abs(expected[i]));
  }
  return worst / largest;
}

} // namespace astfe::bench
