//===- RowGraph.cpp - rows to be dealt out by a peer ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGraph.h"
#include <algorithm>

using namespace astfe;
using namespace astfe::bench;

std::optional<RowGraph> bench::rowGraph(const core::SparseView &view) {
  if (view.format != core::SparseFormat::Csr || view.shape[0] != view.shape[1])
    return std::nullopt;
  std::vector<std::pair<int32_t, int32_t>> edges;
  RowGraph graph;
  for (int64_t row = 0; row < view.shape[0]; ++row) {
    graph.weight.push_back(
        int32_t(view.positions[row + 1] - view.positions[row]));
    for (int64_t n = view.positions[row]; n < view.positions[row + 1]; ++n)
      if (view.coordinates[0][n] != row) {
        edges.push_back({int32_t(row), int32_t(view.coordinates[0][n])});
        edges.push_back({int32_t(view.coordinates[0][n]), int32_t(row)});
      }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  if (int64_t(edges.size()) > view.nonzeros() + view.nonzeros() / 2)
    return std::nullopt;
  graph.begin.push_back(0);
  for (size_t i = 0; i < edges.size(); ++i) {
    while (int32_t(graph.begin.size()) <= edges[i].first)
      graph.begin.push_back(int32_t(i));
    graph.neighbor.push_back(edges[i].second);
  }
  graph.begin.resize(size_t(view.shape[0]) + 1, int32_t(edges.size()));
  return graph;
}

std::vector<int32_t> bench::workersOfRows(const core::SparseView &view,
                                          const std::vector<int32_t> &part) {
  std::vector<int32_t> workerOf(size_t(view.nonzeros()));
  for (int64_t row = 0; row < view.shape[0]; ++row)
    std::fill(workerOf.begin() + view.positions[row],
              workerOf.begin() + view.positions[row + 1], part[size_t(row)]);
  return workerOf;
}
