//===- DealRows.h - neighbouring rows to warps beside each other *- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The warps of a multiprocessor share its L1. A warp that has a run of rows
// reads what its neighbour reads a run later, when L1 has lost it. So the rows
// of a multiprocessor are dealt to its warps: in their order, each to the warp
// that would be done first (list scheduling: Graham, "Bounds on multiprocessing
// timing anomalies", SIAM J. Appl. Math. 17, 1969), which has no more work than
// the mean and the longest row. At any time its warps are at rows that follow
// each other.
//
// Worked example: six rows of 4 nonzeros for two warps that share a
// multiprocessor. Runs are rows 0 1 2 and 3 4 5; dealt, they are 0 2 4 and
// 1 3 5. Rows of 9 4 4 4 4 4, which cost 2 beside their nonzeros, 11 and 6: the
// first warp has rows 0 3 5, the other 1 2 4.
//
// A group of workers whose bounds cut a row stays as it is, and so does one that
// has anything but rows, two parts of one row, or rows so uneven that the worker
// with most would have more than in runs, whose ends are chosen for that, by more
// than a row of mean length.
//
// O(slots + segments log segments); 8 bytes a slot of memory and as many as its
// column has for the time being, and 8 for good where nonzeros were in order, as
// they have a map then.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_DEALROWS_H
#define ASTFE_LIB_CORE_PACK_DEALROWS_H

#include "Pack/PackStages.h"

namespace astfe::core {

/// Deals the rows of each `group` workers that follow each other, whose runs
/// begin in `workers` (and end there): slots, segments and the workers' runs of
/// a group change places within it.
void dealRows(PackPlan &plan, const PackOptions &options,
              std::vector<int64_t> &workers, int64_t group, Packed &packed);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_DEALROWS_H
