//===- CutForGPU.cpp - the workers of a pattern for a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include <algorithm>

namespace astfe::core {

void cutForGPU(PackOptions &options, const GPUUse &use, int64_t nonzeros) {
  options.multiprocessors = use.multiprocessors;
  options.columnTiles = use.columnTiles;
  options.workers = use.workers;
  if (options.workers)
    return;
  const int64_t together =
      sharesL1(options.layout.columnTile)
          ? gpuGrid(use.warps, use.columnTiles, use.multiprocessors).x
          : use.columnTiles;
  options.workers =
      gpuWorkers(std::max<int64_t>(1, use.warps / together), nonzeros);
}

} // namespace astfe::core
