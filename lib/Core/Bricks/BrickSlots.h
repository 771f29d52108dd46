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

/// What local coordinates reach.
constexpr int64_t kWidestBrick = int64_t(1) << 32;

struct BrickSlots {
  explicit BrickSlots(unsigned rank) : local(rank) {}
  size_t count() const { return local[0].size(); }

  std::vector<std::vector<uint32_t>> local; ///< coordinates, by mode
};

/// A brick's slots out of a copy that is there, whose runs hold all slots and
/// whose homes are each there once.
void loadSlots(const Bricks &bricks, const ModeCopy &from, int64_t brick,
               BrickSlots &slots);

/// Fills the slots of a brick, from several threads at once.
using LoadBrick = llvm::function_ref<void(int64_t brick, BrickSlots &slots)>;

/// The mode that the copy of a mode has fibers of: the one with the fewest in a
/// sample of the bricks, if they are long enough.
std::optional<unsigned> chooseFibers(const Bricks &bricks, unsigned mode,
                                     LoadBrick load);

/// The copy of a mode. O(nonzeros x rank).
ModeCopy copySlots(const Bricks &bricks, unsigned mode,
                   std::optional<unsigned> fiberMode, LoadBrick load,
                   unsigned threads);

/// Slots of each row of a mode that has some, rows ascending; the mode's copy
/// is there.
std::vector<std::pair<int64_t, int64_t>> slotsByRow(const Bricks &bricks,
                                                    unsigned mode);

/// An error where `needed` bytes for `what` are more than there are.
Status checkMemory(const std::string &what, __int128 needed, int64_t memory);

/// Calls body(coordinate, firstSlot, endSlot) for the runs of a brick;
/// coordinates are local, slots count from the brick's first.
template <typename Body>
void forRuns(const SlotRuns &runs, int64_t brick, Body body) {
  runs.coordinate.visit([&](const auto *coordinates) {
    int64_t slot = 0;
    for (int64_t r = runs.begin[size_t(brick)];
         r < runs.begin[size_t(brick) + 1]; ++r) {
      const int64_t end = int64_t(runs.last[size_t(r)]) + 1;
      body(int64_t(coordinates[r]), slot, end);
      slot = end;
    }
  });
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_BRICKS_BRICKSLOTS_H
