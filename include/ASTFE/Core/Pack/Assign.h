//===- Assign.h - exact chains-on-chains ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a chain of weights into at most P runs so that the largest run is as
// small as possible, exactly (Pinar and Aykanat, "Fast optimal load balancing
// algorithms for 1D partitioning", JPDC 64, 2004: parametric search with
// bounded probes). Then, only if that bottleneck exceeds 1.001 x mean, runs are
// cut inside an item, so that the bound 1 + P/total holds in counts.
//
// Items may cost something beside their weight (a row of a GPU kernel: its
// bounds and its write): the same algorithm on weight + cost. Where a cut item
// costs more than runs that are not quite equal (its pieces are added up by
// atomics), a slack keeps items whole.
//
// Worked example: 3 items of 256 for 13 workers, whose mean is 60. Runs of 60
// would cut the items at 60, 120, ..., 240, 300. With a slack of 8 runs may
// have 68: each item is cut into 4 runs of 64, and one worker has nothing to
// do.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_ASSIGN_H
#define ASTFE_CORE_PACK_ASSIGN_H

#include "ASTFE/Core/Order/Order.h"

namespace astfe::core {

/// Offsets (P+1 of them, from 0 to the weights' sum) of runs made of whole
/// items, which are cut only where whole ones would exceed 1.001 x mean;
/// `prefixSums` has one more entry than items and starts at 0.
std::vector<int64_t> assign(ArrayRef<int64_t> prefixSums, int64_t workers);

/// The same where an item costs `itemCost` beside its weight: runs have equal
/// sums of their weight and itemCost x their items. Offsets are of weights.
std::vector<int64_t> assign(ArrayRef<int64_t> prefixSums, int64_t workers,
                            int64_t itemCost);

/// How far runs may differ so that items stay whole: whole items are taken
/// where the largest run exceeds the mean by `share` of it at most. Else runs
/// end where the item nearest to an equal share begins or ends, and items of up
/// to `whole` times a run's part of the weights are not cut.
struct Slack {
  double share = 0, whole = 0;
  /// Runs that follow each other and are worked on in one place, which has its
  /// equal share; 0: all are.
  int64_t group = 0;
};

/// The same within a slack. A larger item is cut into equal pieces, which are
/// no larger than the larger of what stays whole and half a mean. Empty runs
/// are the last ones of their group.
///
///   four runs of the items 2 50 2 10, of 16 each, no slack: the second is cut
///   into seven pieces, and runs end with the nearest:  0  16  30  44  64
std::vector<int64_t> assignWhole(ArrayRef<int64_t> prefixSums, int64_t workers,
                                 int64_t itemCost, Slack slack);

/// Largest run over mean run; 1 when there is no work.
double imbalance(ArrayRef<int64_t> offsets);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_ASSIGN_H
