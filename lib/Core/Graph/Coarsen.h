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

#ifndef ASTFE_LIB_CORE_GRAPH_COARSEN_H
#define ASTFE_LIB_CORE_GRAPH_COARSEN_H

#include "Graph/Leaves.h"
#include "Graph/RunTraffic.h"
#include "Support/LargeArray.h"

namespace astfe::core {

/// What a merged block and a group must keep to.
struct FuseRules {
  int64_t limit = 0; ///< T
  int64_t cache = 0; ///< bytes
};

/// Boxes with what they cost as runs of their own, as arrays: a graph has many.
/// There is room for `room` of them, which is not touched beyond `count`.
struct WeighedBoxes {
  WeighedBoxes(unsigned rank, size_t room)
      : nonzeros(room), traffic(room), shared(room) {
    for (unsigned k = 0; k < rank; ++k)
      sides.emplace_back(room);
  }

  size_t count = 0;
  std::vector<Scratch<Side>> sides; ///< by mode
  Scratch<int64_t> nonzeros, traffic;
  /// The bits of prefix in common with the box before; -1 in another part.
  Scratch<int8_t> shared;

  size_t size() const { return count; }
  unsigned rank() const { return unsigned(sides.size()); }
  ArrayRef<Side> side(size_t i, unsigned k) const { return {&sides[k][i], 1}; }
};

struct Coarsened {
  WeighedBoxes boxes; ///< of the leaves that are left
  int64_t merges;
  int64_t trafficBefore; ///< of all leaves as they were
};

/// Merges siblings while C(parent) < T/2, the parent's footprint fits the cache
/// and its box is not modelled to move more than its children's: a box forgets
/// where inside it the work was, and where that matters the second stage joins
/// the blocks without merging them. O(|V|).
Coarsened coarsen(std::vector<Leaf> &leaves, const FuseRules &rules,
                  BoxSides &sides, RunTraffic &evaluate);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_GRAPH_COARSEN_H
