//===- Packing.cpp - nonzeros per second from a graph to packed tables ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "Inputs.h"

using namespace astfe::bench;
using namespace astfe::core;

static Graph graphOf(const SparseView &view, OrderKind kind) {
  PlanOptions options;
  options.order = kind;
  return makePlan(view, options)->fused;
}

static PackOptions packOptions(const benchmark::State &state) {
  PackOptions options;
  options.layout.storage = Storage::Packed;
  options.workers = options.threads = unsigned(state.range(1));
  return options;
}

/// The graph is given: classification, tables, slot map, then the values.
static void packMatrix(benchmark::State &state, Input input, OrderKind kind) {
  SparseView view = viewOf(input, state.range(0));
  Graph graph = graphOf(view, kind);
  PackOptions options = packOptions(state);
  std::vector<float> values(size_t(view.nonzeros()), 1.0f);
  std::vector<float> result(size_t(pack(view, graph, options)->slots));
  for (auto _ : state) {
    Result<Packed> packed = pack(view, graph, options);
    packValues(*packed, values.data(), result.data(), options.threads);
    benchmark::DoNotOptimize(result.data());
  }
  state.counters["groups"] = double(graph.groupCount());
  state.SetItemsProcessed(state.iterations() * view.nonzeros());
}

/// New values into a pattern that stays.
static void gatherOnly(benchmark::State &state, OrderKind kind) {
  SparseView view = viewOf(Input::Rmat, state.range(0));
  Packed packed = *pack(view, graphOf(view, kind), packOptions(state));
  std::vector<float> values(size_t(view.nonzeros()), 1.0f);
  std::vector<float> result(size_t(packed.slots));
  for (auto _ : state) {
    packValues(packed, values.data(), result.data(), unsigned(state.range(1)));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * view.nonzeros());
}

/// What reading a packed file costs beside the reading.
static void checkPacked(benchmark::State &state, OrderKind kind) {
  SparseView view = viewOf(Input::Rmat, state.range(0));
  Packed packed = *pack(view, graphOf(view, kind), packOptions(state));
  for (auto _ : state)
    benchmark::DoNotOptimize(bool(packed.check()));
  state.SetItemsProcessed(state.iterations() * view.nonzeros());
}

BENCHMARK_CAPTURE(packMatrix, uniform_rows, Input::Uniform, OrderKind::Rows)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(packMatrix, uniform_hilbert, Input::Uniform,
                  OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(packMatrix, rmat_rows, Input::Rmat, OrderKind::Rows)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(packMatrix, rmat_hilbert, Input::Rmat, OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(gatherOnly, rmat_rows, OrderKind::Rows)->Apply(allSizes);
BENCHMARK_CAPTURE(gatherOnly, rmat_hilbert, OrderKind::Hilbert)
    ->Apply(allSizes);
BENCHMARK_CAPTURE(checkPacked, rmat_hilbert, OrderKind::Hilbert)
    ->Apply(allSizes);
