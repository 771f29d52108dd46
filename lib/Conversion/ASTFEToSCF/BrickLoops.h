//===- BrickLoops.h - products of a tensor of any rank --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host kernel over bricks (Core/Bricks/Bricks.h): scf.parallel over ranges
// of the key mode's rows, which nobody else writes; in each brick the segments
// of the range, a row of the key each; their fibers, where there are some;
// their slots. Lanes run over the last dense dimension.
//
//   [slices ->] ranges -> bricks -> segments (key) -> [fibers ->] slots
//
// A mode whose copy memory has no room for goes slice by slice
// (Core/Bricks/BrickSlices.h), each of which adds to what the others left.
//
// An output is flushed where its coordinates are known: after a segment if only
// the key indexes it, after a fiber if the fibers' mode does too, else at each
// slot. Where the contribution is the product of the inputs, those of a fiber
// are multiplied in once, after the sum over its slots.
//
// A half that gets several sums, as several bricks have its row or fibers and
// slots flush, would be rounded for each: they go to an array of f32 beside the
// output, which a range clears, and rounds into its rows at its end.
//
// Which mode has fibers is known when the program runs: there is a nest of
// loops for each, and one for none.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKLOOPS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKLOOPS_H

#include "ComputeBody.h"

namespace astfe::host {

struct BrickShape {
  unsigned key = 0; ///< a mode
  /// The dimension of the iteration space that lanes run over.
  std::optional<unsigned> laneDim;
  LaneShape lanes;
  int64_t vectorBytes = 0; ///< of the widest vectors
};

/// Of a plan that walks bricks.
BrickShape brickShape(ComputeBody &body, int64_t vectorBytes);

/// i64: the slices that a product goes in, 1 where the key's copy is there. 0
/// after an error: nothing is emitted for that.
mlir::Value countSlices(ComputeBody &body, mlir::Value handle,
                        const BrickShape &shape);
void emitBricks(ComputeBody &body, mlir::Value handle, mlir::Value slices,
                const BrickShape &shape);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKLOOPS_H
