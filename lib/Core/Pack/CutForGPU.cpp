//===- CutForGPU.cpp - the workers of a pattern for a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "Pack/TileOrder.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace astfe::core {

/// How often warps go over the rows: what they read of B and write of C at a
/// time is half of L2, so that the rows before it are there, too.
static int64_t wavesOf(const SparseView &view, int64_t columns) {
  const int64_t nonzeros = view.nonzeros();
  int64_t rows = 0; // of B and C
  for (int64_t extent : view.shape)
    rows += std::min(extent, nonzeros);
  const int64_t bytes = rows * columns * int64_t(sizeof(float));
  return std::max<int64_t>(
      1, llvm::divideCeil(uint64_t(bytes), rules::kGPUCacheBytes[2]));
}

/// Whether each row may have a worker, of which none is as long as those that
/// views cut between warps: with more workers rows are cut, and added to what a
/// kernel clears before. Samples, whose patterns have no tiles, add nothing.
static bool hasFewWholeRows(const SparseView &view, const PackOptions &options,
                            int64_t warps) {
  const Layout &layout = options.layout;
  return sharesL1(layout.columnTile) &&
         layout.classes.contains(SegmentClass::DenseTile) &&
         view.format == SparseFormat::Csr && view.shape[0] > 0 &&
         view.shape[0] <= options.workers &&
         longestRun(view.positions) <
             longGPURow(view.nonzeros(), rules::kWarpLanes, warps);
}

void cutForGPU(PackOptions &options, const GPUUse &use,
               const SparseView &view) {
  options.multiprocessors = use.multiprocessors;
  options.columnTiles = use.columnTiles;
  const int64_t tile = options.layout.columnTile;
  if (sharesL1(tile)) {
    options.tilesTogether =
        tilesTogether(view, tile, use.columnTiles, use.warps);
    options.columnTiles = gpuGrid(use.warps / kGPUBlockWarps, use.columnTiles,
                                  options.tilesTogether, use.multiprocessors)
                              .x;
  }
  options.workers = use.workers;
  if (options.workers)
    return;
  const int64_t columns = std::max<int64_t>(1, options.layout.columnTile);
  const int64_t together = options.columnTiles;
  const int64_t warps = std::max<int64_t>(1, use.warps / together);
  options.workers =
      gpuWorkers(warps * wavesOf(view, columns * together), view.nonzeros());
  if (hasFewWholeRows(view, options, warps))
    options.workers = view.shape[0];
}

} // namespace astfe::core
