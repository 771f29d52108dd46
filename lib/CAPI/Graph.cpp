//===- Graph.cpp - partition graphs of the C API --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE-c/Graph.h"
#include "ASTFE/Core/Graph/GraphFile.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Runtime/ABI.h"
#include "WithObject.h"
#include <cmath>

using namespace astfe;
using capi::fail;
using capi::GraphObject;
using capi::guarded;

static capi::ObjectTable<AstfeGraph, GraphObject> &graphs() {
  static auto &table = *new capi::ObjectTable<AstfeGraph, GraphObject>();
  return table;
}

std::shared_ptr<GraphObject> capi::graphOf(const AstfeGraph *name) {
  return objectOf(graphs(), name, "a graph");
}

static AstfeGraph *addGraph(core::Graph &&graph) {
  return graphs().add(std::make_shared<GraphObject>(std::move(graph)));
}

static_assert(int(ASTFE_REORDER_TWINS) == int(core::ReorderKind::Twins) &&
                  int(ASTFE_REORDER_AUTO) == int(core::ReorderKind::Twins) + 1,
              "numbers of this interface are those of Core, and auto");

/// Positions of 64 bits for more rows would not fit into an address space, and
/// rows + 1 must not overflow.
static constexpr int64_t kMaxExtent = int64_t(1) << 59;

static core::Result<core::IndexArray>
indexArray(const void *data, int32_t bits, int64_t size, const char *name) {
  if (!data && size > 0)
    return core::Error{std::string(name) + ": expected a pointer but got null"};
  if (bits == 32)
    return core::IndexArray(static_cast<const int32_t *>(data), size);
  if (bits == 64)
    return core::IndexArray(static_cast<const int64_t *>(data), size);
  return core::Error{std::string(name) + ": expected 32 or 64 bits but got " +
                     std::to_string(bits)};
}

core::Result<core::SparseView> capi::viewOf(const AstfeCsr *matrix) {
  if (!matrix)
    return core::Error{"expected a matrix but got null"};
  if (matrix->rows < 0 || matrix->columns < 0 || matrix->rows > kMaxExtent ||
      matrix->columns > kMaxExtent)
    return core::Error{"expected extents of 0 to 2^59 but got " +
                       std::to_string(matrix->rows) + " x " +
                       std::to_string(matrix->columns)};
  auto positions = indexArray(matrix->positions, matrix->positionBits,
                              matrix->rows + 1, "positions");
  if (!positions)
    return positions.error();
  const int64_t nonzeros = (*positions)[matrix->rows];
  if (nonzeros < 0)
    return core::Error{
        "positions: expected a last entry of at least 0 but got " +
        std::to_string(nonzeros)};
  auto coordinates = indexArray(matrix->coordinates, matrix->coordinateBits,
                                nonzeros, "coordinates");
  if (!coordinates)
    return coordinates.error();
  return core::SparseView::csr(matrix->rows, matrix->columns, *positions,
                               *coordinates);
}

core::Result<core::SparseView> capi::checkedViewOf(const AstfeCsr *matrix) {
  auto view = viewOf(matrix);
  if (!view)
    return view;
  if (auto status = view->check(); !status)
    return status.error();
  return view;
}

AstfePartitionOptions astfeDefaultPartitionOptions(void) {
  const core::RefineOptions refine;
  const core::FuseOptions fuse;
  return {ASTFE_ORDER_AUTO,
          core::Part().panelLog2,
          refine.min,
          0,
          NAN,
          refine.workers,
          refine.waves,
          fuse.cache,
          fuse.columns,
          fuse.elementBytes,
          ASTFE_REORDER_AUTO,
          core::kAutoHubs,
          core::kExpectedRuns};
}

