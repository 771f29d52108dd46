//===- ViewPieces.cpp - sums by stored coordinates, in pieces -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = A x where A is stored by columns, or y = A^T x: every nonzero adds to the
// element of y that its coordinate names. Workers have pieces of the walked
// dimension, each with a y of its own; then the pieces' sums are combined in
// their order.
//
//   y_0 = A[:, 0:k] x[0:k]    y_1 = A[:, k:n] x[k:n]    y = y_0 + y_1
//
// How many pieces there are depends on the matrix alone, so that any number of
// threads gives the same bits. Clearing and combining a piece's y is worth it
// where there are several nonzeros for each of its elements: of n nonzeros for
// each element of y there are at most sqrt(n) pieces. With fewer than two
// nonzeros go to y one by one.
//
// With few dense columns, or a matrix of many short rows, C = A^T B is summed
// up likewise. Else workers have parts of C's rows (ViewParts.cpp), which take
// no memory of their own, but look into each row of A.
//
//===----------------------------------------------------------------------===//

#include "ClearedRuns.h"
#include "ScalarLoop.h"
#include "ViewLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

using core::rules::kCombinedSums, core::rules::kSumPieces;

namespace {
class ViewPieces {
public:
  ViewPieces(ComputeBody &body, const ViewStorage &view, int64_t vectorBytes,
             LaneShape shape);
  void emitVector();
  void emitColumns();

private:
  Value count();
  void emitPieces(Value pieces);
  void walk(Value first, Value last, function_ref<void(Value, Value)> add);
  void sumPiece(Value piece, Value pieces);
  void sumRows(Value piece, Value first, Value last);
  Value suitPieces(Value pieces);
  void emitInTurn();
  void combinePieces(Value pieces);
  void combineAt(Value at, ValueRange place, int64_t lanes, Value pieces);
  void clear(Value piece);
  void forEachShare(Value shares, function_ref<void(Value)> emit);
  void forEachRun(Value count, Value each,
                  function_ref<void(Value, Value)> emit);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const ViewStorage &view;
  Type sum; ///< as partials hold it
  int64_t lanes;
  LaneShape shape;
  Value columns;  ///< dense ones; null: none
  Value rows;     ///< of the output
  Value elements; ///< of the output
  Value output;   ///< all elements side by side, if they are, or rows
  Value partials; ///< (piece, element)
};
} // namespace

ViewPieces::ViewPieces(ComputeBody &body, const ViewStorage &view,
                       int64_t vectorBytes, LaneShape shape)
    : body(body), b(body.b), view(view), sum(body.keptType()),
      lanes(widestLanes(body, vectorBytes)), shape(shape),
      columns(denseColumns(body)),
      rows(b.createOrFold<memref::DimOp>(body.outputs.front(), body.index(0))),
      elements(columns ? b.createOrFold<arith::MulIOp>(rows, columns) : rows),
      output(body.outputs.front()) {}

/// As core::shareScattered counts them (Core/Plan/ScatterShares.h).
Value ViewPieces::count() {
  Value nonzeros = loadIndex(b, view.positions, view.major);
  auto isWithin = [&](Value number, int64_t times, Value limit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ule,
        arith::MulIOp::create(b, number, body.index(times)), limit);
  };
  const int64_t near = core::rules::kCacheBytes[2] / 2,
                sumBytes =
                    llvm::divideCeil(uint64_t(sum.getIntOrFloatBitWidth()), 8);
  Value pieces = body.index(1);
  for (int64_t some = 2; some <= kSumPieces; some *= 2) {
    Value enough = arith::AndIOp::create(
        b, isWithin(rows, some * some, nonzeros),
        isWithin(body.index(core::rules::kRunNonzeros), some, nonzeros));
    if (columns || some > 2)
      enough = arith::AndIOp::create(
          b, enough, isWithin(elements, some, body.index(near / sumBytes)));
    pieces = arith::SelectOp::create(b, enough, body.index(some), pieces);
  }
  return pieces;
}

void ViewPieces::forEachShare(Value shares, function_ref<void(Value)> emit) {
  if (body.serial) {
    scf::ForOp::create(b, body.index(0), shares, body.index(1), ValueRange(),
                       [&](OpBuilder &, Location, Value share, ValueRange) {
                         emit(share);
                         scf::YieldOp::create(b);
                       });
    return;
  }
  scf::ParallelOp::create(
      b, ValueRange(body.index(0)), shares, ValueRange(body.index(1)),
      [&](OpBuilder &, Location, ValueRange share) { emit(share[0]); });
}

