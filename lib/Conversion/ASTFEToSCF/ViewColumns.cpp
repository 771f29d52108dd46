//===- ViewColumns.cpp - a view whose output is indexed by coordinates ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every nonzero updates the row of the output that its coordinate names. Which
// rows those are is only known nonzero by nonzero, so workers share the dense
// columns instead: strips of at most kStripVectors vectors. A processor does
// not foresee the rows that nonzeros further on name: where the output is
// larger than the second cache they are asked for.
//
//===----------------------------------------------------------------------===//

#include "ViewLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
/// Where nonzeros add to: columns of the output, or of sums of its own size.
struct Added {
  Value buffer;
  ColumnTile tile;
};

/// The strips of one computation.
class ViewColumns {
public:
  ViewColumns(ComputeBody &body, const ViewStorage &view, LaneShape shape);
  void emit();

private:
  bool hasSums() { return sum != body.elementType(body.op.getOutputs()[0]); }
  Value makeSums();
  void emitNonzero(const ColumnTile &tile, const Added &to, Value major,
                   Value n);
  void forEachRow(function_ref<void(Value)> emit);
  void roundRow(const ColumnTile &tile, const Added &from, Value row);
  Value isFarOutput();
  void fetchOutput(const ColumnTile &tile, Value n, Value last);
  void emitWalk(const ColumnTile &tile, const Added &to, bool fetches);
  void emitNonzeros(const ColumnTile &tile, const Added &to);
  void emitStrip(const ColumnTile &tile, const Added &to);
  void emitTiles(Value start, Value count);
  void emitKnownStrip(Value start, int64_t columns);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const ViewStorage &view;
  LaneShape shape;
  Value output, columns;
  Type sum;
};
} // namespace

ViewColumns::ViewColumns(ComputeBody &body, const ViewStorage &view,
                         LaneShape shape)
    : body(body), b(body.b), view(view), shape(shape),
      output(body.outputs.front()), columns(denseColumns(body)),
      sum(body.sumType(0)) {}

/// Of all rows, and of the columns of a strip.
Value ViewColumns::makeSums() {
  Value rows = b.createOrFold<memref::DimOp>(output, body.index(0));
  auto type = MemRefType::get(
      {ShapedType::kDynamic, shape.maxVectors * shape.lanes}, sum);
  return memref::AllocOp::create(b, type, rows,
                                 b.getI64IntegerAttr(kLineBytes));
}

/// One nonzero on the columns of `tile`: a run of the walked dimension, whose
/// coordinate names the row of the output.
void ViewColumns::emitNonzero(const ColumnTile &tile, const Added &to,
                              Value major, Value n) {
  RowRun run{
      n, n, major, {view.coordinates, {}, {}}, view.majorDim, view.minorDim()};
  SmallVector<Value> added =
      tileContributions(body, run, tile, n, run.columns.at(b, n));
  updateRow(body, to.buffer, loadIndex(b, view.coordinates, n), to.tile, added);
}

void ViewColumns::forEachRow(function_ref<void(Value)> emit) {
  Value rows = b.createOrFold<memref::DimOp>(output, body.index(0));
  scf::ForOp::create(b, body.index(0), rows, body.index(1), ValueRange(),
                     [&](OpBuilder &, Location, Value row, ValueRange) {
                       emit(row);
                       scf::YieldOp::create(b);
                     });
}

/// What the sums of a row are, or add to.
void ViewColumns::roundRow(const ColumnTile &tile, const Added &from,
                           Value row) {
  SmallVector<Value> all;
  for (const TileVector &vector : from.tile.vectors)
    all.push_back(body.loadSums(0, from.buffer,
                                {row, from.tile.start(b, vector)}, vector.lanes,
                                vector.mask));
  if (body.op.getOverwrite())
    storeRow(body, output, row, tile, all);
  else
    updateRow(body, output, row, tile, all);
}