static core::Result<core::PlanOptions>
planOptions(const AstfePartitionOptions &options) {
  if (options.order < 0 || options.order > ASTFE_ORDER_AUTO)
    return core::Error{"order: expected 0..4 but got " +
                       std::to_string(options.order)};
  if (options.panel < 0 || options.panel > 62)
    return core::Error{"panel: expected 0..62 but got " +
                       std::to_string(options.panel)};
  if (options.reorder < 0 || options.reorder > ASTFE_REORDER_AUTO)
    return core::Error{"reorder: expected 0.." +
                       std::to_string(ASTFE_REORDER_AUTO) + " but got " +
                       std::to_string(options.reorder)};
  if (options.hubs < core::kAutoHubs)
    return core::Error{"hubs: expected at least " +
                       std::to_string(core::kAutoHubs) + " but got " +
                       std::to_string(options.hubs)};
  // With these bounds bytes of rows are numbers of 64 bits.
  constexpr int64_t kMostBytes = 16;
  if (options.elementBytes > kMostBytes)
    return core::Error{"element bytes: expected at most " +
                       std::to_string(kMostBytes) + " but got " +
                       std::to_string(options.elementBytes)};
  constexpr int64_t kMostColumns = INT32_MAX;
  if (options.denseColumns < 1 || options.denseColumns > kMostColumns)
    return core::Error{"dense columns: expected 1.." +
                       std::to_string(kMostColumns) + " but got " +
                       std::to_string(options.denseColumns)};
  if (options.expectedRuns < 1)
    return core::Error{"expected runs: expected at least 1 but got " +
                       std::to_string(options.expectedRuns)};
  core::PlanOptions plan;
  plan.expectedRuns = options.expectedRuns;
  if (options.reorder != ASTFE_REORDER_AUTO)
    plan.reorder = core::ReorderKind(options.reorder);
  else if (options.order == ASTFE_ORDER_AUTO)
    plan.reorder = std::nullopt;
  if (options.hubs != core::kAutoHubs ||
      plan.reorder != core::ReorderKind::None)
    plan.hubs = options.hubs;
  if (options.order != ASTFE_ORDER_AUTO)
    plan.order = core::OrderKind(options.order);
  plan.panelLog2 = unsigned(options.panel);
  plan.profile.min = plan.refine.min = options.min;
  plan.profile.threads = unsigned(_mlir_ciface_astfe_rt_threads());
  plan.partition.leaf = options.leaf;
  plan.setWorkers(options.workers);
  if (!std::isnan(options.threshold))
    plan.setThreshold(options.threshold);
  plan.refine.waves = plan.fuse.waves = options.waves;
  plan.fuse.cache = options.cache;
  plan.fuse.columns = options.denseColumns;
  plan.fuse.elementBytes = options.elementBytes;
  return plan;
}

core::Result<core::Graph>
capi::partition(const core::SparseView &view,
                const AstfePartitionOptions *options) {
  auto wanted =
      planOptions(options ? *options : astfeDefaultPartitionOptions());
  if (!wanted)
    return wanted.error();
  auto plan = core::makePlan(view, *wanted);
  if (!plan)
    return plan.error();
  return std::move(plan->fused);
}

AstfeGraph *astfePartition(const AstfeCsr *matrix,
                           const AstfePartitionOptions *options) {
  return guarded<AstfeGraph *>(nullptr, [&]() -> AstfeGraph * {
    auto view = capi::checkedViewOf(matrix);
    if (!view)
      return fail(view.message()), nullptr;
    auto graph = capi::partition(*view, options);
    if (!graph)
      return fail(graph.message()), nullptr;
    return addGraph(std::move(*graph));
  });
}

void astfeGraphDestroy(AstfeGraph *graph) { graphs().remove(graph); }

/// A number read from a graph, or -1 where there is none.
template <typename T, typename Read>
static T numberOf(const AstfeGraph *name, Read &&read) {
  return guarded<T>(-1, [&]() -> T {
    auto graph = capi::graphOf(name);
    return graph ? T(read(graph->graph)) : -1;
  });
}

int32_t astfeGraphOrder(const AstfeGraph *graph) {
  return numberOf<int32_t>(graph, [](const core::Graph &g) {
    const auto &parts = g.space.parts;
    return parts.empty() ? ASTFE_ORDER_ROWS : int32_t(parts.back().kind);
  });
}

int64_t astfeGraphLimit(const AstfeGraph *graph) {
  return numberOf<int64_t>(graph, [](const core::Graph &g) { return g.limit; });
}

