//===- Blocks.cpp - refine and fuse of 1e5 blocks -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Plan.h"
#include "Inputs.h"

using namespace astfe::bench;
using namespace astfe::core;

namespace {

/// A grid of about 1e5 blocks over 1e7 nonzeros, and the options for 1000
/// workers.
struct Grid {
  Grid(Input input, OrderKind kind) {
    SparseView view = viewOf(input, 10000000);
    options.setWorkers(1000);
    options.profile.min = options.refine.min = 64;
    profile =
        *countProfile(view, *Space::whole(view.shape, kind), options.profile);
    for (int64_t leaf = 1600; graph.size() < 70000 && leaf > 1; leaf /= 2)
      graph = *partition(profile, {leaf, 1000});
  }

  PlanOptions options;
  Profile profile;
  Graph graph;
};

} // namespace

static void refineGraph(benchmark::State &state, Input input, OrderKind kind) {
  Grid grid(input, kind);
  for (auto _ : state) {
    Graph graph = *refine(grid.graph, grid.profile, grid.options.refine);
    benchmark::DoNotOptimize(graph.prefix.data());
  }
  state.counters["blocks"] = double(grid.graph.size());
  state.SetItemsProcessed(state.iterations() * int64_t(grid.graph.size()));
}

static void fuseGraph(benchmark::State &state, Input input, OrderKind kind) {
  Grid grid(input, kind);
  Graph fine = *refine(grid.graph, grid.profile, grid.options.refine);
  size_t groups = 0;
  for (auto _ : state) {
    Graph graph = *fuse(fine, grid.profile, grid.options.fuse);
    groups = graph.groupCount();
    benchmark::DoNotOptimize(groups);
  }
  state.counters["blocks"] = double(fine.size());
  state.counters["groups"] = double(groups);
  state.SetItemsProcessed(state.iterations() * int64_t(fine.size()));
}

#define ASTFE_GRAPHS(NAME)                                                     \
  BENCHMARK_CAPTURE(NAME, uniform_hilbert, Input::Uniform, OrderKind::Hilbert) \
      ->Unit(benchmark::kMillisecond);                                         \
  BENCHMARK_CAPTURE(NAME, rmat_hilbert, Input::Rmat, OrderKind::Hilbert)       \
      ->Unit(benchmark::kMillisecond);                                         \
  BENCHMARK_CAPTURE(NAME, rmat_rows, Input::Rmat, OrderKind::Rows)             \
      ->Unit(benchmark::kMillisecond);                                         \
  BENCHMARK_CAPTURE(NAME, tensor3d_hilbert, Input::Tensor3d,                   \
                    OrderKind::Hilbert)                                        \
      ->Unit(benchmark::kMillisecond);

ASTFE_GRAPHS(refineGraph)
ASTFE_GRAPHS(fuseGraph)