/// i1: rows of the output are not all in the second cache; null: nothing asks
/// for them.
Value ViewColumns::isFarOutput() {
  if (hasSums() || cast<MemRefType>(output.getType()).getRank() != 2)
    return {};
  Value bytes = body.index(
      llvm::divideCeil(body.elementType(output).getIntOrFloatBitWidth(), 8));
  for (int64_t k : {0, 1})
    bytes = b.createOrFold<arith::MulIOp>(
        bytes, b.createOrFold<memref::DimOp>(output, body.index(k)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, bytes,
                               body.index(core::rules::kCacheBytes[1]));
}

/// Asks for the row of the output that a nonzero after `n` names.
void ViewColumns::fetchOutput(const ColumnTile &tile, Value n, Value last) {
  Value later =
      arith::AddIOp::create(b, n, body.index(core::rules::kNonzerosAhead));
  later = arith::MinUIOp::create(b, later, last);
  fetchRow(body, tile, loadIndex(b, view.coordinates, later));
}

/// All nonzeros on the columns of `tile`.
void ViewColumns::emitWalk(const ColumnTile &tile, const Added &to,
                           bool fetches) {
  Value zero = body.index(0), one = body.index(1);
  Value last;
  if (fetches)
    last =
        arith::SubIOp::create(b, loadIndex(b, view.positions, view.major), one);
  auto emitMajor = [&](OpBuilder &, Location, Value major, ValueRange) {
    Value begin = loadIndex(b, view.positions, major);
    Value next = arith::AddIOp::create(b, major, one);
    Value end = loadIndex(b, view.positions, next);
    scf::ForOp::create(b, begin, end, one, ValueRange(),
                       [&](OpBuilder &, Location, Value n, ValueRange) {
                         if (fetches)
                           fetchOutput(tile, n, last);
                         emitNonzero(tile, to, major, n);
                         scf::YieldOp::create(b);
                       });
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, zero, view.major, one, ValueRange(), emitMajor);
}

/// Two loops, as a branch for each nonzero costs a tenth of a short one's time.
void ViewColumns::emitNonzeros(const ColumnTile &tile, const Added &to) {
  Value isFar = isFarOutput();
  if (!isFar)
    return emitWalk(tile, to, /*fetches=*/false);
  auto walk = [&](bool fetches) {
    return [&, fetches](OpBuilder &, Location) {
      emitWalk(tile, to, fetches);
      scf::YieldOp::create(b);
    };
  };
  scf::IfOp::create(b, isFar, walk(true), walk(false));
}

void ViewColumns::emitStrip(const ColumnTile &tile, const Added &to) {
  // Rows recur anywhere among the nonzeros, so that all begin as the identity.
  if (body.op.getOverwrite() || hasSums())
    forEachRow([&](Value row) {
      storeRow(body, to.buffer, row, to.tile, tile.identities(body));
    });
  emitNonzeros(tile, to);
  if (hasSums())
    forEachRow([&](Value row) { roundRow(tile, to, row); });
}

/// The tiles of the strip of `count` columns from `start` on.
void ViewColumns::emitTiles(Value start, Value count) {
  Value sums = hasSums() ? makeSums() : Value();
  forEachColumnTile(b, count, shape, [&](ColumnTile tile) {
    Added to{sums, tile};
    tile.k = arith::AddIOp::create(b, start, tile.k);
    emitStrip(tile, sums ? to : Added{output, tile});
  });
  if (sums)
    memref::DeallocOp::create(b, sums);
}

/// A strip of a known number of columns is whole, or the last one.
void ViewColumns::emitKnownStrip(Value start, int64_t columns) {
  int64_t width = shape.maxVectors * shape.lanes, rest = columns % width;
  if (rest == 0 || columns < width)
    return emitTiles(start, body.index(std::min(columns, width)));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, start,
                                       body.index(columns - rest));
  auto emit = [&](int64_t count) {
    emitTiles(start, body.index(count));
    scf::YieldOp::create(b);
  };
  scf::IfOp::create(
      b, isLast, [&](OpBuilder &, Location) { emit(rest); },
      [&](OpBuilder &, Location) { emit(width); });
}

void ViewColumns::emit() {
  std::optional<int64_t> known = getConstantIntValue(columns);
  Value width = body.index(shape.maxVectors * shape.lanes);
  Value strips = arith::CeilDivUIOp::create(b, columns, width);
  auto emitOne = [&](OpBuilder &, Location, ValueRange strip) {
    Value start = arith::MulIOp::create(b, strip[0], width);
    if (known)
      return emitKnownStrip(start, *known);
    Value left = arith::SubIOp::create(b, columns, start);
    emitTiles(start, arith::MinUIOp::create(b, left, width));
  };
  scf::ParallelOp::create(b, body.index(0), strips, body.index(1), emitOne);
}

void host::emitViewColumns(ComputeBody &body, const ViewStorage &view,
                           LaneShape shape) {
  ViewColumns(body, view, shape).emit();
}
