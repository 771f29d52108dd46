//===- Coarsen.h - sibling leaves become their parent ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first stage of fuse. Leaves are siblings where nothing else with nonzeros
// is below their common prefix, so empty boxes between them do not matter, and
// a leaf that merges with nothing keeps its tight box.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_COARSEN_H
#define ASTFE_LIB_CORE_COARSEN_H

#include "Leaves.h"
#include "RunTraffic.h"

namespace astfe::core {

/// What a merged block and a group must keep to.
struct FuseRules {
  int64_t limit = 0; ///< T
  int64_t cache = 0; ///< bytes
};

/// Boxes with what they cost as runs of their own, as arrays: a graph has many.
struct WeighedBoxes {
  explicit WeighedBoxes(unsigned rank) : rank(rank) {}

  unsigned rank;
  std::vector<Side> sides; ///< `rank` of each
  std::vector<int64_t> nonzeros, traffic;

  size_t size() const { return traffic.size(); }
  ArrayRef<Side> side(size_t i, unsigned k) const {
    return {&sides[i * rank + k], 1};
  }
};

WeighedBoxes weigh(ArrayRef<Leaf> leaves, BoxSides &sides,
                   RunTraffic &evaluate);

/// Merges siblings while C(parent) < T/2, the parent's footprint fits the cache
/// and its box is not modelled to move more than its children's: a box forgets
/// where inside it the work was, and where that matters the second stage joins
/// the blocks without merging them. Returns the number of merges. O(|V|).
int64_t coarsen(std::vector<Leaf> &leaves, WeighedBoxes &boxes,
                const FuseRules &rules, BoxSides &sides, RunTraffic &evaluate);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_COARSEN_H
