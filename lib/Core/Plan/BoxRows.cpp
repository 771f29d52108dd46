//===- BoxRows.cpp - rows that boxes of a matrix touch --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/BoxRows.h"
#include "ASTFE/Core/Graph/Traffic.h"
#include "Tensor/Nonzeros.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace astfe::core {

BoxRows boxRows(const SparseView &view, unsigned log2, int64_t sample) {
  const int64_t side = int64_t(1) << log2, nonzeros = view.nonzeros();
  const int64_t rows = view.shape[0], columns = view.shape[1];
  if (nonzeros == 0)
    return {};
  const int64_t bands = (rows + side - 1) >> log2;
  const auto taken = std::clamp<int64_t>(
      int64_t(double(bands) * double(sample) / double(nonzeros)), 1, bands);
  std::vector<int64_t> counts(size_t((columns + side - 1) >> log2)), touched;
  double touchedRows = 0, touchedColumns = 0;
  int64_t counted = 0;
  auto countBand = [&](const auto *coordinates, int64_t first, int64_t last) {
    for (int64_t k = view.positions[first]; k < view.positions[last]; ++k) {
      const auto box = int64_t(coordinates[k]) >> log2;
      if (counts[size_t(box)]++ == 0)
        touched.push_back(box);
    }
    for (int64_t box : touched) {
      int64_t &count = counts[size_t(box)];
      touchedRows += cardenas(last - first, count);
      touchedColumns += cardenas(std::min(side, columns - box * side), count);
      counted += std::exchange(count, 0);
    }
    touched.clear();
  };
  withEntries(view.coordinates[0], [&](const auto *coordinates) {
    for (int64_t i = 0; i < taken; ++i) {
      const int64_t first = i * bands / taken * side;
      countBand(coordinates, first, std::min(first + side, rows));
    }
  });
  const double scale = double(nonzeros) / double(std::max<int64_t>(counted, 1));
  return {int64_t(touchedRows * scale), int64_t(touchedColumns * scale)};
}

} // namespace astfe::core
