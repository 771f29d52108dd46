//===- Samples.cpp - matrices to check with -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Samples.h"
#include <algorithm>
#include <random>

namespace astfe::gpucheck {

core::SparseView Sample::view() const {
  return core::SparseView::csr(
      rows, columns,
      core::IndexArray(positions.data(), int64_t(positions.size())),
      core::IndexArray(coordinates.data(), int64_t(coordinates.size())));
}

namespace {

/// Appends rows; columns may come in any order and twice.
class Builder {
public:
  Builder(std::string name, int64_t rows, int64_t columns, uint64_t seed)
      : random(seed) {
    sample = {std::move(name), rows, columns, {0}, {}, {}};
  }

  void addRow(std::vector<int32_t> columns) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (int32_t column : columns) {
      sample.coordinates.push_back(column);
      sample.values.push_back(uniform() * 2 - 1);
    }
    sample.positions.push_back(int32_t(sample.coordinates.size()));
  }
  /// In [0, 1), and the same on every machine.
  double uniform() { return double(random() >> 11) * 0x1p-53; }
  int32_t below(int64_t end) { return int32_t(uniform() * double(end)); }
  std::vector<int32_t> some(int64_t count) {
    std::vector<int32_t> columns;
    for (int64_t i = 0; i < count; ++i)
      columns.push_back(below(sample.columns));
    return columns;
  }

  Sample sample;

private:
  std::mt19937_64 random;
};

std::vector<int32_t> range(int64_t begin, int64_t end) {
  std::vector<int32_t> columns;
  for (int64_t i = begin; i < end; ++i)
    columns.push_back(int32_t(i));
  return columns;
}

/// Few rows hold most, every seventh none, and one all columns.
Sample uneven() {
  Builder builder("uneven", 311, 251, 1);
  for (int64_t row = 0; row < 311; ++row) {
    const auto length = int64_t(3 / (builder.uniform() + 0.02));
    builder.addRow(row == 5       ? range(0, 251)
                   : row % 7 == 3 ? std::vector<int32_t>()
                                  : builder.some(length));
  }
  return builder.sample;
}

/// Blocks of 16 x 16 on the diagonal, and a few beside them.
Sample blocks() {
  Builder builder("blocks", 240, 250, 2);
  for (int64_t row = 0; row < 240; ++row) {
    std::vector<int32_t> columns = range(row / 16 * 16, row / 16 * 16 + 16);
    columns.push_back(builder.below(250));
    builder.addRow(columns);
  }
  return builder.sample;
}

/// Columns that 16 bits hold, and a row that many warps share.
Sample wide() {
  Builder builder("wide", 90, 40000, 3);
  for (int64_t row = 0; row < 90; ++row)
    builder.addRow(builder.some(row == 41 ? 4000 : 12));
  return builder.sample;
}

} // namespace

std::vector<Sample> samples() {
  Sample one{"one", 1, 1, {0, 1}, {0}, {0.5}};
  Sample nothing{"nothing", 33, 9, std::vector<int32_t>(34, 0), {}, {}};
  return {one, nothing, uneven(), blocks(), wide()};
}

Sample uniform(int64_t rows, int64_t columns, int64_t each, uint64_t seed) {
  Builder builder("uniform", rows, columns, seed);
  for (int64_t row = 0; row < rows; ++row)
    builder.addRow(builder.some(each));
  return builder.sample;
}

Sample rmat(unsigned scale, int64_t nonzeros, uint64_t seed) {
  const int64_t extent = int64_t(1) << scale;
  Builder builder("rmat", extent, extent, seed);
  std::vector<std::pair<int32_t, int32_t>> cells;
  for (int64_t n = 0; n < nonzeros; ++n) {
    int32_t row = 0, column = 0;
    for (unsigned bit = 0; bit < scale; ++bit) {
      const double at = builder.uniform();
      row = row * 2 + (at >= 0.76);
      column = column * 2 + ((at >= 0.57 && at < 0.76) || at >= 0.95);
    }
    cells.emplace_back(row, column);
  }
  std::sort(cells.begin(), cells.end());
  auto next = cells.begin();
  for (int64_t row = 0; row < extent; ++row) {
    std::vector<int32_t> columns;
    for (; next != cells.end() && next->first == row; ++next)
      columns.push_back(next->second);
    builder.addRow(columns);
  }
  return builder.sample;
}

Sample mesh(int64_t side) {
  Builder builder("mesh", side * side, side * side, 1);
  for (int64_t y = 0; y < side; ++y)
    for (int64_t x = 0; x < side; ++x) {
      std::vector<int32_t> columns;
      auto add = [&](int64_t v, int64_t u) {
        if (v >= 0 && v < side && u >= 0 && u < side)
          columns.push_back(int32_t(v * side + u));
      };
      for (int64_t step : {-1, 0, 1})
        add(y + step, x);
      add(y, x - 1);
      add(y, x + 1);
      builder.addRow(columns);
    }
  return builder.sample;
}

Sample pruned(int64_t rows, int64_t columns, double density, uint64_t seed) {
  Builder builder("pruned", rows, columns, seed);
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int32_t> kept;
    for (int64_t column = 0; column < columns; ++column)
      if (builder.uniform() < density)
        kept.push_back(int32_t(column));
    builder.addRow(kept);
  }
  return builder.sample;
}

} // namespace astfe::gpucheck
