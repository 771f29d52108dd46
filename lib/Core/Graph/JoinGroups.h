//===- JoinGroups.h - consecutive blocks become groups --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second stage of fuse.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_GRAPH_JOINGROUPS_H
#define ASTFE_LIB_CORE_GRAPH_JOINGROUPS_H

#include "Graph/Coarsen.h"

namespace astfe::core {

/// Joins neighbouring groups of one part while C <= T and the footprint of the
/// union fits the cache: siblings of up to T/2, then each join that saves more
/// modelled traffic than those beside it (of equal ones that with the smaller
/// prefix), until none is left. Returns the groups' offsets; `traffic` is what
/// they are modelled to move. Each group's sides lie where those of its blocks
/// did: O(sides of both groups) for a join, nothing allocated.
std::vector<int64_t> joinGroups(ArrayRef<Leaf> leaves, WeighedBoxes boxes,
                                const FuseRules &rules, RunTraffic &evaluate,
                                int64_t &traffic);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_GRAPH_JOINGROUPS_H
