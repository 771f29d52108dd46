//===- HiddenReuse.cpp - whether a reordering can find anything -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A. Z. Broder, "On the resemblance and containment of documents",
// Compression and Complexity of Sequences, 1997.
//
//===----------------------------------------------------------------------===//

#include "Plan/HiddenReuse.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Tensor/Nonzeros.h"
#include <algorithm>

namespace astfe::core {
namespace {

class Looker {
public:
  explicit Looker(const SparseView &view)
      : view(view), seen(size_t(view.shape[1]), 0) {}

  double hidden() {
    withEntries(view.coordinates[0],
                [&](const auto *columns) { findLeast(columns); });
    const int64_t columns = view.shape[1];
    // A stride that is coprime to most numbers of columns spreads the sample.
    constexpr int64_t kStride = 1000003;
    std::vector<int64_t> rows;
    int64_t column = 0;
    for (int64_t i = 0; i < columns && nonzeros < rules::kReuseSample; ++i) {
      column = (column + kStride) % columns;
      rows.clear();
      for (int64_t row = first[size_t(column)];
           row >= 0 && rows.size() < rules::kReuseRows; row = next[size_t(row)])
        rows.push_back(row);
      if (rows.size() > 1)
        compare(rows);
    }
    if (nonzeros == 0 || neighbors == 0)
      return 0;
    return double(met) / double(nonzeros) -
           double(metByNeighbors) / double(neighbors);
  }

private:
  /// The rows by their columns of least hash, as lists.
  template <typename Index>
  void findLeast(const Index *columns) {
    const int64_t rows = view.shape[0];
    first.assign(size_t(view.shape[1]), -1);
    next.assign(size_t(rows), -1);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t begin = view.positions[row], end = view.positions[row + 1];
      if (begin == end)
        continue;
      uint32_t least = ~0u;
      for (int64_t k = begin; k < end; ++k)
        least = std::min(least, hashOf(uint32_t(columns[k])));
      const uint32_t at = hashed(least);
      next[size_t(row)] = first[size_t(at)];
      first[size_t(at)] = row;
    }
  }

  /// What hashOf, a permutation of 32 bits, made x of.
  static uint32_t hashed(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x43021123u;
    x = (x ^ (x >> 15) ^ (x >> 30)) * 0x1d69e2a5u;
    return x ^ (x >> 16);
  }
  static uint32_t hashOf(uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
  }

  void compare(ArrayRef<int64_t> rows) {
    ++stamp;
    for (int64_t row : rows)
      meet(row, nonzeros, met);
    ++stamp;
    const int64_t last = view.shape[0] - int64_t(rows.size());
    const int64_t begin = std::min(rows.front(), last);
    for (size_t i = 0; i < rows.size(); ++i)
      meet(begin + int64_t(i), neighbors, metByNeighbors);
  }

  void meet(int64_t row, int64_t &all, int64_t &known) {
    const int64_t begin = view.positions[row], end = view.positions[row + 1];
    all += end - begin;
    for (int64_t k = begin; k < end; ++k) {
      uint32_t &last = seen[size_t(view.coordinates[0][k])];
      known += last == stamp;
      last = stamp;
    }
  }

  const SparseView &view;
  /// The rows of a column, as a list: the first, and the next of each row.
  std::vector<int64_t> first, next;
  std::vector<uint32_t> seen;
  uint32_t stamp = 0;
  int64_t nonzeros = 0, met = 0, neighbors = 0, metByNeighbors = 0;
};

} // namespace

double hiddenReuse(const SparseView &view) {
  return view.nonzeros() == 0 ? 0 : Looker(view).hidden();
}

} // namespace astfe::core
