//===- Cut.cpp - nonzeros per second from coordinates to a cut ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Pack/Assign.h"
#include "Inputs.h"

using namespace astfe::bench;
using namespace astfe::core;

/// From coordinates to the offsets of 64 workers: coordinates are checked,
/// hashed, encoded and counted, the bins become blocks, the blocks are
/// assigned.
static void cutEvenly(benchmark::State &state, Input input, OrderKind kind) {
  SparseView view = viewOf(input, state.range(0));
  Space space = *Space::whole(view.shape, kind);
  ProfileOptions options;
  options.threads = unsigned(state.range(1));
  double uneven = 0;
  for (auto _ : state) {
    Graph graph = *partition(*countProfile(view, space, options), {});
    std::vector<int64_t> sums{0};
    for (int64_t nonzeros : graph.nonzeros)
      sums.push_back(sums.back() + nonzeros);
    uneven = imbalance(assign(sums, 64));
  }
  state.counters["imbalance"] = uneven;
  state.SetItemsProcessed(state.iterations() * view.nonzeros());
}

BENCHMARK_CAPTURE(cutEvenly, uniform_hilbert, Input::Uniform,
                  OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(cutEvenly, rmat_hilbert, Input::Rmat, OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(cutEvenly, tensor3d_hilbert, Input::Tensor3d,
                  OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(cutEvenly, uniform_rows, Input::Uniform, OrderKind::Rows)
    ->Apply(allSizes);
