//===- WalkTimes.h - how long walks through bricks take ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a product into rows of a mode reads and writes, counted for bricks that
// are boxes and for bricks by rows (BricksByRows.h), times what the cost
// model's machine takes for it. Both read a row of each other mode for each
// nonzero.
//
//   by rows   These come in any order. A cache holds what was read in the last
//             T nonzeros, sum over all rows (1 - exp(-T x its share)) rows, so
//             a read of a row finds it with 1 - exp(-T x its share). Each row
//             of the output is summed up and written once. Gaps between them
//             are cleared, which branches foresee badly.
//   boxes     The first read of a row in a brick is as above. Later ones read
//             anywhere in the brick's windows, all its rows of the other modes;
//             they find no less than by rows. Those are mostly rows that the
//             tensor meets often: of a row with c nonzeros, so many first reads
//             as c balls fill of Q boxes, Q (1 - exp(-c / Q)), with the Q that
//             all segments add up to. Each segment is summed up, and read and
//             written; rows are cleared before.
//   a sum     begins and ends, and is longer than foreseen or not, while its
//             row is on its way: the larger one counts.
//
// Worked example: 100,000 nonzeros anywhere in a cube of 20,000 rows fill five
// bricks, each of which meets a half of all rows twice: windows of 2.5 MB for
// factors of 5 MB. Neither fits a second cache, so nearly all reads come from
// the third one, for boxes as by rows. Boxes begin 0.49 sums a nonzero, by rows
// 0.2: by rows. Three million nonzeros fill 63 bricks, which begin 0.1 and read
// windows of 1.3 MB: boxes.
//
// Sources: H. Che, Y. Tung, Z. Wang, "Hierarchical web caching systems:
// modeling, design and experimental results" (2002), for T; docs/Log.md,
// 2026-11-27, has the ablation.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_BRICKS_WALKTIMES_H
#define ASTFE_CORE_BRICKS_WALKTIMES_H

#include "ASTFE/Core/Bricks/BrickReuse.h"
#include "ASTFE/Core/Target/Machine.h"

namespace astfe::core {

/// Seconds of a product on one thread.
struct WalkTimes {
  double boxes = 0, rows = 0;
};

/// Of bricks that are boxes, of which there is one at least. Dense operands
/// have rows of so many bytes. O(rank x classes of rows).
WalkTimes timeWalks(const Bricks &bricks, unsigned mode,
                    const BrickReuse &reuse, int64_t rowBytes,
                    const Machine &machine);

} // namespace astfe::core

#endif // ASTFE_CORE_BRICKS_WALKTIMES_H
