//===- Neighbors.h - face neighbours of the blocks ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges E of a graph: pairs of blocks whose boxes share a face of positive
// measure, each with the axis normal to that face and the bytes of input (or
// output) rows that both touch. In 2-D there are at most 3|V|-6 of them. Along
// a reduction axis neighbours share output rows, along a parallel one inputs.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_GRAPH_NEIGHBORS_H
#define ASTFE_CORE_GRAPH_NEIGHBORS_H

#include "ASTFE/Core/Graph/Traffic.h"

namespace astfe::core {

struct Edge {
  int64_t from, to; ///< block numbers, from < to
  int64_t axis;     ///< normal to the shared face
  int64_t bytes;    ///< modelled bytes that both blocks touch

  bool operator==(const Edge &o) const {
    return from == o.from && to == o.to && axis == o.axis && bytes == o.bytes;
  }
};

/// All edges, sorted by (from, to). O(|V| log |V| + |E|).
std::vector<Edge> faceNeighbors(const Graph &graph, const TrafficModel &model);

/// The unit of `bytes` where no dense operand is in sight: rows of it, an
/// output row twice (read and written). Times columns times element bytes, that
/// is the bytes of any other model.
constexpr TrafficModel kCountRows{/*columns=*/1, /*elementBytes=*/1};

/// Fails unless `edges`, in rows, are all edges of the graph in their order:
/// names the first one that is missing, extra or wrong. As fast as deriving.
Status checkEdges(const Graph &graph, ArrayRef<Edge> edges);

} // namespace astfe::core

#endif // ASTFE_CORE_GRAPH_NEIGHBORS_H
