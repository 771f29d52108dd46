//===- BrickWalk.h - how threads walk through bricks ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharing: rows of the key mode fall into ranges of about equal slots, and a
// worker walks, in each brick, the segments of its range: one run, as segments
// ascend by row. Nobody else writes those rows. A row is never cut, so the
// largest range has at most the mean and the slots of one row.
//
//   range w : rows [rows[w], rows[w+1]); in brick b the segments
//             [segment[b (ranges + 1) + w], segment[b (ranges + 1) + w + 1])
//
// Worked example (Bricks.h, mode 0, two ranges): row 2 has three slots of four,
// so rows 0 3 4 and segments 0 1 2, which begin at the slots 0 3 4.
//
// Walk: a product over a segment of r slots adds to its output row in registers
// and touches the row itself once in each brick.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKWALK_H
#define ASTFE_CORE_BRICKS_BRICKWALK_H

#include "ASTFE/Core/Bricks/Bricks.h"

namespace astfe::core {

struct BrickShares {
  int64_t ranges = 0;
  std::vector<int64_t> rows;    ///< ranges + 1
  std::vector<int64_t> segment; ///< bricks x (ranges + 1)
  /// Of those segments: the first slot, counted over all bricks, and the first
  /// fiber, 0 where there are no fibers. As many as segments.
  std::vector<int64_t> slot, fiber;
  /// By segment: its last fiber, counted in the brick. Empty without fibers.
  std::vector<uint16_t> lastFiber;
  /// Rows ascend from segment to segment through all bricks: each comes once,
  /// so that its sum is the output, which nobody has to clear before.
  bool rowsAscend = false;
};

/// The ranges of a mode whose copy is there. O(segments log segments).
Result<BrickShares> shareRows(const Bricks &bricks, unsigned mode,
                              int64_t ranges);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKWALK_H
