//===- Metis.cpp - the partition of METIS ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Volume.h"
#include <algorithm>
#include <chrono>
#ifdef ASTFE_HAVE_METIS
#include <metis.h>
#endif

using namespace astfe;
using namespace astfe::bench;

#ifdef ASTFE_HAVE_METIS

namespace {
/// The graph A + A^T without self loops, as METIS takes it.
struct Symmetric {
  std::vector<idx_t> begin{0}, neighbor, weight;
};
} // namespace

static Symmetric symmetricOf(const core::SparseView &view) {
  std::vector<std::pair<idx_t, idx_t>> edges;
  Symmetric graph;
  for (int64_t row = 0; row < view.shape[0]; ++row) {
    graph.weight.push_back(
        idx_t(view.positions[row + 1] - view.positions[row]));
    for (int64_t n = view.positions[row]; n < view.positions[row + 1]; ++n)
      if (view.coordinates[0][n] != row) {
        edges.push_back({idx_t(row), idx_t(view.coordinates[0][n])});
        edges.push_back({idx_t(view.coordinates[0][n]), idx_t(row)});
      }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (size_t i = 0; i < edges.size(); ++i) {
    while (idx_t(graph.begin.size()) <= edges[i].first)
      graph.begin.push_back(idx_t(i));
    graph.neighbor.push_back(edges[i].second);
  }
  graph.begin.resize(size_t(view.shape[0]) + 1, idx_t(edges.size()));
  return graph;
}

std::optional<MetisResult> bench::metisVolume(const core::SparseView &view,
                                              int64_t workers) {
  if (view.format != core::SparseFormat::Csr || view.shape[0] != view.shape[1])
    return std::nullopt;
  Symmetric graph = symmetricOf(view);
  // Of matrices that are no graphs METIS would see twice the nonzeros.
  if (int64_t(graph.neighbor.size()) > view.nonzeros() + view.nonzeros() / 2)
    return std::nullopt;
  idx_t vertices = idx_t(view.shape[0]), constraints = 1, objective = 0;
  auto parts = idx_t(workers);
  std::vector<idx_t> part(size_t(vertices), 0);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;
  auto begin = std::chrono::steady_clock::now();
  if (METIS_PartGraphKway(&vertices, &constraints, graph.begin.data(),
                          graph.neighbor.data(), graph.weight.data(), nullptr,
                          nullptr, &parts, nullptr, nullptr, options,
                          &objective, part.data()) != METIS_OK)
    return std::nullopt;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  std::vector<int32_t> workerOf(size_t(view.nonzeros()));
  for (int64_t row = 0; row < view.shape[0]; ++row)
    std::fill(workerOf.begin() + view.positions[row],
              workerOf.begin() + view.positions[row + 1],
              int32_t(part[size_t(row)]));
  return MetisResult{volume(view, workerOf), seconds.count()};
}

#else

std::optional<MetisResult> bench::metisVolume(const core::SparseView &,
                                              int64_t) {
  return std::nullopt;
}

#endif
