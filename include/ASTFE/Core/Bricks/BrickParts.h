//===- BrickParts.h - how warps of a GPU walk through bricks ----*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As BrickWalk.h shares the rows of the key mode among threads, for so many
// warps that one long row would keep one of them long after the others have
// ended: the mode of a tensor can have fewer rows than a GPU has warps. Each
// *part* is a run of whole rows, or a part of one row. Of those, each has about
// as many slots, in the order of the bricks, and what it sums up is added to
// that of the others of its row afterwards, in their order.
//
//   part p : rows [rows[p], rows[p+1]), where left[p] is 0; else a part of row
//            rows[p], behind which there are left[p] - 1 more of it.
//            In brick b its slots are [slot[b (parts + 1) + p],
//            slot[b (parts + 1) + p + 1]), and the first of them is in
//            segment[b (parts + 1) + p]. It has slots in bricks from
//            brick[2 p] to before brick[2 p + 1] only
//
// Worked example: one brick, whose rows 0, 1, 2 have 2, 300 and 10 slots, and
// ten warps, whose share is 32 slots. Row 1 has more than two shares and is cut
// into nine parts, none of which has less than a share:
//
//   rows     0  1  1 ...  1  2  3
//   left     0  9  8 ...  1  0
//   slot     0  2 35 ... 268 302 312
//   segment  0  1  1 ...  1  2  3
//   brick    0 1 for each
//
// Without rows that are long the parts are ranges of BrickWalk.h.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_BRICKPARTS_H
#define ASTFE_CORE_BRICKS_BRICKPARTS_H

#include "ASTFE/Core/Bricks/Bricks.h"

namespace astfe::core {

struct BrickParts {
  int64_t workers = 0;          ///< that they were made for
  std::vector<int64_t> rows;    ///< parts + 1
  std::vector<int64_t> left;    ///< parts
  std::vector<int64_t> segment; ///< bricks x (parts + 1)
  std::vector<int64_t> slot;    ///< as many, counted over all bricks
  std::vector<int64_t> brick;   ///< 2 x parts
  int64_t ofRows = 0;           ///< parts of rows that are cut

  int64_t parts() const { return int64_t(left.size()); }
};

/// The parts of a mode whose copy is there for so many warps: a few more than
/// these at most twice. Rows with more slots than kRowParts pieces are cut, of
/// which each has a warp's share, or kLeastPart; none where no row has one
/// piece more, which pays for the launch that adds up the parts. O(segments log
/// segments + bricks parts log segments).
Result<BrickParts> cutParts(const Bricks &bricks, unsigned mode,
                            int64_t workers);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_BRICKPARTS_H
