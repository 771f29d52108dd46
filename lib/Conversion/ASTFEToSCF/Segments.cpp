//===- Segments.cpp - emitters of the classes of segments -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segment -> RowSegments | Scattered | DenseTile | RowSlices | RowWindows, each
// over one span; the last two are in files of their own.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel.h"
#include "PackedLoops.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

static void emitSegmentRow(PackedKernel &kernel, const Columns &columns,
                           Value g, Value begin, Value end) {
  RowRun run{begin, end, kernel.rowOf(g), columns};
  emitRow(kernel.body, run, kernel.shape,
          [&](const ColumnTile &tile, ValueRange sums) {
            kernel.flush(g, tile, sums);
          });
}

void host::emitRowSegments(PackedKernel &kernel, const Span &span) {
  Columns columns = span.stored(kernel.tables, kernel.columnBits);
  forEachSegment(kernel, span, [&](Value g, Value begin, Value end) {
    emitSegmentRow(kernel, columns, g, begin, end);
  });
}

void host::emitNonzero(PackedKernel &kernel, const Columns &columns, Value g,
                       Value n) {
  ComputeBody &body = kernel.body;
  RowRun run{n, n, kernel.rowOf(g), columns};
  LaneShape shape = kernel.shape;
  auto emitTile = [&](ColumnTile tile) {
    kernel.flush(g, tile, tileContributions(body, run, shape, tile, n));
  };
  Value dense = denseColumns(body);
  // A copy of the code for each number of vectors is not worth it here.
  if (dense && !matchPattern(dense, m_Constant()))
    shape.maxVectors = 1;
  if (dense)
    forEachColumnTile(body.b, dense, shape, emitTile);
  else
    emitTile(ColumnTile());
}

void host::emitScattered(PackedKernel &kernel, const Span &span) {
  Columns columns = span.stored(kernel.tables, kernel.columnBits);
  forEachSegment(kernel, span, [&](Value g, Value n, Value) {
    emitNonzero(kernel, columns, g, n);
  });
}

//===----------------------------------------------------------------------===//
// Dense tiles
//===----------------------------------------------------------------------===//

/// Rows that share the loads of the dense operand.
static constexpr int64_t kTileRows = 4;

/// Rows [g, g + kTileRows) on one tile of dense columns.
static void emitRowBlock(PackedKernel &kernel, const Span &span, Value g,
                         LaneShape shape, const ColumnTile &tile) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<RowRun> rows;
  for (int64_t r = 0; r < kTileRows; ++r) {
    Value segment = arith::AddIOp::create(b, g, body.index(r));
    Value above = arith::SubIOp::create(b, segment, span.segment);
    Value begin = arith::AddIOp::create(
        b, span.slot, arith::MulIOp::create(b, above, span.width));
    rows.push_back(
        {begin, {}, kernel.rowOf(segment), {{}, span.column, begin}});
  }
  auto step = [&](OpBuilder &, Location, Value c, ValueRange sums) {
    SmallVector<Value> next;
    for (RowRun &run : rows) {
      Value n = arith::AddIOp::create(b, run.begin, c);
      llvm::append_range(next, tileContributions(body, run, shape, tile, n));
    }
    for (auto [sum, value] : llvm::zip(sums, next))
      value = body.combine(0, sum, value);
    scf::YieldOp::create(b, next);
  };
  SmallVector<Value> start(kTileRows * tile.vectors,
                           body.identity(0, shape.lanes));
  auto loop = scf::ForOp::create(b, body.index(0), span.width, body.index(1),
                                 start, step);
  for (int64_t r = 0; r < kTileRows; ++r)
    kernel.flush(arith::AddIOp::create(b, g, body.index(r)), tile,
                 loop.getResults().slice(r * tile.vectors, tile.vectors));
}

/// Whole blocks of rows; the result is the first segment that is left.
static Value emitRowBlocks(PackedKernel &kernel, const Span &span) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  LaneShape shape = kernel.shape;
  // 4 x 4 accumulators, 4 loads and a broadcast fit in 32 registers.
  shape.maxVectors = std::min<int64_t>(shape.maxVectors, 4);
  Value rows = arith::SubIOp::create(b, span.segmentsEnd, span.segment);
  Value left = arith::RemUIOp::create(b, rows, body.index(kTileRows));
  Value end = arith::SubIOp::create(b, span.segmentsEnd, left);
  auto emitBlock = [&](OpBuilder &, Location, Value g, ValueRange) {
    forEachColumnTile(b, denseColumns(body), shape, [&](ColumnTile tile) {
      emitRowBlock(kernel, span, g, shape, tile);
    });
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, span.segment, end, body.index(kTileRows), ValueRange(),
                     emitBlock);
  return end;
}

void host::emitDenseTile(PackedKernel &kernel, const Span &span) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Value first =
      denseColumns(kernel.body) ? emitRowBlocks(kernel, span) : span.segment;
  auto emitRest = [&](OpBuilder &, Location, Value g, ValueRange) {
    Value above = arith::SubIOp::create(b, g, span.segment);
    Value begin = arith::AddIOp::create(
        b, span.slot, arith::MulIOp::create(b, above, span.width));
    Value end = arith::AddIOp::create(b, begin, span.width);
    emitSegmentRow(kernel, {{}, span.column, begin}, g, begin, end);
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, first, span.segmentsEnd, kernel.body.index(1),
                     ValueRange(), emitRest);
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
  }
  llvm_unreachable("a class that no layout permits");
}

void host::emitByClass(PackedKernel &kernel, const Span &span,
                       core::ClassSet classes) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  SmallVector<int64_t> kinds;
  for (unsigned kind = 0; kind < core::kSegmentClasses; ++kind)
    if (classes.contains(core::SegmentClass(kind)))
      kinds.push_back(kind);
  // The kernel was asked before whether there are others.
  Emitter last = emitterOf(core::SegmentClass(kinds.pop_back_val()));
  if (kinds.empty())
    return last(kernel, span);
  auto choice = scf::IndexSwitchOp::create(b, TypeRange(), span.kind, kinds,
                                           kinds.size());
  auto fill = [&](Region &region, Emitter emit) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    emit(kernel, span);
    scf::YieldOp::create(b);
  };
  fill(choice.getDefaultRegion(), last);
  for (auto [kind, region] : llvm::zip(kinds, choice.getCaseRegions()))
    fill(region, emitterOf(core::SegmentClass(kind)));
}
