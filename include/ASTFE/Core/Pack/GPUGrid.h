//===- GPUGrid.h - which blocks share a multiprocessor ----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU gives blocks to its multiprocessors in turn, in the order of their
// numbers, x first. So the grid of a kernel of wide tiles (sharesL1) has
// the tiles of columns that are worked on at once along x, the groups of rows
// along y, as many as make a block for each multiprocessor, and along z the
// blocks that follow each other on one: these have neighbouring rows and the
// same columns, so that they find in L1 what the others read of B. Where blocks
// land otherwise, results are the same. A grid has no more blocks than are
// resident: kernels go on to the workers beyond it, a grid's length further. It
// has as few of them as go over the workers as often, so that the last pass is
// about as long as the others and keeps all multiprocessors busy.
//
// Tiles are worked on at once, or one after another, each by all warps, where
// they would push out of L2 what the others read again (CutForGPU.h).
//
// Worked example: 1056 blocks of rows, four tiles of columns and 132
// multiprocessors are a grid of 4 x 33 x 8, which goes over the rows four
// times. Block (2, 5, 7) is the 8th of the multiprocessor 22, and has columns
// of the third tile and the rows of the blocks 5 * 8 + 7, 264 further and so
// on.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_GPUGRID_H
#define ASTFE_CORE_PACK_GPUGRID_H

#include "ASTFE/Core/Target/Constants.h"
#include <cstdint>

namespace astfe::core {

/// Whether kernels of such tiles of columns have this grid: what they wait for
/// is what L2 delivers of B. With fewer columns that is their instructions and
/// the longest warp, which are more even where neighbours are apart; their grid
/// has blocks along x and tiles along y.
constexpr bool sharesL1(int64_t columnTile) {
  return columnTile > rules::kWarpLanes;
}

/// Tiles of the columns of dense operands; one where `columnTile` is 0, of
/// which there is one column.
constexpr int64_t columnTiles(int64_t columns, int64_t columnTile) {
  return columnTile && columns > 0 ? (columns - 1) / columnTile + 1 : 1;
}

/// The grid of `blocks` of rows for each of `tiles` (both at least 1), of which
/// `together` at most (0: all) are worked on at the same time, on a GPU with so
/// many multiprocessors. Where tiles are more than x, or blocks more than y *
/// z, a block goes on to further ones. O(multiprocessors).
struct GPUGrid {
  int64_t x = 1, y = 1, z = 1;
};
GPUGrid gpuGrid(int64_t blocks, int64_t tiles, int64_t together,
                int64_t multiprocessors);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_GPUGRID_H
