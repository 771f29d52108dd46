//===- BricksByRows.h - bricks where blocks find no reuse -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bricks that are nearly boxes (Bricks.h) gain by what is near: they read the
// rows of the factors from a window of each. They pay with the output: each
// brick adds to rows that others have added to. Where windows are no smaller
// than what caches hold of the factors anyway, or a brick meets a row about
// once, the products of a mode have bricks of their own, *by rows*: all
// nonzeros are sorted by the mode, and a brick is a run of whole rows, so that
// each row of the output is written once. This is a tree of compressed fibers
// (CSF), a copy for each mode. WalkTimes.h counts what each takes. An output
// that fits a core's cache costs little to write again: its mode stays with
// boxes, which have no tables of their own.
//
// Source: S. Smith, G. Karypis, "Tensor-matrix products with a compressed
// sparse tensor" (2015), for the tree.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKSBYROWS_H
#define ASTFE_CORE_BRICKS_BRICKSBYROWS_H

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "ASTFE/Core/Bricks/WalkTimes.h"

namespace astfe::core {

/// Whether bricks by rows would differ from these and can be: there are
/// several, and no extent is more than local coordinates reach, 2^32.
bool canWalkByRows(const Bricks &bricks);

/// Whether products into rows of a mode are to have bricks by rows, as above,
/// where they can and the dense operands' rows have so many bytes, on a host.
bool walksByRows(const Bricks &bricks, unsigned mode, const BrickReuse &reuse,
                 int64_t rowBytes = rules::kFactorBytes,
                 const Machine &machine = Machine());

/// The same nonzeros, with the same numbers, in bricks by the rows of mode
/// `options.key`, whose copy is made. A row is in two bricks only if it has
/// more nonzeros than a brick. O(nonzeros x rank).
Result<Bricks> bricksByRows(const Bricks &bricks, const BrickOptions &options);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKSBYROWS_H
