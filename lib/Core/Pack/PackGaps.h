//===- PackGaps.h - rows that no segment writes -----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gap is a run of rows that are cleared side by side. Where it ends a
// processor cannot foresee, which takes as long as clearing many rows does. So
// where rows are narrow a gap goes on beyond a few rows that are written, if
// one worker writes all of those: it has the gap, and clears before it writes.
// Long runs stay apart, since all workers share them.
//
// Worked example: rows 1, 4 and 6 of 12 are written, which leaves the gaps
// 0..1, 2..4, 5..6 and 7..12. Of narrow rows that one worker writes there is
// one, 0..12. If another one writes row 6, worker 0 has 0..6, and 7..12 is for
// the other, as it has fewer.
//
// Complexity: O(rows that have a number + gaps).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_PACKGAPS_H
#define ASTFE_LIB_CORE_PACK_PACKGAPS_H

#include "Pack/RowNumbers.h"

namespace astfe::core {

/// In place of the number of a worker.
enum : int32_t { AnyWorker = -1 };

/// Fills the gaps' tables. `seen` says by number which rows are written, and
/// `writers`, unless it is empty, by whom.
void findGaps(Packed &packed, const RowNumbers &numbers,
              const std::vector<uint8_t> &seen,
              const std::vector<int32_t> &writers);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_PACKGAPS_H
