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
// A thread has one range, or several one after the other (rangesForCache):
// where a brick has hardly more slots than rows, it finds nothing in the cache
// that it read before, and output rows come and go from memory with each brick.
// Of a range that fits the cache they come and go once.
//
// Walk: a product over a segment of r slots adds to its output row in registers
// and touches the row itself once; without a copy of its mode, each slot reads
// and writes that row. A copy saves
//
//   runs x slots x (1 - 1/r) x 2 x row's bytes
//
// of traffic with the first cache, and costs reading and writing its slots a
// few times over, once. It is made where it saves more than it costs, if there
// is memory for it. r is expected from the sides of the bricks (Cardenas,
// Graph/Traffic.h): nothing is counted that is not made.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKWALK_H
#define ASTFE_CORE_BRICKS_BRICKWALK_H

#include "ASTFE/Core/Bricks/Bricks.h"
#include "ASTFE/Core/Target/Constants.h"

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
};

/// The ranges of a mode whose copy is there. O(segments log segments).
Result<BrickShares> shareRows(const Bricks &bricks, unsigned mode,
                              int64_t ranges);

/// The number of ranges for each of `threads` threads: one where segments have
/// two slots or more on average; else so many that the rows of a range, each of
/// `rowBytes`, fill half of a cache of `cacheBytes`.
int64_t rangesForCache(const Bricks &bricks, unsigned mode, int64_t threads,
                       int64_t rowBytes,
                       int64_t cacheBytes = rules::kCacheBytes[1]);

/// Slots a segment that the copy of a mode would have: counted where it is
/// there, else expected.
double slotsPerSegment(const Bricks &bricks, unsigned mode);

struct WalkOptions {
  /// Products that the copy will serve.
  int64_t runs = rules::kExpectedRuns;
  /// Bytes of a row of the output.
  int64_t rowBytes = rules::kFactorBytes;
  int64_t valueBytes = 4;
  /// Bytes that there are for it.
  int64_t memory = std::numeric_limits<int64_t>::max();
};

struct WalkChoice {
  bool copy = false; ///< by the segments of its own copy
  unsigned key = 0;  ///< of the copy that is walked
  double slotsPerSegment = 0;
  int64_t bytes = 0; ///< that the copy and its values take
  const char *reason = "";
};

/// How to walk for a product whose key is `mode`.
WalkChoice chooseWalk(const Bricks &bricks, unsigned mode,
                      const WalkOptions &options = {});

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKWALK_H
