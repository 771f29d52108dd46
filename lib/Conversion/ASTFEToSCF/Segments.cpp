//===- Segments.cpp - emitters of the classes of segments -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segment -> RowSegments | Scattered | DenseTile | RowSlices | RowWindows
//          | RowTiles | RowPairs, each over one span; tiles, slices and windows
// are in files of their own.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
#include "PackedLoops.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

void host::emitSegmentRow(PackedKernel &kernel, const Columns &columns, Value g,
                          Value begin, Value end) {
  RowRun run{begin, end, kernel.rowOf(g), columns};
  if (kernel.body.dims() > kDenseDim &&
      kernel.shape.maxVectors >= kFetchedVectors)
    run.fetched = kernel.fetchedRow(g);
  emitRow(kernel.body, run, kernel.shape,
          [&](const ColumnTile &tile, ValueRange sums) {
            kernel.flush(g, tile, sums);
          });
}

/// The rows of the span from one on.
static void emitRows(PackedKernel &kernel, const Span &span,
                     const SegmentStart &from) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Columns columns = span.stored(kernel.tables, kernel.columnBits);
  if (kernel.body.panel.begin)
    columns.last =
        arith::SubIOp::create(b, span.slotsEnd, kernel.body.index(1));
  forEachSegment(kernel, span, from, [&](Value g, Value begin, Value end) {
    emitSegmentRow(kernel, columns, g, begin, end);
  });
}

void host::emitRowSegments(PackedKernel &kernel, const Span &span) {
  emitRows(kernel, span, span);
}

void host::emitNonzero(PackedKernel &kernel, const Columns &columns, Value g,
                       Value n) {
  ComputeBody &body = kernel.body;
  RowRun run{n, n, kernel.rowOf(g), columns};
  LaneShape shape = kernel.shape;
  auto emitTile = [&](ColumnTile tile) {
    kernel.flush(g, tile,
                 tileContributions(body, run, tile, n, columns.at(body.b, n)));
  };
  Value dense = denseColumns(body);
  // A copy of the code for each number of vectors is not worth it here.
  if (dense && !matchPattern(dense, m_Constant()))
    shape.maxVectors = 1;
  if (dense)
    forEachTileOfPanel(body, shape, emitTile);
  else
    emitTile(ColumnTile());
}

void host::emitScattered(PackedKernel &kernel, const Span &span) {
  Columns columns = span.stored(kernel.tables, kernel.columnBits);
  forEachSegment(kernel, span, span, [&](Value g, Value n, Value) {
    emitNonzero(kernel, columns, g, n);
  });
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

using Emitter = void (*)(PackedKernel &, const Span &);

static Emitter emitterOf(core::SegmentClass kind) {
  switch (kind) {
  case core::SegmentClass::RowSegments:
    return emitRowSegments;
  case core::SegmentClass::Scattered:
    return emitScattered;
  case core::SegmentClass::DenseTile:
    return emitDenseTile;
  case core::SegmentClass::RowSlices:
    return emitRowSlices;
  case core::SegmentClass::RowWindows:
    return emitRowWindows;
  case core::SegmentClass::RowTiles:
    return emitRowTiles;
  case core::SegmentClass::RowPairs:
    return emitRowPairs;
  }
  llvm_unreachable("a class that no layout permits");
}

/// Whether rows that no block of a tile takes go through the code for row
/// segments, which would be there twice.
static bool sharesRows(PackedKernel &kernel, core::ClassSet classes) {
  return classes.contains(core::SegmentClass::RowSegments) &&
         classes.contains(core::SegmentClass::RowTiles) &&
         denseColumns(kernel.body);
}

/// Emits what the class alone has, and returns the rows that are left.
static SegmentStart emitOwn(PackedKernel &kernel, const Span &span,
                            core::SegmentClass kind) {
  if (kind == core::SegmentClass::RowSegments)
    return span;
  if (kind == core::SegmentClass::RowTiles)
    return emitTileBlocks(kernel, span);
  emitterOf(kind)(kernel, span);
  return {span.segmentsEnd, span.slotsEnd};
}

void host::emitByClass(PackedKernel &kernel, const Span &span,
                       core::ClassSet classes) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  SmallVector<int64_t> kinds;
  for (unsigned kind = 0; kind < core::kSegmentClasses; ++kind)
    if (classes.contains(core::SegmentClass(kind)))
      kinds.push_back(kind);
  // The kernel was asked before whether there are others.
  auto last = core::SegmentClass(kinds.pop_back_val());
  if (kinds.empty())
    return emitterOf(last)(kernel, span);
  const bool shares = sharesRows(kernel, classes);
  SmallVector<Type> left(shares ? 2 : 0, b.getIndexType());
  auto choice =
      scf::IndexSwitchOp::create(b, left, span.kind, kinds, kinds.size());
  auto fill = [&](Region &region, core::SegmentClass kind) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    if (!shares) {
      emitterOf(kind)(kernel, span);
      scf::YieldOp::create(b);
      return;
    }
    SegmentStart rest = emitOwn(kernel, span, kind);
    scf::YieldOp::create(b, ValueRange{rest.segment, rest.slot});
  };
  fill(choice.getDefaultRegion(), last);
  for (auto [kind, region] : llvm::zip(kinds, choice.getCaseRegions()))
    fill(region, core::SegmentClass(kind));
  if (shares)
    emitRows(kernel, span, {choice.getResult(0), choice.getResult(1)});
}