void ViewPieces::clear(Value piece) {
  auto clearAt = [&](Value at, int64_t count) {
    body.store(body.identity(0, count == 1 ? 0 : count), partials, {piece, at},
               {});
  };
  forEachVector(body, body.index(0), elements, lanes, clearAt);
}

/// What the nonzeros of [first, last) of the walked dimension add, and to which
/// element. Inputs that are the same for all nonzeros of one of these are
/// loaded once: what is stored might overlap them, for all that a compiler
/// knows.
void ViewPieces::walk(Value first, Value last,
                      function_ref<void(Value, Value)> add) {
  Value one = body.index(1);
  SmallVector<Value> point(body.dims()), kept(body.inputs.size());
  auto addOne = [&](OpBuilder &, Location, Value n, ValueRange) {
    point[kNonzeroDim] = n;
    point[view.minorDim()] = loadIndex(b, view.coordinates, n);
    SmallVector<Value> arguments;
    for (auto [i, value] : llvm::enumerate(kept))
      arguments.push_back(value ? value : body.loadInput(i, point));
    add(point[view.minorDim()], body.contributions(arguments).front());
    scf::YieldOp::create(b);
  };
  auto walkOne = [&](OpBuilder &, Location, Value major, ValueRange begin) {
    point[view.majorDim] = major;
    Value end =
        loadIndex(b, view.positions, arith::AddIOp::create(b, major, one));
    for (auto [i, map] : llvm::enumerate(body.inputMaps))
      if (!map.isFunctionOfDim(kNonzeroDim) &&
          !map.isFunctionOfDim(view.minorDim()))
        kept[i] = body.loadInput(i, point);
    scf::ForOp::create(b, begin.front(), end, one, ValueRange(), addOne);
    scf::YieldOp::create(b, end);
  };
  scf::ForOp::create(b, first, last, one, loadIndex(b, view.positions, first),
                     walkOne);
}

/// The nonzeros of a piece, whose walked dimension is never cut.
void ViewPieces::sumPiece(Value piece, Value pieces) {
  clear(piece);
  auto [first, last] = rowsOfShare(
      body, view, workBefore(body, view, view.major), piece, pieces);
  if (columns)
    return sumRows(piece, first, last);
  walk(first, last, [&](Value element, Value value) {
    body.update(0, partials, {piece, element}, value);
  });
}

/// The same with dense columns, tile by tile.
void ViewPieces::sumRows(Value piece, Value first, Value last) {
  std::optional<int64_t> known = getConstantIntValue(columns);
  const int64_t width = known.value_or(ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {width, 1});
  auto type = MemRefType::get({ShapedType::kDynamic, width}, sum, layout);
  OpFoldResult count = known ? OpFoldResult(b.getIndexAttr(width)) : columns;
  Value sums = memref::ReinterpretCastOp::create(
      b, type, partials,
      OpFoldResult(arith::MulIOp::create(b, piece, elements).getResult()),
      ArrayRef<OpFoldResult>{rows, count},
      ArrayRef<OpFoldResult>{count, b.getIndexAttr(1)});
  Value one = body.index(1);
  forEachColumnTile(b, columns, shape, [&](const ColumnTile &tile) {
    auto addRow = [&](OpBuilder &, Location, Value major, ValueRange begin) {
      Value end =
          loadIndex(b, view.positions, arith::AddIOp::create(b, major, one));
      emitScatteredRow(body, view, tile, {sums, tile}, major, begin.front(),
                       end);
      scf::YieldOp::create(b, end);
    };
    scf::ForOp::create(b, first, last, one, loadIndex(b, view.positions, first),
                       addRow);
  });
}

/// All nonzeros, one after the other.
void ViewPieces::emitInTurn() {
  if (body.overwrites)
    clearOutput(body, 0);
  walk(body.index(0), view.major, [&](Value element, Value value) {
    body.update(0, body.outputs.front(), element, value);
  });
}

/// Elements [at, at + lanes) of the sums, or one, into the output at `place`.
void ViewPieces::combineAt(Value at, ValueRange place, int64_t lanes,
                           Value pieces) {
  auto load = [&](Value piece) -> Value {
    return body.loadSums(0, partials, {piece, at}, lanes == 1 ? 0 : lanes, {});
  };
  auto add = [&](OpBuilder &, Location, Value piece, ValueRange before) {
    scf::YieldOp::create(b, body.combine(0, before[0], load(piece)));
  };
  Value one = body.index(1);
  Value all = scf::ForOp::create(b, one, pieces, one, load(body.index(0)), add)
                  .getResult(0);
  if (!body.overwrites)
    all = body.updated(0, output, place, all, {});
  body.store(all, output, place, {});
}

