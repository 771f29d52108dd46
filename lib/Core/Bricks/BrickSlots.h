//===- BrickSlots.h - one brick's slots in home order ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What copies are made from, a brick at a time: it fits a second-level
// cache, so that it is sorted there.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_BRICKS_BRICKSLOTS_H
#define ASTFE_LIB_CORE_BRICKS_BRICKSLOTS_H

#include "ASTFE/Core/Bricks/PackBricks.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace astfe::core {

struct BrickSlots {
  explicit BrickSlots(unsigned rank) : local(rank) {}
  size_t count() const { return local[0].size(); }

  std::vector<std::vector<uint32_t>> local; ///< coordinates, by mode
};

/// Fills the slots of a brick, from several threads at once.
using LoadBrick = llvm::function_ref<void(int64_t brick, BrickSlots &slots)>;

/// The copy of a mode. O(nonzeros x rank).
ModeCopy copySlots(const Bricks &bricks, unsigned mode, LoadBrick load,
                   unsigned threads);

/// An error where `needed` bytes for `what` are more than there are.
Status checkMemory(const std::string &what, __int128 needed, int64_t memory);

/// Calls body(segment, row, firstSlot, endSlot) for the segments
/// [first, last) of a brick; rows are local, slots count from the brick's
/// first.
template <typename Body>
void forSegments(const ModeCopy &copy, int64_t brick, int64_t first,
                 int64_t last, Body body) {
  const uint16_t *ends = copy.segmentLast.data();
  int64_t begin = first == copy.brickSegment[size_t(brick)]
                      ? 0
                      : int64_t(ends[first - 1]) + 1;
  copy.segmentRow.visit([&](const auto *rows) {
    for (int64_t g = first; g < last; ++g) {
      const int64_t end = int64_t(ends[g]) + 1;
      body(g, int64_t(rows[g]), begin, end);
      begin = end;
    }
  });
}

template <typename Body>
void forSegments(const ModeCopy &copy, int64_t brick, Body body) {
  forSegments(copy, brick, copy.brickSegment[size_t(brick)],
              copy.brickSegment[size_t(brick) + 1], body);
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_BRICKS_BRICKSLOTS_H
