//===- Reorder.h - rows and columns that belong together, side by side ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order can only keep together what is near in the numbering. Reordering
// renumbers the rows and columns of a matrix (Space::permutations) so that
// those which share nonzeros are near; callers keep their own numbers.
//
// The graph that is renumbered: where at least half of a square matrix's
// entries have their mirror image, the vertices are the indices, the edges A +
// A^T, and rows and columns move alike. Otherwise rows and columns are vertices
// of their own and each nonzero joins a row to a column (the bipartite graph),
// so that rectangular matrices and rows and columns shuffled apart are covered
// too.
//
//  - labels: label propagation in levels. Each vertex takes the label that most
//    of its neighbours carry, as long as no label gathers more than a cap of
//    work; labels become the vertices of the next, coarser level, with twice
//    the cap. The tree of labels read from left to right is the numbering.
//    Last, cut into 64 equal runs, vertices move to the run that most
//    neighbours are in.
//  - rcm: reverse Cuthill-McKee. Breadth first from a vertex at the rim of each
//    component, neighbours of least degree first, read backwards: a small
//    bandwidth, for meshes.
//  - twins: rows with the same columns come side by side, and columns with the
//    same rows, in the order of the first of each. One pass finds hidden
//    blocks, and nothing else.
//
// Worked example: the edges 0-3, 1-4, 2-5 (three pairs) become 0 1 2 3 4 5 in
// the order 0 3 1 4 2 5, that is the permutation [0, 2, 4, 1, 3, 5].
//
// O(nonzeros) for twins, and for each level and pass of the others, of which
// the number is bounded (labels: 14 and 5). Labels sorts its twins and
// neighbours, O(n log n) of their number. The result depends on nothing but the
// pattern: ties go to the smallest index.
// docs/Algorithms/Reordering.md has the sources.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_REORDER_REORDER_H
#define ASTFE_CORE_REORDER_REORDER_H

#include "ASTFE/Core/Reorder/Hubs.h"

namespace astfe::core {

enum class ReorderKind : uint8_t {
#define ASTFE_REORDER(Name, name) Name,
#include "ASTFE/Core/Reorder/Reorders.def"
};

/// "none", "labels", "rcm" or "twins".
NameList reorderNames();
std::string_view reorderName(ReorderKind kind);
std::optional<ReorderKind> parseReorder(std::string_view name);

/// One permutation per mode, as Space has them (original index -> new index).
/// Hubs come first, in ascending order, and the graph knows nothing of their
/// nonzeros; indices without nonzeros come last. ReorderKind::None only moves
/// the hubs; two empty permutations where it has none, and where there are no
/// twins (nor hubs) for ReorderKind::Twins. Fails for other than
/// two modes and for more than 2^31-1 rows and columns together. The view's
/// coordinates must be in range (check()).
Result<std::vector<std::vector<int64_t>>>
reorder(const SparseView &view, ReorderKind kind, const Hubs &hubs = {});

} // namespace astfe::core

#endif // ASTFE_CORE_REORDER_REORDER_H
