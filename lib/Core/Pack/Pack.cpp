//===- Pack.cpp - from a sparse view and a graph to tables ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Pack/Strips.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/Shape.h"
#include "ASTFE/Core/Support/WithinMemory.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Pack/PackStages.h"
#include "Tensor/Fingerprint.h"
#include <algorithm>

namespace astfe::core {
namespace {

Status checkShape(const SparseView &view, const Graph &graph) {
  if (view.rank() != 2)
    return Error{"expected a matrix to pack but got a tensor of rank " +
                 std::to_string(view.rank())};
  if (view.shape != graph.space.shape)
    return Error{"expected a tensor of the graph's shape " +
                 shapeText(graph.space.shape) + " but got " +
                 shapeText(view.shape)};
  for (int64_t extent : view.shape)
    if (extent > std::numeric_limits<int32_t>::max())
      return Error{"expected extents of at most 2147483647 to pack but got " +
                   std::to_string(extent)};
  return Success{};
}

Status checkOptions(const PackOptions &options) {
  if (options.workers < 1)
    return Error{"expected at least 1 worker but got " +
                 std::to_string(options.workers)};
  if (options.maxSpanSlots < 1 ||
      options.maxSpanSlots > std::numeric_limits<int32_t>::max())
    return Error{"expected spans of 1..2147483647 slots but got " +
                 std::to_string(options.maxSpanSlots)};
  return options.layout.check();
}

/// Tables without work: every worker has no spans.
void makeEmptyTables(int64_t workers, Packed &packed) {
  packed.workerSpan.assign(size_t(workers) + 1, 0);
  packed.spanSlot.assign(1, 0);
  packed.spanSegment.assign(1, 0);
  packed.combineBegin.assign(1, 0);
  packed.workerGap.assign(size_t(workers) + 1, 0);
}

Status buildTables(const SparseView &view, const Graph &graph,
                   const PackOptions &options, Packed &packed) {
  PackPlan plan = placeNonzeros(
      sortNonzeros(view, graph, options.layout.columnBits, options.threads),
      options, packed);
  packed.slots = plan.slots();
  cutSpans(std::move(plan), options, packed);
  return shareRows(packed, options.threads);
}

Result<Packed> packChecked(const SparseView &view, const Graph &graph,
                           const PackOptions &options) {
  Packed packed;
  packed.shape = view.shape;
  packed.layout = options.layout;
  packed.nonzeros = packed.slots = view.nonzeros();
  packed.groups = int64_t(graph.groupCount());
  packed.tilesTogether = options.tilesTogether;
  std::optional<uint64_t> fingerprint =
      fingerprintIfInside(view, options.threads);
  if (!fingerprint)
    return view.check().error();
  packed.fingerprint = *fingerprint;
  const bool isView = options.layout.storage == Storage::View;
  if (isView || packed.nonzeros == 0)
    makeEmptyTables(options.workers, packed);
  else if (Status status = buildTables(view, graph, options, packed); !status)
    return status.error();
  if (!isView)
    findStarts(packed, options.threads);
  if (packed.segments() != 0)
    packed.stripBytes =
        chooseStripBytes(Machine(), packed, options.layout.denseBytes);
  // Kernels of a GPU count spans in 32 bits.
  constexpr int64_t kMostSpans = std::numeric_limits<int32_t>::max();
  if (options.layout.target == PackTarget::GPU && packed.spans() > kMostSpans)
    return Error{"expected at most " + std::to_string(kMostSpans) +
                 " spans for a GPU but got " + std::to_string(packed.spans()) +
                 "; use a coarser graph"};
  return packed;
}

} // namespace

int64_t segmentCost(const Layout &layout) {
  // Columns of 4 bytes whose sectors are as many as those of its own.
  constexpr int64_t kOwn = rules::kSegmentSectors * rules::kSectorBytes / 4;
  const int64_t tile = layout.columnTile;
  if (layout.target == PackTarget::Host)
    return 0;
  return tile == 0 ? 1
                   : (rules::kReadAndWritten * tile + kOwn + tile / 2) / tile;
}

int64_t gpuWorkers(int64_t warps, int64_t nonzeros) {
  int64_t wanted = nonzeros / kGPULeastWork;
  if (wanted > kGPUBlockWarps)
    wanted -= wanted % kGPUBlockWarps;
  return std::max<int64_t>(1, std::min(warps, wanted));
}

Result<Packed> pack(const SparseView &view, const Graph &graph,
                    const PackOptions &options) {
  for (const Status &status :
       {checkOptions(options), checkShape(view, graph), graph.check()})
    if (!status)
      return status.error();
  // Coordinates are checked where they are hashed.
  if (Status status = view.checkPositions(); !status)
    return status.error();
  PackOptions limited = options;
  if (options.layout.target == PackTarget::GPU)
    limited.maxSpanSlots = std::min(limited.maxSpanSlots, kMostGPUSpanSlots);
  return withinMemory({"out of memory packing " +
                       std::to_string(view.nonzeros()) + " nonzeros"},
                      [&] { return packChecked(view, graph, limited); });
}

} // namespace astfe::core
