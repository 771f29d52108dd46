//===- CutForGPU.cpp - the workers of a pattern for a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/CutForGPU.h"
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
}

} // namespace astfe::core
