//===- ReorderCuthillMcKee.cpp - reverse Cuthill-McKee --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuthill and McKee, "Reducing the bandwidth of sparse symmetric matrices"
// (1969); the vertex to begin with as George and Liu, "An implementation of a
// pseudoperipheral node finder" (1979), find it: the far end of a search, as
// long as that makes searches deeper.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Reorder/ReorderKinds.h"
#include <algorithm>

namespace astfe::core {
namespace {

class CuthillMcKee {
public:
  explicit CuthillMcKee(const Adjacency &graph)
      : graph(graph), stamps(size_t(graph.vertices()), 0),
        placed(size_t(graph.vertices()), false) {
    order.reserve(size_t(graph.vertices()));
  }

  std::vector<int32_t> run() {
    for (int32_t vertex : byDegree())
      if (!placed[size_t(vertex)])
        number(rimOf(vertex));
    std::reverse(order.begin(), order.end());
    return std::move(order);
  }

private:
  int64_t degree(int32_t vertex) const {
    return graph.neighbors.length(vertex);
  }
  bool isLess(int32_t a, int32_t b) const {
    return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
  }

  std::vector<int32_t> byDegree() const;
  int32_t rimOf(int32_t vertex);
  int64_t search(int32_t from, int32_t &last);
  void number(int32_t from);

  const Adjacency &graph;
  std::vector<int32_t> order, found;
  std::vector<int32_t> stamps; ///< the last search that saw a vertex
  std::vector<bool> placed;
  int32_t searches = 0;
};

/// All vertices, those of least degree first: a counting sort.
std::vector<int32_t> CuthillMcKee::byDegree() const {
  int64_t largest = 0;
  for (int64_t v = 0; v < graph.vertices(); ++v)
    largest = std::max(largest, graph.neighbors.length(v));
  std::vector<int64_t> next(size_t(largest) + 2, 0);
  for (int64_t v = 0; v < graph.vertices(); ++v)
    ++next[size_t(graph.neighbors.length(v)) + 1];
  for (size_t d = 1; d < next.size(); ++d)
    next[d] += next[d - 1];
  std::vector<int32_t> sorted(size_t(graph.vertices()));
  for (int64_t v = 0; v < graph.vertices(); ++v)
    sorted[size_t(next[size_t(graph.neighbors.length(v))]++)] = int32_t(v);
  return sorted;
}

/// Breadth first: the depth, and the vertex of least degree in the last level.
int64_t CuthillMcKee::search(int32_t from, int32_t &last) {
  ++searches;
  found.assign(1, from);
  stamps[size_t(from)] = searches;
  int64_t depth = 0;
  for (size_t begin = 0; begin < found.size(); ++depth) {
    size_t end = found.size();
    last = found[begin];
    for (; begin < end; ++begin) {
      if (isLess(found[begin], last))
        last = found[begin];
      for (int32_t next : graph.neighbors[found[begin]])
        if (stamps[size_t(next)] != searches) {
          stamps[size_t(next)] = searches;
          found.push_back(next);
        }
    }
  }
  return depth;
}

int32_t CuthillMcKee::rimOf(int32_t vertex) {
  if (degree(vertex) == 0)
    return vertex;
  int32_t last = vertex;
  int64_t depth = search(vertex, last);
  for (int i = 1; i < rules::kRimSearches; ++i) {
    int32_t next = last;
    int64_t deeper = search(next, last);
    if (deeper <= depth)
      return next;
    depth = deeper;
  }
  return last;
}

void CuthillMcKee::number(int32_t from) {
  size_t next = order.size();
  order.push_back(from);
  placed[size_t(from)] = true;
  for (; next < order.size(); ++next) {
    size_t first = order.size();
    for (int32_t neighbor : graph.neighbors[order[next]])
      if (!placed[size_t(neighbor)]) {
        placed[size_t(neighbor)] = true;
        order.push_back(neighbor);
      }
    std::sort(order.begin() + int64_t(first), order.end(),
              [&](int32_t a, int32_t b) { return isLess(a, b); });
  }
}

} // namespace

std::vector<int32_t> numberByCuthillMcKee(const Adjacency &graph) {
  return CuthillMcKee(graph).run();
}

} // namespace astfe::core
