//===- Metis.cpp - the partition of METIS --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Volume.h"
#ifdef ASTFE_HAVE_METIS
#include "RowGraph.h"
#include <chrono>
#include <metis.h>
#endif

using namespace astfe;
using namespace astfe::bench;

#ifdef ASTFE_HAVE_METIS

static_assert(IDXTYPEWIDTH == 32, "a RowGraph has 32-bit indices");

std::optional<PeerVolume> bench::metisVolume(const core::SparseView &view,
                                             int64_t workers) {
  std::optional<RowGraph> graph = rowGraph(view);
  if (!graph)
    return std::nullopt;
  auto vertices = idx_t(view.shape[0]), parts = idx_t(workers);
  idx_t constraints = 1, objective = 0;
  std::vector<idx_t> part(size_t(vertices), 0);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;
  auto begin = std::chrono::steady_clock::now();
  if (METIS_PartGraphKway(&vertices, &constraints, graph->begin.data(),
                          graph->neighbor.data(), graph->weight.data(), nullptr,
                          nullptr, &parts, nullptr, nullptr, options,
                          &objective, part.data()) != METIS_OK)
    return std::nullopt;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  return PeerVolume{volume(view, workersOfRows(view, part)), seconds.count()};
}

#else

std::optional<PeerVolume> bench::metisVolume(const core::SparseView &,
                                             int64_t) {
  return std::nullopt;
}

#endif
