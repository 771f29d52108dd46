//===- LocalColumns.cpp - columns of 16 bits in wide matrices -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/LocalColumns.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Pack/ColumnRun.h"
#include "Tensor/Nonzeros.h"

namespace astfe::core {
namespace {

/// What runs store columns in.
using Narrow = std::numeric_limits<uint16_t>;

bool followsRows(const Space &space) {
  auto isEmpty = [](const auto &numbers) { return numbers.empty(); };
  return space.parts.size() == 1 && space.parts[0].kind == OrderKind::Rows &&
         std::all_of(space.permutations.begin(), space.permutations.end(),
                     isEmpty);
}

/// Whether the rows of Csr make at most `most` runs.
template <typename Index>
bool hasRuns(const SparseView &view, const Index *columns, int64_t most) {
  ColumnRun run(Narrow::digits);
  int64_t runs = 1;
  for (int64_t row = 0; row < view.shape[0] && runs <= most; ++row) {
    const int64_t begin = view.positions[row], end = view.positions[row + 1];
    if (begin == end)
      continue;
    const auto [least, greatest] =
        std::minmax_element(columns + begin, columns + end);
    if (!run.fits(*least, *greatest))
      return false;
    runs += run.add(*least, *greatest);
  }
  return runs <= most;
}

} // namespace

uint8_t bitsForRows(const SparseView &view, const Graph &graph) {
  const uint8_t all = bitsForColumns(view.shape[1]);
  if (all <= Narrow::digits || view.format != SparseFormat::Csr ||
      !followsRows(graph.space))
    return all;
  const int64_t most = std::max<int64_t>(1, view.nonzeros() / rules::kLocalRun);
  return withEntries(
             view.coordinates[0],
             [&](const auto *columns) { return hasRuns(view, columns, most); })
             ? uint8_t(Narrow::digits)
             : all;
}

} // namespace astfe::core
