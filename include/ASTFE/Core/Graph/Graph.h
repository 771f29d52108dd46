//===- Graph.h - a partition graph: parts, blocks, groups -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three partitions of one sequence, each a run of the one before: nonzeros in
// curve order, blocks (leaves, identified by part and prefix), groups (runs of
// blocks that one worker executes in one go). Workers belong to pack.
//
// A graph is total: a key that lies in no block (its box was empty when the
// graph was made) belongs to the group of the last block before it, or to the
// first group. So any tensor of the shape can be packed by any graph; only
// speed depends on the graph being up to date.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_GRAPH_H
#define ASTFE_CORE_GRAPH_GRAPH_H

#include "ASTFE/Core/Profile/Profile.h"

namespace astfe::core {

struct Graph {
  Space space;
  /// One entry per non-empty block, in curve order.
  std::vector<uint32_t> part;
  std::vector<uint8_t> length;
  std::vector<uint64_t> prefix;
  std::vector<int64_t> nonzeros;
  /// Offsets into the blocks, from 0 to size(): group g is the blocks
  /// [groups[g], groups[g+1]). {0} when there are no blocks.
  std::vector<int64_t> groups{0};
  /// T, in units of C, frozen for an epoch so that splitting and merging
  /// cannot alternate; 0 when not yet refined, and to begin a new epoch.
  int64_t limit = 0;
  /// tau of the last refinement; none is "auto".
  std::optional<double> threshold;

  size_t size() const { return prefix.size(); }
  size_t groupCount() const { return groups.size() - 1; }
  Prefix block(size_t i) const { return {prefix[i], length[i]}; }
  Box box(size_t i) const;
  int64_t totalNonzeros() const;
  /// Each block its own group.
  void ungroup();
  /// What a verifier can prove without data: sorted, prefix-free, within the
  /// order's depth, groups ascending from 0 to size(), counts not negative.
  Status check() const;
  bool operator==(const Graph &other) const;
};

/// C_i of each block: the sum of the profile's bins inside it. A bin that is
/// coarser than the blocks in it is shared among them by their nonzeros, by
/// volume where they have none, rounded towards the first; the shares add up to
/// the bin. Work in no block counts for none (refine and fuse make blocks of
/// it). Fails if the spaces differ. O(|V| + bins).
Result<std::vector<int64_t>> intensities(const Graph &graph,
                                         const Profile &profile);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_GRAPH_H
