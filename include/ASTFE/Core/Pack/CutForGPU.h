//===- CutForGPU.h - the workers of a pattern for a GPU ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever packs for a GPU, at run time or ahead of it, cuts the work by the
// warps that the GPU holds and groups workers by the grid that kernels are
// launched with (GPUGrid.h). Where B and C outgrow L2, there are several
// workers for a warp, which goes over the rows as often: at any time all warps
// are at rows near each other, whose rows of B are in L2 together, and not at
// as many places of the matrix as there are warps.
//
// Rows that are no more than the warps have one worker each where tiles are wide
// and none is as long as views cut (ChooseLayout.h): more workers would cut them,
// as they have fewer nonzeros each.
//
// Several tiles of columns are worked on one after another where L2 has the
// rows of B of one but not of all, of rows that are longer than a warp's share
// where memory would take longer than L2 else (lib/Core/Pack/TileOrder.h).
//
// Worked example: 4224 warps on 132 multiprocessors and four tiles of 128
// columns are 1056 workers, each of which computes one tile. A mesh of 200,000
// rows with one tile has 102 MB each of B and C, of which half of L2 holds an
// eighth: eight times 4224 workers. 1500 rows of 64 nonzeros times 128 columns
// are 1500 workers.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_CUTFORGPU_H
#define ASTFE_CORE_PACK_CUTFORGPU_H

#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Target/GPUConstants.h"

namespace astfe::core {

/// The GPU that a pattern is cut for, and what its kernels compute.
struct GPUUse {
  int64_t multiprocessors = rules::kGPUMultiprocessors;
  /// Warps that it holds at a time.
  int64_t warps = rules::kGPUMultiprocessors * kGPUResidentWarps;
  int64_t columnTiles = 1; ///< of the dense operands
  int64_t workers = 0;     ///< where someone set them; 0: they are chosen
};

/// Sets the workers and the grid of `options`, whose layout is known. Workers
/// that someone set stay as they are. Of a GPU's warps each tile of columns
/// that is worked on at the same time has a part. Columns of the dense operands
/// are taken to have 4 bytes, and tiles to be full. O(rows), or O(nonzeros)
/// where rows are long and tiles several.
void cutForGPU(PackOptions &options, const GPUUse &use, const SparseView &view);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_CUTFORGPU_H
