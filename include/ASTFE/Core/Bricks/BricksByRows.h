//===- BricksByRows.h - bricks where blocks find no reuse -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bricks that are nearly boxes (Bricks.h) gain by what is near: they read the
// rows of the factors from a window of each. They pay with the output: each
// brick adds to rows that others have added to. Where it meets nearly all of
// these once, a row of the output is read and written for each nonzero, which
// is as much as two factors are read. Then the products of a mode have bricks
// of their own, *by rows*: all nonzeros are sorted by the mode, and a brick is
// a run of whole rows, so that each row of the output is written once. This is
// a tree of compressed fibers (CSF), a copy for each mode.
//
// With r nonzeros for each row of the mode in a brick, boxes read and write 2/r
// rows for each nonzero. By rows where r < kBrickReuse, and where rows of
// kFactorBytes are more than a core's cache holds: what fits costs nothing.
//
// Worked example: a brick of 32,000 nonzeros anywhere in a box of s rows in
// each mode meets s (1 - exp(-32000 / s)) of them. Four million nonzeros in a
// cube of a million rows fill 125 such bricks of about 200,000 rows, a fifth of
// each mode: r is 1.08, by rows. In a cube of 20,000 rows s is 4000: r is 8,
// boxes.
//
// Source: S. Smith, G. Karypis, "Tensor-matrix products with a compressed
// sparse tensor" (2015), for the tree. docs/Log.md, 2026-11-26, has the
// ablation.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKSBYROWS_H
#define ASTFE_CORE_BRICKS_BRICKSBYROWS_H

#include "ASTFE/Core/Bricks/PackBricks.h"

namespace astfe::core {

/// Whether products into rows of a mode are to have bricks by rows, as above.
/// Never where an extent is more than local coordinates reach, 2^32.
/// O(slots of kFiberSample bricks x rank).
bool walksByRows(const Bricks &bricks, unsigned mode,
                 int64_t cacheBytes = rules::kCacheBytes[1]);

/// The same nonzeros, with the same numbers, in bricks by the rows of mode
/// `options.key`, whose copy is made. A row is in two bricks only if it has
/// more nonzeros than a brick. O(nonzeros x rank).
Result<Bricks> bricksByRows(const Bricks &bricks, const BrickOptions &options);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKSBYROWS_H
