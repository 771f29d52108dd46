//===- ChainPattern.cpp - a pattern that kernels of chains view -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Product/ChainPattern.h"
#include <algorithm>
#include <limits>

using namespace astfe;
using namespace astfe::product;

core::Result<ChainPattern> ChainPattern::copy(const core::SparseView &view) {
  if (view.format != core::SparseFormat::Csr)
    return core::Error{"expected a matrix in compressed rows but got " +
                       std::string(core::formatName(view.format))};
  if (std::max({view.shape[0], view.shape[1], view.nonzeros()}) >=
      std::numeric_limits<int32_t>::max())
    return core::Error{
        "expected fewer than 2^31 - 1 rows, columns and nonzeros but got " +
        std::to_string(view.shape[0]) + " x " + std::to_string(view.shape[1]) +
        " with " + std::to_string(view.nonzeros())};
  ChainPattern pattern;
  pattern.rows = view.shape[0];
  pattern.columns = view.shape[1];
  pattern.positions.resize(size_t(pattern.rows) + 1);
  for (int64_t i = 0; i <= pattern.rows; ++i)
    pattern.positions[size_t(i)] = int32_t(view.positions[i]);
  pattern.coordinates.resize(size_t(view.nonzeros()));
  for (int64_t n = 0; n < view.nonzeros(); ++n)
    pattern.coordinates[size_t(n)] = int32_t(view.coordinates[0][n]);
  return pattern;
}

ChainPattern ChainPattern::transposed(std::vector<int32_t> &order) const {
  ChainPattern result;
  result.rows = columns;
  result.columns = rows;
  result.positions.assign(size_t(columns) + 1, 0);
  for (int32_t column : coordinates)
    ++result.positions[size_t(column) + 1];
  for (size_t j = 1; j < result.positions.size(); ++j)
    result.positions[j] += result.positions[j - 1];
  std::vector<int32_t> next(result.positions.begin(),
                            result.positions.end() - 1);
  result.coordinates.resize(coordinates.size());
  order.resize(coordinates.size());
  for (int64_t i = 0; i < rows; ++i)
    for (int32_t n = positions[size_t(i)]; n < positions[size_t(i) + 1]; ++n) {
      const auto k = size_t(next[size_t(coordinates[size_t(n)])]++);
      result.coordinates[k] = int32_t(i);
      order[k] = n;
    }
  return result;
}

int64_t ChainPattern::longestRow() const {
  int32_t longest = 0;
  for (size_t i = 1; i < positions.size(); ++i)
    longest = std::max(longest, positions[i] - positions[i - 1]);
  return longest;
}

void ChainPattern::pass(PackedCall &call, const Arrays &arrays) const {
  auto vector = [&](const void *data, size_t size) {
    call.passBuffer(describe(const_cast<void *>(data), {int64_t(size)}));
  };
  vector(arrays.positions, positions.size());
  vector(arrays.coordinates, coordinates.size());
  vector(arrays.values, coordinates.size());
  call.passNumber(rows);
  call.passNumber(columns);
}
