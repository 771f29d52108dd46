//===- PackBricks.h - from a tensor and its graph to bricks ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonzeros move to their groups (the graph is total: any graph of the shape
// will do). Groups of more than `slots` nonzeros are cut evenly along the
// curve, and so are groups that reach further than 16 bits, where that saves
// bytes. Bricks are sorted by coordinates, and the copy of one mode is made.
// The copies of other modes are made from it when they are asked for; their
// tables do not depend on which copy was the first.
//
// For groups of the right size, plan with brickPlanWorkers(): refine then
// splits what has more than a brick, and fuse joins what has less.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_PACKBRICKS_H
#define ASTFE_CORE_BRICKS_PACKBRICKS_H

#include "ASTFE/Core/Bricks/Bricks.h"
#include <limits>

namespace astfe::core {

struct BrickOptions {
  /// The most slots of a brick: 1..kBrickSlots.
  int64_t slots = kBrickSlots;
  /// The mode whose copy is made at once.
  unsigned key = 0;
  /// Bytes that may be used. Bricks that would take more are an error, which
  /// names the bytes, before anything is allocated.
  int64_t memory = std::numeric_limits<int64_t>::max();
  /// Coordinates of all modes have 16 bits, or all have 32: what compiled
  /// kernels have code for. Else each mode has the fewest that it needs.
  bool oneWidth = false;
  /// Changes the time only.
  unsigned threads = 1;
};

/// Fails where the shapes differ, view or graph are not sound, coordinates are
/// out of range, or memory is short. O(nonzeros x rank), and a factor of
/// log(slots) for groups that are cut.
Result<Bricks> packBricks(const SparseView &view, const Graph &graph,
                          const BrickOptions &options = {});

/// Adds the copy of a mode; nothing where it is there. O(nonzeros x rank).
Status addCopy(Bricks &bricks, unsigned mode, const BrickOptions &options = {});

/// Consecutive groups joined while they have at most `slots` nonzeros: what a
/// graph for other ends, with many small groups, is packed by. O(groups).
Graph joinForBricks(Graph graph, int64_t slots = kBrickSlots);

/// Workers x waves of refine and fuse whose limit T is a brick's slots: as many
/// equal shares as there are bricks.
int64_t brickPlanWorkers(int64_t nonzeros, int64_t slots = kBrickSlots);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_PACKBRICKS_H
