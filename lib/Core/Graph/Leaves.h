//===- Leaves.h - a graph's blocks seen through a profile -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays a profile over a graph in one linear merge, so that refine and fuse read
// bins and never nonzeros. A leaf is a block with the work that the profile
// finds in it. Work that lies in no block gets a leaf of its own: the canonical
// empty box it fell into, that is the largest box around it without a block.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_GRAPH_LEAVES_H
#define ASTFE_LIB_CORE_GRAPH_LEAVES_H

#include "ASTFE/Core/Graph/Graph.h"

namespace astfe::core {

struct Leaf {
  uint32_t part = 0;
  Prefix prefix;
  int64_t nonzeros = 0;
  int64_t work = 0; ///< C
  /// The bins inside; none where a bin is coarser than the leaf.
  size_t binBegin = 0, binEnd = 0;
  /// The block of the graph that it is (a part of); -1 in an empty box.
  int64_t origin = -1;
};

/// The number of leading bits that two prefixes share.
unsigned commonBits(Prefix a, Prefix b);

/// C of each bin: cycles where all of them are known, else nonzeros.
ArrayRef<int64_t> workOf(const Profile &profile);

/// An error where graph and profile are not about the same space.
Status checkSameSpace(const Space &graph, const Space &profile);

/// All blocks, and a leaf for each empty box with work, in curve order. A bin
/// that is coarser than the blocks in it is shared among them by their
/// nonzeros, by volume where they have none; the shares add up to the bin.
/// O(|V| + bins).
std::vector<Leaf> overlay(const Graph &graph, const Profile &profile);

/// Drops the leaves without nonzeros: a graph lists non-empty blocks only.
void removeEmpty(std::vector<Leaf> &leaves);

/// The leaves as blocks, each its own group, without a limit.
Graph graphOf(const Space &space, ArrayRef<Leaf> leaves);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_GRAPH_LEAVES_H
