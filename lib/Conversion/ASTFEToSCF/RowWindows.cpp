//===- RowWindows.cpp - panels of rows on windows of columns --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All rows of a panel take their nonzeros in one window of columns, so that the
// window's rows of the dense operand are read from the first cache. Where the
// operand is wider than a column tile, one tile of the window is copied first:
// rows that lie a power of two apart would fall into the same few cache sets,
// and the copy is read as often as the panel has nonzeros in a column.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
#include "PackedLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Tiles of up to four vectors: 256 bytes, which windows are made for.
static LaneShape windowShape(LaneShape shape) {
  shape.maxVectors = std::min<int64_t>(shape.maxVectors, 4);
  return shape;
}

/// Every input with dense columns or stored columns is indexed by both, and has
/// more columns than a tile.
static bool copiesWindows(ComputeBody &body, LaneShape shape) {
  Value columns = denseColumns(body);
  if (!columns)
    return false;
  APInt known;
  if (matchPattern(columns, m_ConstantInt(&known)) &&
      known.getSExtValue() <= shape.lanes * shape.maxVectors)
    return false;
  return llvm::all_of(llvm::seq<unsigned>(body.inputs.size()), [&](unsigned i) {
    AffineMap map = body.inputMaps[i];
    return isDenseRow(body, i, kColumnDim) ||
           (!map.isFunctionOfDim(kColumnDim) &&
            !map.isFunctionOfDim(kDenseDim));
  });
}

/// Room for a worker's copies of windows, where the kernel copies them.
static void allocateWindows(PackedKernel &kernel) {
  ComputeBody &body = kernel.body;
  LaneShape shape = windowShape(kernel.shape);
  if (!copiesWindows(body, shape))
    return;
  for (auto [i, input] : llvm::enumerate(body.inputs)) {
    if (!isDenseRow(body, i, kColumnDim)) {
      kernel.windows.push_back({});
      continue;
    }
    auto type =
        MemRefType::get({core::kWidestWindow, shape.lanes * shape.maxVectors},
                        body.elementType(input));
    kernel.windows.push_back(
        memref::AllocOp::create(body.b, type, body.b.getI64IntegerAttr(64)));
  }
}

namespace {
/// What the segments of a window read on one tile of dense columns: the inputs
/// themselves, or their copies where the kernel makes such.
struct WindowTile {
  ComputeBody body;
  StoredColumns columns;
  ColumnTile source, target;
};
} // namespace

/// window[0.., 0..] = input[the span's columns, tile].
static void copyWindow(PackedKernel &kernel, const Span &span, Value input,
                       Value window, const ColumnTile &tile) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  Type element = body.elementType(input);
  auto copyRow = [&](OpBuilder &, Location, Value r, ValueRange) {
    Value column = arith::AddIOp::create(b, span.column, r);
    for (const TileVector &vector : tile.vectors) {
      Value row =
          body.loadLanes(VectorType::get({vector.lanes}, element), input,
                         {column, tile.start(b, vector)}, vector.mask);
      vector::StoreOp::create(b, row, window, {r, body.index(vector.offset)});
    }
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, body.index(0), span.width, body.index(1), ValueRange(),
                     copyRow);
}

/// What is read on one tile: copied first, where it is.
static WindowTile openTile(PackedKernel &kernel, const Span &span,
                           const ColumnTile &tile) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  WindowTile result{body, span.stored(kernel.tables, kernel.columnBits), tile,
                    tile};
  for (auto [i, window] : llvm::enumerate(kernel.windows)) {
    if (!window)
      continue;
    copyWindow(kernel, span, body.inputs[i], window, tile);
    result.body.inputs[i] = window;
    result.source.k = body.index(0);
  }
  if (!kernel.windows.empty())
    result.columns.base =
        result.columns.base
            ? Value()
            : arith::SubIOp::create(b, body.index(0), span.column).getResult();
  return result;
}

static SegmentStart emitSpan(PackedKernel &kernel, const Span &span) {
  if (!denseColumns(kernel.body)) {
    emitRows(kernel, span, span);
    return span.end();
  }
  forEachTileOfStrip(kernel.body, windowShape(kernel.shape), [&](ColumnTile k) {
    WindowTile tile = openTile(kernel, span, k);
    forEachSegment(kernel, span, span, [&](Value g, Value begin, Value end) {
      RowRun run{begin, end, kernel.rowOf(g), tile.columns};
      kernel.flush(g, tile.target, reduceRow(tile.body, run, tile.source));
    });
  });
  return span.end();
}

const ClassEmitter host::kRowWindowsEmitter{emitSpan, /*leavesRows=*/false,
                                            allocateWindows};
