//===- Scotch.cpp - the partition of Scotch ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Volume.h"
#ifdef ASTFE_HAVE_SCOTCH
#include "RowGraph.h"
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <scotch.h>
#endif

using namespace astfe;
using namespace astfe::bench;

#ifdef ASTFE_HAVE_SCOTCH

static_assert(sizeof(SCOTCH_Num) == 4, "a RowGraph has 32-bit indices");

/// False where Scotch reports an error.
static bool partition(const RowGraph &graph, int64_t workers,
                      std::vector<int32_t> &part) {
  SCOTCH_Graph rows;
  SCOTCH_Strat strategy;
  if (SCOTCH_graphInit(&rows))
    return false;
  SCOTCH_stratInit(&strategy);
  const int32_t *begin = graph.begin.data();
  SCOTCH_randomReset();
  bool done =
      !SCOTCH_graphBuild(&rows, /*baseval=*/0, SCOTCH_Num(part.size()), begin,
                         begin + 1, graph.weight.data(), /*vlbltab=*/nullptr,
                         SCOTCH_Num(graph.neighbor.size()),
                         graph.neighbor.data(), /*edlotab=*/nullptr) &&
      !SCOTCH_graphPart(&rows, SCOTCH_Num(workers), &strategy, part.data());
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&rows);
  return done;
}

std::optional<PeerVolume> bench::scotchVolume(const core::SparseView &view,
                                              int64_t workers) {
  std::optional<RowGraph> graph = rowGraph(view);
  if (!graph)
    return std::nullopt;
  std::vector<int32_t> part(size_t(view.shape[0]), 0);
  auto begin = std::chrono::steady_clock::now();
  if (!partition(*graph, workers, part))
    return std::nullopt;
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  return PeerVolume{volume(view, workersOfRows(view, part)), seconds.count()};
}

#else

std::optional<PeerVolume> bench::scotchVolume(const core::SparseView &,
                                              int64_t) {
  return std::nullopt;
}

#endif
