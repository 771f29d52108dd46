//===- TileOrder.h - tiles of columns at once, or in turn -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several tiles of columns are worked on at the same time by parts of a GPU's
// warps, or one after another by all of them. In turn, L2 has to hold the rows
// of B of one tile only; but a row that is longer than a warp's share keeps its
// warp for each of the tiles, which the warps of several tiles share else. So
// rows of even lengths have their tiles in turn where L2 has B of one but not
// of all; others where memory, which delivers the rows of B that L2 lost, takes
// longer than L2 for all of them.
//
// Rows from memory are counted in generations, as the cost model does
// (Cost.h): one ends when it has touched as many distinct rows as two thirds of
// half of L2 hold, and a row is there if this one or the one before touched it.
//
// Worked example: 1e6 nonzeros anywhere in 62,500 rows and columns, times 512
// columns. Half of L2 has 12,800 rows of 2048 bytes, and 51,200 of the 512 bytes
// that a tile of 128 has. 80 of 100 nonzeros find their row gone if all tiles
// are worked on at once, which memory takes 1.2 times as long for, with C, as L2
// takes for all; in turn 33 do. (An H200's model: 445 us, and 317.)
//
// O(rows), and O(nonzeros), 4 bytes for each row of B, where rows are long.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_TILEORDER_H
#define ASTFE_LIB_CORE_PACK_TILEORDER_H

#include "ASTFE/Core/Tensor/SparseView.h"

namespace astfe::core {

/// How many of several `tiles` of so many columns of 4 bytes are worked on at
/// the same time by so many warps; 0: all.
int64_t tilesTogether(const SparseView &view, int64_t tile, int64_t tiles,
                      int64_t warps);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_TILEORDER_H
