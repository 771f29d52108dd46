//===- GroupFinder.h - the group that a key belongs to --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph is total: a key belongs to the last group that starts at or before
// it, or to the first group. Found by binary search among the groups' first
// keys, between bounds that a table over the key's leading bits gives.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_GRAPH_GROUPFINDER_H
#define ASTFE_LIB_CORE_GRAPH_GROUPFINDER_H

#include "ASTFE/Core/Graph/Graph.h"

namespace astfe::core {

class GroupFinder {
public:
  explicit GroupFinder(const Graph &graph);

  uint64_t find(uint32_t part, uint64_t key) const;
  /// groups[i] is the group of keys[i] in part partOf[i], or in the only part
  /// where `partOf` is null.
  void find(const uint32_t *partOf, const uint64_t *keys, int64_t count,
            uint32_t *groups) const;

private:
  /// The groups that start in one part, and for each value of the leading bits
  /// of a key how many of them start below it.
  struct PartTable {
    std::vector<uint64_t> firstKeys;
    uint64_t groupsBefore = 0;
    unsigned tableBits = 0;
    std::vector<uint32_t> startsBelow;
  };
  static void buildTable(PartTable &table);
  static void findInPart(const PartTable &table, const uint64_t *keys,
                         int64_t count, uint32_t *groups);

  std::vector<PartTable> parts;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_GRAPH_GROUPFINDER_H
