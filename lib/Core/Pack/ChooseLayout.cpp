//===- ChooseLayout.cpp - how a pattern is stored, by what uses it -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "Pack/Classes/BlockClass.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace astfe::core {

ClassSet classesThatPay(const DenseUse &use) {
  ClassSet classes;
  for (SegmentClass kind : ClassSet::all().list())
    if (auto pays = blockClass(kind).pays; pays && pays(use))
      classes = classes.with(kind);
  return classes;
}

/// What is added to a row of the output is read for that, while what is only
/// written need not come from memory: 300,000 nonzeros, each in a row of its
/// own but few, of a million rows of 64 and 128 columns of f32 take 1.7 and 1.5
/// times as long one by one as by rows (docs/Log.md).
static bool areWide(const DenseUse &use) {
  return use.known > 0 && use.least > rules::kSortedBytes;
}

void chooseForHost(Layout &layout, const DenseUse &use) {
  layout.target = PackTarget::Host;
  layout.columnTile = Layout().columnTile;
  for (SegmentClass kind : classesThatPay(use).list())
    layout.classes = layout.classes.with(kind);
  if (areWide(use) && layout.classes.contains(SegmentClass::RowSegments))
    layout.classes = layout.classes.without(SegmentClass::Scattered);
  // One number for all, so that products of several widths share a pattern.
  if (use.known > 0 && use.most <= rules::kSortedBytes)
    layout.denseBytes = rules::kSortedBytes;
  if (use.least < kWindowedBytes)
    return;
  if (use.most <= kWindowedBytes)
    layout.windowColumns = kWidestWindow;
  // Only kernels for a known number of columns take strips of them.
  if (use.known > kStripBytes)
    layout.denseBytes = use.known;
}

void chooseForGPU(Layout &layout, int64_t columnTile) {
  layout.target = PackTarget::GPU;
  layout.classes = layout.classes & ClassSet::general();
  layout.windowColumns = Layout().windowColumns;
  layout.denseBytes = Layout().denseBytes;
  layout.columnTile = columnTile;
}

uint8_t bitsForColumns(int64_t columns) {
  if (columns <= 0)
    return 32;
  return columns <= 256 ? 8 : columns <= 65536 ? 16 : 32;
}

int64_t widestGroup(const Graph &graph) {
  const Space &space = graph.space;
  auto isPermuted = [](const auto &permutation) {
    return !permutation.empty();
  };
  if (space.rank() != 2 || space.parts.size() != 1 ||
      std::any_of(space.permutations.begin(), space.permutations.end(),
                  isPermuted))
    return 0;
  int64_t widest = 0;
  for (size_t g = 0; g != graph.groupCount(); ++g) {
    int64_t first = space.shape[1], last = 0;
    for (int64_t i = graph.groups[g]; i != graph.groups[g + 1]; ++i) {
      Box box = graph.box(size_t(i));
      first = std::min(first, box.lower[1]);
      last =
          std::max(last, std::min(space.shape[1],
                                  box.lower[1] + (int64_t(1) << box.log2[1])));
    }
    widest = std::max(widest, last - first);
  }
  return widest;
}

double fullestBlock(const Graph &graph) {
  double fullest = 0;
  for (size_t i = 0; i != graph.size(); ++i) {
    Box box = graph.box(i);
    double cells = 1;
    for (unsigned k = 0; k != box.rank; ++k) {
      int64_t end = box.lower[k] + (int64_t(1) << box.log2[k]);
      cells *= double(std::min(end, graph.space.shape[k]) - box.lower[k]);
    }
    fullest = std::max(fullest, double(graph.nonzeros[i]) / cells);
  }
  return fullest;
}

int64_t chooseColumnTile(std::optional<int64_t> columns, unsigned elementBytes,
                         bool gpu) {
  if (!columns)
    return 0;
  if (!gpu)
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(*columns),
                               rules::kLeastHostTile, kWidestTile);
  // A lane loads at most 16 bytes at once, and whole vectors: rows begin with
  // one where these divide the columns.
  constexpr int64_t kLanes = rules::kWarpLanes;
  int64_t largest = kLanes * rules::kWidestLoad / std::max(4u, elementBytes);
  for (int64_t tile = largest; tile > kLanes; tile /= 2)
    if (*columns >= tile && *columns % (tile / kLanes) == 0)
      return tile;
  return kLanes;
}

std::optional<int64_t> teamLanes(int64_t columns, unsigned widestBytes) {
  if (columns == 1)
    return 1;
  const int64_t vector = rules::kWidestLoad / int64_t(widestBytes);
  if (columns < vector || columns > rules::kWarpLanes ||
      columns > vector * rules::kWarpLanes / 4 ||
      !llvm::isPowerOf2_64(uint64_t(columns)))
    return std::nullopt;
  return columns / vector;
}

unsigned teamsOfRow(int64_t rows, int64_t nonzeros, int64_t lanes,
                    int64_t warps) {
  const uint64_t some = uint64_t(std::max<int64_t>(1, rows));
  const auto mean = int64_t(llvm::divideCeil(uint64_t(nonzeros), some));
  // Whether all rows are resident, each of 2^log teams.
  auto fits = [&](unsigned log) {
    return int64_t(some) <= warps * rules::kWarpLanes / (lanes << log);
  };
  const auto all = llvm::Log2_64(uint64_t(rules::kWarpLanes / lanes));
  if (!stagesGPUTeam(lanes) && fits(all))
    return all;
  auto isLong = [&](unsigned log) {
    const int64_t most = nonzerosOfGPUTeam(lanes) << log;
    if (fits(log + 1))
      return mean > most / 2;
    return mean > (fits(log) || !stagesGPUTeam(lanes) ? most : 2 * most);
  };
  unsigned log = 0;
  while (log < all && isLong(log))
    ++log;
  return log;
}

bool suitsGPUView(const SparseView &view, int64_t lanes, int64_t warps) {
  if (view.format != SparseFormat::Csr)
    return false;
  const int64_t rows = view.shape[0];
  const unsigned log = teamsOfRow(rows, view.nonzeros(), lanes, warps);
  const int64_t together = rules::kWarpLanes / (lanes << log);
  const int64_t most = rules::kTeamRounds * nonzerosOfGPUTeam(lanes) << log;
  const int64_t ofWarp = nonzerosOfGPUTeam(lanes) * rules::kWarpLanes / lanes;
  int64_t rounds = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (row % together == 0)
      rounds = 0;
    const int64_t length = view.positions[row + 1] - view.positions[row];
    if (length > most)
      rounds += (length - 1) / ofWarp + 1;
    if (rounds > rules::kPieceRounds)
      return false;
  }
  return true;
}

int64_t smallestGPUPiece(int64_t lanes) {
  return rules::kPieceRounds * rules::kInFlight * (rules::kWarpLanes / lanes);
}

int64_t longGPURow(int64_t nonzeros, int64_t lanes, int64_t warps) {
  const auto share =
      int64_t(llvm::divideCeil(uint64_t(nonzeros), uint64_t(warps)));
  return rules::kChainPieces * std::max(share, smallestGPUPiece(lanes));
}

} // namespace astfe::core
