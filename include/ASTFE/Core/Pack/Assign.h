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
// bounds and its write): the same algorithm on weight + cost.
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

/// Largest run over mean run; 1 when there is no work.
double imbalance(ArrayRef<int64_t> offsets);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_ASSIGN_H
