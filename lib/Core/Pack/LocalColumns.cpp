//===- LocalColumns.cpp - columns of 16 bits in wide matrices -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/LocalColumns.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "Pack/ColumnRun.h"
#include "Tensor/Nonzeros.h"
#include "Tensor/RowMajor.h"
#include <limits>

namespace astfe::core {
namespace {

/// What runs store columns in.
using Narrow = std::numeric_limits<uint16_t>;

/// Whether the rows of Csr, in which columns ascend, make few runs.
template <typename Index>
bool hasRuns(const SparseView &view, const Index *columns) {
  const int64_t most = ColumnRun::most(view.nonzeros());
  ColumnRun run(Narrow::digits);
  int64_t runs = 1;
  for (int64_t row = 0; row < view.shape[0] && runs <= most; ++row) {
    const int64_t begin = view.positions[row], end = view.positions[row + 1];
    if (begin == end)
      continue;
    if (!run.fits(columns[begin], columns[end - 1]))
      return false;
    runs += run.add(columns[begin], columns[end - 1]);
  }
  return runs <= most;
}

} // namespace

uint8_t bitsForRows(const SparseView &view, const Graph &graph,
                    unsigned threads) {
  const uint8_t all = bitsForColumns(view.shape[1]);
  if (all <= Narrow::digits || view.format != SparseFormat::Csr ||
      !graph.space.isByRows() || graph.space.isRenumbered() ||
      !isRowMajor(view, threads))
    return all;
  const bool has = withEntries(view.coordinates[0], [&](const auto *columns) {
    return hasRuns(view, columns);
  });
  return has ? uint8_t(Narrow::digits) : all;
}

} // namespace astfe::core