/// Calls `emit` with runs [begin, end) of so many elements or rows.
void ViewPieces::forEachRun(Value count, Value each,
                            function_ref<void(Value, Value)> emit) {
  forEachShare(arith::CeilDivUIOp::create(b, count, each), [&](Value share) {
    Value begin = arith::MulIOp::create(b, share, each);
    emit(begin, arith::MinUIOp::create(b, arith::AddIOp::create(b, begin, each),
                                       count));
  });
}

/// As one vector where the output's elements lie side by side, else row by row:
/// each element gets the same sum.
void ViewPieces::combinePieces(Value pieces) {
  Value each = body.index(kCombinedSums);
  if (cast<MemRefType>(output.getType()).getRank() == 1)
    return forEachRun(elements, each, [&](Value begin, Value end) {
      forEachVector(body, begin, end, lanes, [&](Value at, int64_t count) {
        combineAt(at, at, count, pieces);
      });
    });
  Value zero = body.index(0), one = body.index(1);
  Value some = arith::MaxUIOp::create(
      b,
      arith::DivUIOp::create(b, each, arith::MaxUIOp::create(b, columns, one)),
      one);
  forEachRun(rows, some, [&](Value begin, Value end) {
    forEachStep(body, begin, end, 1, [&](Value row) {
      Value first = arith::MulIOp::create(b, row, columns);
      forEachVector(body, zero, columns, lanes, [&](Value j, int64_t count) {
        combineAt(arith::AddIOp::create(b, first, j), {row, j}, count, pieces);
      });
    });
  });
}

void ViewPieces::emitPieces(Value pieces) {
  auto type =
      MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, sum);
  partials = memref::AllocOp::create(b, type, ValueRange{pieces, elements},
                                     b.getI64IntegerAttr(kLineBytes));
  forEachShare(pieces, [&](Value piece) { sumPiece(piece, pieces); });
  combinePieces(pieces);
  memref::DeallocOp::create(b, partials);
}

/// A half that is added to for each nonzero would be rounded each time, so that
/// one piece has sums of its own, too.
void ViewPieces::emitVector() {
  if (body.serial)
    return body.roundsSums() ? emitPieces(body.index(1)) : emitInTurn();
  Value pieces = count();
  if (body.roundsSums())
    return emitPieces(pieces);
  Value several = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, pieces,
                                        body.index(1));
  scf::IfOp::create(
      b, several,
      [&](OpBuilder &, Location) {
        emitPieces(pieces);
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        emitInTurn();
        scf::YieldOp::create(b);
      });
}

/// i1: there are several pieces, and clearing and combining the sums of one
/// takes less than looking for the nonzeros of a part, or there is one part: as
/// core::shareScattered says.
Value ViewPieces::suitPieces(Value pieces) {
  auto isAbove = [&](Value a, Value limit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, a, limit);
  };
  Value looked = arith::MulIOp::create(b, view.major,
                                       body.index(core::rules::kSearchBytes));
  Value summed = arith::MulIOp::create(b, rows, outputRowBytes(body));
  Value isOnePart = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, worthwhileParts(body, view), body.index(1));
  Value better = arith::OrIOp::create(b, isAbove(looked, summed), isOnePart);
  return arith::AndIOp::create(b, better, isAbove(pieces, body.index(1)));
}

void ViewPieces::emitColumns() {
  auto type = cast<MemRefType>(body.outputs.front().getType());
  if (body.serial || type.getRank() != 2)
    return emitViewParts(body, view, shape, lanes);
  Value pieces = count();
  scf::IfOp::create(
      b, suitPieces(pieces),
      [&](OpBuilder &, Location) {
        if (Value flat = sideBySide(body))
          output = flat;
        emitPieces(pieces);
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        emitViewParts(body, view, shape, lanes);
        scf::YieldOp::create(b);
      });
}

void host::emitViewPieces(ComputeBody &body, const ViewStorage &view,
                          int64_t vectorBytes, LaneShape shape) {
  ViewPieces pieces(body, view, vectorBytes, shape);
  if (denseColumns(body))
    pieces.emitColumns();
  else
    pieces.emitVector();
}
