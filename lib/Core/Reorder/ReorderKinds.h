//===- ReorderKinds.h - numberings of the vertices of a graph -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each returns all vertices in their new order.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_REORDER_REORDERKINDS_H
#define ASTFE_LIB_CORE_REORDER_REORDERKINDS_H

#include "Reorder/Adjacency.h"

namespace astfe::core {

/// Levels of labels, read from left to right, then moved to better runs.
std::vector<int32_t> numberByLabels(const Adjacency &graph);

/// Reverse Cuthill-McKee, component by component.
std::vector<int32_t> numberByCuthillMcKee(const Adjacency &graph);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_REORDER_REORDERKINDS_H
