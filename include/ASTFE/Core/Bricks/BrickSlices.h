//===- BrickSlices.h - a mode's copy, a few bricks at a time ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products into rows of a mode walk the copy of that mode (Bricks.h). Where
// memory has no room for it, it is made in *slices*: some consecutive bricks
// are arranged from a copy that is there, the product adds what they contribute
// to the rows of the output, wherever those are, and the next slice takes their
// memory. A slice holds what the copy would hold of its bricks, fibers too, so
// that products have the same bits as with the copy: kernels add brick by
// brick, in the same order.
//
//   slice s of n : bricks [bricks s / n, bricks (s + 1) / n); slots count from
//                  its first one, numbers of nonzeros are the tensor's
//
// It costs what it takes to sort a brick, in every product: with 32 columns
// some ten times what the walk does. A slice has at most a brick for each
// thread, which arranges it, so that slices take no more memory than the caches
// that bricks are made for; fewer bricks would keep threads waiting, and more
// would save nothing.
//
// Worked example: 21 bricks and two threads make 11 slices, of one or two
// bricks: 65,536 slots of rank 3 with 16 bits and f32 take 1.2 MB, with their
// numbers, and up to twice that while they are sorted.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKSLICES_H
#define ASTFE_CORE_BRICKS_BRICKSLICES_H

#include "ASTFE/Core/Bricks/Bricks.h"

namespace astfe::core {

/// So many slices that each has at most a brick for each thread; at least one.
int64_t sliceCount(const Bricks &bricks, unsigned threads);

/// The one with the most slots.
int64_t largestSlice(const Bricks &bricks, int64_t slices);

/// The mode that the copy of a mode has, or would have, fibers of. O(slots of
/// kFiberSample bricks x rank).
std::optional<unsigned> fiberModeOf(const Bricks &bricks, unsigned mode);

/// A slice, with the copy of one mode, whose fibers are those of fiberModeOf(),
/// arranged from a copy that is there: others may be added meanwhile.
/// O(slots of the slice x rank).
Result<Bricks> makeSlice(const Bricks &bricks, const ModeCopy &from,
                         unsigned mode, std::optional<unsigned> fiberMode,
                         int64_t slice, int64_t slices, unsigned threads);

/// How values lie in an array: number n at (offset + n stride) x bytes.
struct ValueLayout {
  int64_t bytes = 0, offset = 0, stride = 1;

  /// Of an array of so many.
  size_t bytesOf(int64_t count) const {
    return size_t((offset + count * stride) * bytes);
  }
};

/// packed[s] = source[n] for the slots of a slice, arranged by a mode, where
/// `source` has the values of all nonzeros of the tensor.
void packSlice(const Bricks &slice, unsigned mode, const ValueLayout &layout,
               const void *source, void *packed, unsigned threads);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKSLICES_H
