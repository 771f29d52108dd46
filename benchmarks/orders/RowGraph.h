//===- RowGraph.h - rows to be dealt out by a peer -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What graph partitioners take of a square matrix: the graph A + A^T without
// self loops, vertices weighed by their nonzeros.
//
// Worked example: [[a, b], [0, d]] has the edge 0 -- 1 (begin 0 1 2, neighbor
// 1 0) and the weights 2 and 1.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_ORDERS_ROWGRAPH_H
#define ASTFE_BENCHMARKS_ORDERS_ROWGRAPH_H

#include "ASTFE/Core/Tensor/SparseView.h"
#include <optional>

namespace astfe::bench {

/// Compressed adjacency: vertex v has neighbor[begin[v]] to
/// neighbor[begin[v + 1] - 1], ascending.
struct RowGraph {
  std::vector<int32_t> begin, neighbor, weight;
};

/// Nothing of matrices that are not square CSR, or far from symmetric: there a
/// partitioner of graphs would see twice the nonzeros.
std::optional<RowGraph> rowGraph(const core::SparseView &view);

/// The worker of each nonzero where row i is dealt to part[i].
std::vector<int32_t> workersOfRows(const core::SparseView &view,
                                   const std::vector<int32_t> &part);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_ORDERS_ROWGRAPH_H
