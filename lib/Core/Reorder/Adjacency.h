//===- Adjacency.h - the graph that a reordering looks at -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices and neighbours of a matrix without its hubs (Reorder.h says which
// graph). Nobody is its own neighbour.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_REORDER_ADJACENCY_H
#define ASTFE_LIB_CORE_REORDER_ADJACENCY_H

#include "ASTFE/Core/Reorder/Hubs.h"

namespace astfe::core {

/// Lists of indices: list i is index[begin[i] .. begin[i + 1]).
struct IndexLists {
  std::vector<int64_t> begin{0};
  std::vector<int32_t> index;

  int64_t size() const { return int64_t(begin.size()) - 1; }
  ArrayRef<int32_t> operator[](int64_t i) const {
    return {index.data() + begin[size_t(i)],
            index.data() + begin[size_t(i) + 1]};
  }
  int64_t length(int64_t i) const {
    return begin[size_t(i) + 1] - begin[size_t(i)];
  }
};

struct Adjacency {
  int64_t rows = 0, columns = 0;
  /// Columns are vertices of their own, from `rows` on.
  bool bipartite = false;
  IndexLists neighbors;
  /// Nonzeros of each vertex, self loops included.
  std::vector<int64_t> work;

  int64_t vertices() const { return neighbors.size(); }
  /// The vertex of row 0 or column 0; the others follow.
  int64_t firstVertex(unsigned mode) const {
    return mode == 1 && bipartite ? rows : 0;
  }
};

/// The columns of each row of a sound matrix, ascending, without hubs.
/// O(nonzeros + rows + columns).
IndexLists sortedRowsOf(const SparseView &view, const Hubs &hubs);

/// `view` is a sound matrix of fewer than 2^31 rows and columns together.
Adjacency adjacencyOf(const SparseView &view, const Hubs &hubs);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_REORDER_ADJACENCY_H
