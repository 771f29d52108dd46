//===- Arrange.cpp - the space that a matrix is partitioned in ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Reorder/Arrange.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Reorder/KnownNumberings.h"
#include "Tensor/Nonzeros.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace astfe::core {
namespace {

/// Nonzeros of each row, by its permuted index.
std::vector<int64_t> workByRow(const SparseView &view,
                               const std::vector<int64_t> &permutation) {
  std::vector<int64_t> work(size_t(view.shape[0]), 0);
  for (NonzeroBatches<int64_t> batch(view, 0, view.nonzeros()); batch.next();)
    for (int64_t i = 0; i < batch.size(); ++i) {
      auto row = size_t(batch.coordinates()[0][i]);
      ++work[permutation.empty() ? row : size_t(permutation[row])];
    }
  return work;
}

/// Where bands begin and end: equal shares of the work after the hubs.
std::vector<int64_t> bandsOf(int64_t hubs, ArrayRef<int64_t> work) {
  auto rows = int64_t(work.size());
  int64_t total = std::accumulate(work.begin() + hubs, work.end(), int64_t(0));
  std::vector<int64_t> bounds{hubs};
  int64_t before = 0;
  for (int64_t row = hubs; row < rows; ++row) {
    auto band = int64_t(bounds.size());
    if (row > bounds.back() && band < rules::kBands &&
        __int128(before) * rules::kBands >= __int128(total) * band)
      bounds.push_back(row);
    before += work[size_t(row)];
  }
  bounds.push_back(rows);
  return bounds;
}

/// The hub rows over a band's columns, then the band, for every band.
std::vector<Part> hubParts(ArrayRef<int64_t> shape, const Numbering &numbering,
                           const Part &whole) {
  const std::vector<int64_t> &bands = numbering.bands;
  int64_t hubs = numbering.hubRows;
  std::vector<Part> parts;
  auto add = [&](Part part, int64_t row, int64_t rows, int64_t column,
                 int64_t columns) {
    part.origin = {row, column};
    part.extents = {rows, columns};
    if (columns > 0)
      parts.push_back(std::move(part));
  };
  // The columns that band s lives in, where numbers go along the diagonal.
  auto columnAt = [&](size_t s) {
    return int64_t(__int128(shape[1]) * (bands[s] - hubs) / (shape[0] - hubs));
  };
  for (size_t s = 0; s + 1 < bands.size(); ++s) {
    add(Part(), 0, hubs, columnAt(s), columnAt(s + 1) - columnAt(s));
    add(whole, bands[s], bands[s + 1] - bands[s], 0, shape[1]);
  }
  return parts;
}

} // namespace

std::string arrangementName(const Arrangement &arrangement) {
  std::string name(orderName(arrangement.order));
  if (arrangement.reorder != ReorderKind::None)
    name += " after " + std::string(reorderName(arrangement.reorder));
  return name;
}

Result<Numbering> renumber(const SparseView &view, ReorderKind kind,
                           int64_t most) {
  Numbering numbering;
  if (kind == ReorderKind::None && most == kNoHubs)
    return numbering;
  if (Status status = view.check(); !status)
    return status.error();
  Result<Hubs> hubs = findHubs(view, most);
  if (!hubs)
    return hubs.error();
  auto permutations = reorder(view, kind, *hubs);
  if (!permutations)
    return permutations.error();
  numbering.hubRows = int64_t(hubs->rows.size());
  if (numbering.hubRows > 0)
    numbering.bands =
        bandsOf(numbering.hubRows, workByRow(view, (*permutations)[0]));
  if (llvm::any_of(*permutations, [](const auto &p) { return !p.empty(); }))
    numbering.permutations = std::move(*permutations);
  return numbering;
}

Result<Space> spaceOf(ArrayRef<int64_t> shape, const Numbering &numbering,
                      OrderKind order, unsigned panelLog2) {
  Result<Space> space = Space::whole(shape, order, panelLog2);
  if (!space)
    return space;
  space->permutations = numbering.permutations;
  if (numbering.hubRows > 0)
    space->parts = hubParts(shape, numbering, space->parts.front());
  return space;
}

Result<Space> arrange(const SparseView &view, const Arrangement &arrangement) {
  Result<Numbering> numbering =
      withinMemory({"out of memory reordering a matrix"}, [&] {
        return renumber(view, arrangement.reorder, arrangement.hubs);
      });
  if (!numbering)
    return numbering.error();
  return spaceOf(view.shape, *numbering, arrangement.order,
                 arrangement.panelLog2);
}

} // namespace astfe::core