int64_t astfeGraphBlocks(const AstfeGraph *graph) {
  return numberOf<int64_t>(graph,
                           [](const core::Graph &g) { return g.size(); });
}

int64_t astfeGraphGroups(const AstfeGraph *graph) {
  return numberOf<int64_t>(graph,
                           [](const core::Graph &g) { return g.groupCount(); });
}

static void copyBlocks(const core::Graph &g, uint64_t *prefixes,
                       uint8_t *lengths, int64_t *nonzeros, int64_t *lower,
                       int64_t *log2) {
  for (size_t i = 0; i < g.size(); ++i) {
    if (prefixes)
      prefixes[i] = g.prefix[i];
    if (lengths)
      lengths[i] = g.length[i];
    if (nonzeros)
      nonzeros[i] = g.nonzeros[i];
    const core::Box box = g.box(i);
    for (unsigned k = 0; k < 2 && k < box.rank; ++k) {
      if (lower)
        lower[2 * i + k] = box.lower[k];
      if (log2)
        log2[2 * i + k] = box.log2[k];
    }
  }
}

void astfeGraphCopyBlocks(const AstfeGraph *name, uint64_t *prefixes,
                          uint8_t *lengths, int64_t *nonzeros, int64_t *lower,
                          int64_t *log2) {
  guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto graph = capi::graphOf(name);
    if (!graph)
      return 1;
    copyBlocks(graph->graph, prefixes, lengths, nonzeros, lower, log2);
    return 0;
  });
}

void astfeGraphCopyGroups(const AstfeGraph *name, int64_t *offsets) {
  guarded<AstfeStatus>(1, [&]() -> AstfeStatus {
    auto graph = capi::graphOf(name);
    if (!graph || !capi::given(offsets, "an array of offsets"))
      return 1;
    const auto &groups = graph->graph.groups;
    std::copy(groups.begin(), groups.end(), offsets);
    return 0;
  });
}

static std::shared_ptr<GraphObject> graphOfMode(const AstfeGraph *name,
                                                int32_t mode) {
  auto graph = capi::graphOf(name);
  if (graph && (mode < 0 || mode > 1)) {
    fail("expected mode 0 or 1 but got " + std::to_string(mode));
    return nullptr;
  }
  return graph;
}

int64_t astfeGraphExtent(const AstfeGraph *name, int32_t mode) {
  return guarded<int64_t>(-1, [&]() -> int64_t {
    auto graph = graphOfMode(name, mode);
    return graph ? graph->graph.space.shape[size_t(mode)] : -1;
  });
}

int32_t astfeGraphCopyPermutation(const AstfeGraph *name, int32_t mode,
                                  int64_t *numbers) {
  return guarded<int32_t>(-1, [&]() -> int32_t {
    auto graph = graphOfMode(name, mode);
    if (!graph)
      return -1;
    const auto &permutations = graph->graph.space.permutations;
    if (permutations.empty() || permutations[size_t(mode)].empty())
      return 0;
    const auto &permutation = permutations[size_t(mode)];
    if (numbers)
      std::copy(permutation.begin(), permutation.end(), numbers);
    return 1;
  });
}

const char *astfeGraphJson(AstfeGraph *name) {
  return guarded<const char *>(nullptr, [&]() -> const char * {
    auto graph = capi::graphOf(name);
    if (!graph)
      return nullptr;
    std::call_once(graph->jsonOnce,
                   [&] { graph->json = core::toJson(graph->graph); });
    return graph->json.c_str();
  });
}

AstfeGraph *astfeGraphFromJson(const char *text, size_t length) {
  return guarded<AstfeGraph *>(nullptr, [&]() -> AstfeGraph * {
    if (!text)
      return fail("expected a graph's text but got null"), nullptr;
    auto graph = core::parseGraph({text, length}, "graph");
    if (!graph)
      return fail(graph.message()), nullptr;
    if (graph->space.rank() != 2)
      return fail("expected a graph of 2 modes but got " +
                  std::to_string(graph->space.rank())),
             nullptr;
    return addGraph(std::move(*graph));
  });
}
