//===- Cut.cpp - nonzeros per second from coordinates to a cut ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Profile.h"
#include "Inputs.h"

using namespace astfe::bench;
using namespace astfe::core;

/// Coordinates are checked, hashed, encoded and counted.
static void countBins(benchmark::State &state, Input input, OrderKind kind) {
  SparseView view = viewOf(input, state.range(0));
  Space space = *Space::whole(view.shape, kind);
  ProfileOptions options;
  options.threads = unsigned(state.range(1));
  size_t bins = 0;
  for (auto _ : state) {
    Result<Profile> profile = countProfile(view, space, options);
    bins = profile->size();
    benchmark::DoNotOptimize(bins);
  }
  state.counters["bins"] = double(bins);
  state.SetItemsProcessed(state.iterations() * view.nonzeros());
}

BENCHMARK_CAPTURE(countBins, uniform_hilbert, Input::Uniform,
                  OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(countBins, rmat_hilbert, Input::Rmat, OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(countBins, tensor3d_hilbert, Input::Tensor3d,
                  OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(countBins, uniform_rows, Input::Uniform, OrderKind::Rows)
    ->Apply(allSizes);
