//===- Tiles.cpp - rows that share their columns --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DenseTile and RowTiles: all rows of a span have the same columns, which
// follow each other or are those that its first row stores. Four rows go
// together, or two where registers are few, so that a vector of the dense
// operand is loaded once for as many multiply-adds; their rows of the output,
// which may lie anywhere, are fetched meanwhile.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "PackedLoops.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Rows that share the loads of the dense operand, with sums in registers.
static int64_t blockRowsOf(const ComputeBody &body) {
  return body.fewRegisters ? core::rules::kFewTileRows : core::rules::kTileRows;
}

namespace {
/// A span of rows with `span.width` slots each.
class Tile {
public:
  /// `implicit`: columns follow each other from the span's first on.
  Tile(PackedKernel &kernel, const Span &span, bool implicit)
      : kernel(kernel), body(kernel.body), b(kernel.body.b), span(span),
        implicit(implicit), blockRows(blockRowsOf(body)) {}

  void emit();
  /// Returns the first row that fills no block.
  Value emitBlocks();
  Value beginOf(Value g);

private:
  Value columnAt(Value c);
  StoredColumns columnsOf(Value begin);
  void emitBlock(Value g, const ColumnTile &tile, Value from, Value to,
                 Value begins);

  PackedKernel &kernel;
  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const Span &span;
  bool implicit;
  int64_t blockRows;
};
} // namespace

/// The first slot of segment `g`.
Value Tile::beginOf(Value g) {
  Value above = arith::SubIOp::create(b, g, span.segment);
  return arith::AddIOp::create(b, span.slot,
                               arith::MulIOp::create(b, above, span.width));
}

/// The columns of a row whose first slot is `begin`.
StoredColumns Tile::columnsOf(Value begin) {
  if (implicit)
    return {{}, span.column, begin};
  return span.stored(kernel.tables, kernel.columnBits);
}

/// Column `c` of all rows.
Value Tile::columnAt(Value c) {
  Value first = arith::AddIOp::create(b, span.slot, c);
  return columnsOf(span.slot).at(b, first);
}

/// Columns [from, to) of rows [g, g + blockRows) on one tile of dense columns.
void Tile::emitBlock(Value g, const ColumnTile &tile, Value from, Value to,
                     Value begins) {
  SmallVector<RowRun> rows;
  for (int64_t r = 0; r < blockRows; ++r) {
    Value segment = arith::AddIOp::create(b, g, body.index(r));
    fetchRow(body, tile, kernel.fetchedRow(segment));
    rows.push_back({beginOf(segment), {}, kernel.rowOf(segment), {}});
  }
  auto step = [&](OpBuilder &, Location, Value c, ValueRange sums) {
    Value column = columnAt(c);
    SmallVector<Value> next;
    for (RowRun &run : rows) {
      Value n = arith::AddIOp::create(b, run.begin, c);
      llvm::append_range(next, tileContributions(body, run, tile, n, column));
    }
    for (auto [sum, value] : llvm::zip(sums, next))
      value = body.combine(0, sum, value);
    scf::YieldOp::create(b, next);
  };
  auto loop = scf::ForOp::create(b, from, to, body.index(1),
                                 tile.identities(body, blockRows), step);
  for (int64_t r = 0; r < blockRows; ++r)
    kernel.flush(arith::AddIOp::create(b, g, body.index(r)), tile,
                 loop.getResults().slice(r * tile.count(), tile.count()),
                 begins);
}

/// Whole blocks of rows; the result is the first segment that is left. A block
/// goes through all dense columns before the next one begins: its rows of the
/// operand are then read in one piece.
Value Tile::emitBlocks() {
  LaneShape shape = kernel.shape;
  shape.maxVectors =
      std::min<int64_t>(shape.maxVectors, core::rules::kTileVectors);
  Value rows = arith::SubIOp::create(b, span.segmentsEnd, span.segment);
  Value left = arith::RemUIOp::create(b, rows, body.index(blockRows));
  Value end = arith::SubIOp::create(b, span.segmentsEnd, left);
  auto emitRows = [&](OpBuilder &, Location, Value g, ValueRange) {
    auto emitPiece = [&](Value from, Value to, Value begins) {
      forEachTileOfStrip(body, shape, [&](ColumnTile tile) {
        emitBlock(g, tile, from, to, begins);
      });
    };
    forEachPiece(body, shape, body.index(0), span.width, emitPiece);
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, span.segment, end, body.index(blockRows), ValueRange(),
                     emitRows);
  return end;
}

void Tile::emit() {
  Value first = denseColumns(body) ? emitBlocks() : span.segment;
  auto emitRest = [&](OpBuilder &, Location, Value g, ValueRange) {
    Value begin = beginOf(g);
    Value end = arith::AddIOp::create(b, begin, span.width);
    emitSegmentRow(kernel, columnsOf(begin), g, begin, end);
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, first, span.segmentsEnd, body.index(1), ValueRange(),
                     emitRest);
}

void host::emitTile(PackedKernel &kernel, const Span &span, bool implicit) {
  Tile(kernel, span, implicit).emit();
}

SegmentStart host::emitTileBlocks(PackedKernel &kernel, const Span &span) {
  Tile tile(kernel, span, /*implicit=*/false);
  Value left = tile.emitBlocks();
  return {left, tile.beginOf(left)};
}
