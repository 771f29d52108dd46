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

/// Tiles of up to 256 bytes, which windows are made for: four vectors of 512
/// bits, or eight of 256 where there are no longer ones.
static LaneShape windowShape(ComputeBody &body, LaneShape shape) {
  const bool isHalf =
      shape.lanes * body.laneBits() <= core::rules::kMaskedBits / 2;
  shape.maxVectors =
      std::min<int64_t>(shape.maxVectors, body.fewRegisters && isHalf ? 8 : 4);
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

/// The types of a worker's copies of windows, by input, null where an input is
/// not copied; empty where the kernel copies none.
static SmallVector<MemRefType> windowTypes(PackedKernel &kernel) {
  ComputeBody &body = kernel.body;
  LaneShape shape = windowShape(body, kernel.shape);
  SmallVector<MemRefType> types;
  if (!copiesWindows(body, shape))
    return types;
  for (auto [i, input] : llvm::enumerate(body.inputs))
    types.push_back(isDenseRow(body, i, kColumnDim)
                        ? MemRefType::get({core::kWidestWindow,
                                           shape.lanes * shape.maxVectors},
                                          body.elementType(input))
                        : MemRefType());
  return types;
}

static int64_t bytesOf(MemRefType type) {
  if (!type)
    return 0;
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  return int64_t(llvm::alignTo(uint64_t(bits / 8), kLineBytes));
}

/// Room for a worker's copies of windows, where the kernel copies them.
static int64_t windowBytes(PackedKernel &kernel) {
  int64_t bytes = 0;
  for (MemRefType type : windowTypes(kernel))
    bytes += bytesOf(type);
  return bytes;
}

static void openWindows(PackedKernel &kernel, Value memory, Value begin) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  int64_t before = 0;
  for (MemRefType type : windowTypes(kernel)) {
    Value &window = kernel.windows.emplace_back();
    if (!type)
      continue;
    Value at = arith::AddIOp::create(b, begin, kernel.body.index(before));
    window = memref::ViewOp::create(b, type, memory, at, ValueRange());
    before += bytesOf(type);
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
  const LaneShape shape = windowShape(kernel.body, kernel.shape);
  forEachTileOfStrip(kernel.body, shape, [&](ColumnTile k) {
    WindowTile tile = openTile(kernel, span, k);
    forEachSegment(kernel, span, span, [&](Value g, Value begin, Value end) {
      RowRun run{begin, end, kernel.rowOf(g), tile.columns};
      run.isCached = true;
      kernel.flush(g, tile.target, reduceRow(tile.body, run, tile.source));
    });
  });
  return span.end();
}

const ClassEmitter host::kRowWindowsEmitter{emitSpan, /*leavesRows=*/false,
                                            windowBytes, openWindows};
