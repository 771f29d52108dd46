//===- ViewColumns.cpp - a view whose output is indexed by coordinates ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every nonzero updates the row of the output that its coordinate names. Which
// rows those are is only known nonzero by nonzero, so workers share the dense
// columns instead: strips of at most kStripVectors vectors.
//
//===----------------------------------------------------------------------===//

#include "ViewLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// One nonzero on the columns of `tile`: a run of the walked dimension, whose
/// coordinate names the row of the output.
static void emitNonzero(ComputeBody &body, const ViewStorage &view,
                        const ColumnTile &tile, Value major, Value n) {
  RowRun run{
      n, n, major, {view.coordinates, {}, {}}, view.majorDim, view.minorDim()};
  SmallVector<Value> sums =
      tileContributions(body, run, tile, n, run.columns.at(body.b, n));
  Value row = loadIndex(body.b, view.coordinates, n);
  updateRow(body, body.outputs.front(), row, tile, sums);
}

/// Rows recur anywhere among the nonzeros, so that all begin as the identity.
static void clearStrip(ComputeBody &body, const ColumnTile &tile) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front();
  Value rows = b.createOrFold<memref::DimOp>(output, body.index(0));
  scf::ForOp::create(b, body.index(0), rows, body.index(1), ValueRange(),
                     [&](OpBuilder &, Location, Value row, ValueRange) {
                       storeRow(body, output, row, tile, tile.identities(body));
                       scf::YieldOp::create(b);
                     });
}

static void emitStrip(ComputeBody &body, const ViewStorage &view,
                      const ColumnTile &tile) {
  ImplicitLocOpBuilder &b = body.b;
  Value zero = body.index(0), one = body.index(1);
  auto emitMajor = [&](OpBuilder &, Location, Value major, ValueRange) {
    Value begin = loadIndex(b, view.positions, major);
    Value next = arith::AddIOp::create(b, major, one);
    Value end = loadIndex(b, view.positions, next);
    scf::ForOp::create(b, begin, end, one, ValueRange(),
                       [&](OpBuilder &, Location, Value n, ValueRange) {
                         emitNonzero(body, view, tile, major, n);
                         scf::YieldOp::create(b);
                       });
    scf::YieldOp::create(b);
  };
  if (body.op.getOverwrite())
    clearStrip(body, tile);
  scf::ForOp::create(b, zero, view.major, one, ValueRange(), emitMajor);
}

/// The tiles of the strip of `count` columns from `start` on.
static void emitTiles(ComputeBody &body, const ViewStorage &view,
                      LaneShape shape, Value start, Value count) {
  forEachColumnTile(body.b, count, shape, [&](ColumnTile tile) {
    tile.k = arith::AddIOp::create(body.b, start, tile.k);
    emitStrip(body, view, tile);
  });
}

/// A strip of a known number of columns is whole, or the last one.
static void emitKnownStrip(ComputeBody &body, const ViewStorage &view,
                           LaneShape shape, Value start, int64_t columns) {
  ImplicitLocOpBuilder &b = body.b;
  int64_t width = shape.maxVectors * shape.lanes, rest = columns % width;
  if (rest == 0 || columns < width)
    return emitTiles(body, view, shape, start,
                     body.index(std::min(columns, width)));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, start,
                                       body.index(columns - rest));
  auto emit = [&](int64_t count) {
    emitTiles(body, view, shape, start, body.index(count));
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(
      b, isLast, [&](OpBuilder &, Location) { emit(rest); },
      [&](OpBuilder &, Location) { emit(width); });
}

void host::emitViewColumns(ComputeBody &body, const ViewStorage &view,
                           LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  Value columns = denseColumns(body);
  std::optional<int64_t> known = getConstantIntValue(columns);
  Value width = body.index(shape.maxVectors * shape.lanes);
  Value strips = arith::CeilDivUIOp::create(b, columns, width);
  auto emitOne = [&](OpBuilder &, Location, ValueRange strip) {
    Value start = arith::MulIOp::create(b, strip[0], width);
    if (known)
      return emitKnownStrip(body, view, shape, start, *known);
    Value left = arith::SubIOp::create(b, columns, start);
    emitTiles(body, view, shape, start, arith::MinUIOp::create(b, left, width));
  };
  scf::ParallelOp::create(b, body.index(0), strips, body.index(1), emitOne);
}
