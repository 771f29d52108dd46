//===- ReorderKinds.h - numberings of the vertices of a graph -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each but the first returns all vertices in their new order.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_REORDER_REORDERKINDS_H
#define ASTFE_LIB_CORE_REORDER_REORDERKINDS_H

#include "Reorder/Adjacency.h"

namespace astfe::core {

/// SplitMix64: spreads every bit over the whole word.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Rows that are alike side by side, and columns: a permutation for each.
std::vector<std::vector<int64_t>> permuteByTwins(const SparseView &view,
                                                 const Hubs &hubs);

/// Levels of labels, read from left to right, then moved to better runs.
std::vector<int32_t> numberByLabels(const Adjacency &graph);

/// Reverse Cuthill-McKee, component by component.
std::vector<int32_t> numberByCuthillMcKee(const Adjacency &graph);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_REORDER_REORDERKINDS_H
