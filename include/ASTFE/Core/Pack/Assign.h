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

/// The same where an item costs `itemCost` beside its weight: what is equal is
/// runs' weight and itemCost x items together. Offsets are of weights.
std::vector<int64_t> assign(ArrayRef<int64_t> prefixSums, int64_t workers,
                            int64_t itemCost);

/// What the largest run may exceed the mean by so that items stay whole: a
/// share of the mean, and a weight.
struct Slack {
  double share = 0;
  int64_t weight = 0;
};

/// The same within a slack. Runs end between items where they can; an item that
/// is larger than a run is cut evenly, and others end where it begins and ends.
std::vector<int64_t> assignWhole(ArrayRef<int64_t> prefixSums, int64_t workers,
                                 int64_t itemCost, Slack slack);

/// Largest run over mean run; 1 when there is no work.
double imbalance(ArrayRef<int64_t> offsets);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_ASSIGN_H
