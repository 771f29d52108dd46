//===- JoinGroups.h - consecutive blocks become groups --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second stage of fuse.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_JOINGROUPS_H
#define ASTFE_LIB_CORE_JOINGROUPS_H

#include "Coarsen.h"

namespace astfe::core {

/// Joins neighbouring groups of one part while C <= T and the footprint of the
/// union fits the cache: the largest gain in modelled traffic first, of equal
/// ones that with the smaller prefix. Returns the groups' offsets; `traffic` is
/// what they are modelled to move. A tournament holds the joins that are
/// possible now, and each group's sides lie where those of its blocks did:
/// O(sides of both groups + log |V|) for a join, nothing allocated.
std::vector<int64_t> joinGroups(ArrayRef<Leaf> leaves, WeighedBoxes boxes,
                                const FuseRules &rules, RunTraffic &evaluate,
                                int64_t &traffic);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_JOINGROUPS_H
