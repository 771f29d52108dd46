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
/// ones that with the smaller prefix. Returns the groups' offsets and leaves
/// one run per group in `runs`. A heap holds the joins that are possible now.
std::vector<int64_t> joinGroups(ArrayRef<Leaf> leaves,
                                std::vector<WeighedRun> &runs,
                                const FuseRules &rules, RunTraffic &evaluate);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_JOINGROUPS_H
