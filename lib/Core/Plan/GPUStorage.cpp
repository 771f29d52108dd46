//===- GPUStorage.cpp - a view or a pattern, on a GPU ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/GPUStorage.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace astfe::core {

std::optional<int64_t> GPUProducts::lanes() const {
  // What is narrower is summed up in 32 bits, so that sums are widest.
  const int64_t bytes = std::max<int64_t>(4, elementBytes(result));
  return teamLanes(columns, unsigned(bytes));
}

/// Whether rows are no more than the warps, and none is long enough to be cut.
/// A warp waits for three loads at the begin of a row and for five of a packed
/// pattern, which can only balance so few rows by cutting them. Measured on an
/// H200 (docs/GPU.md).
static bool hasFewWholeRows(const SparseView &view,
                            const GPUProducts &products) {
  return view.format == SparseFormat::Csr && view.shape[0] <= products.warps &&
         !cutsGPURows(longestRun(view.positions), view.nonzeros(), products);
}

/// Whether a warp reads all nonzeros of any row at once. Then a row is three
/// loads that wait for each other, as above, and none keeps its warp for long.
/// A packed pattern has them once for 32 rows, and its warps have rows beside
/// each other, so that it is as fast where a warp has several (docs/GPU.md).
static bool hasShortRows(const SparseView &view, const GPUProducts &products) {
  const int64_t tiles =
      columnTiles(products.columns,
                  chooseColumnTile(products.columns,
                                   unsigned(elementBytes(products.result)),
                                   /*gpu=*/true));
  return view.format == SparseFormat::Csr &&
         view.shape[0] <= rules::kWarpRows * products.warps / tiles &&
         longestRun(view.positions) <= rules::kWarpLanes;
}

bool takesGPUView(const SparseView &view, const Arrangement &arrangement,
                  const GPUProducts &products) {
  if (!arrangement.isPlain() || arrangement.order != OrderKind::Rows)
    return false;
  const std::optional<int64_t> lanes = products.lanes();
  return hasFewWholeRows(view, products) ||
         (lanes ? suitsGPUView(view, *lanes, products.warps)
                : hasShortRows(view, products));
}

bool cutsGPURows(int64_t longest, int64_t nonzeros,
                 const GPUProducts &products) {
  return longest >= longGPURow(nonzeros,
                               products.lanes().value_or(rules::kWarpLanes),
                               products.warps);
}

int64_t warpsOfEach(int64_t warps, int64_t computations) {
  constexpr int64_t kOfBlock = rules::kGPUBlockWarps;
  return computations == 1
             ? warps
             : std::max<int64_t>(1, warps / kOfBlock / computations) * kOfBlock;
}

bool cutsGPUChainRows(int64_t longest, int64_t nonzeros, int64_t warps) {
  const auto share =
      int64_t(llvm::divideCeil(uint64_t(nonzeros), uint64_t(warps)));
  return longest >=
         rules::kChainRowPieces * std::max(share, rules::kChainPiece);
}

} // namespace astfe::core
