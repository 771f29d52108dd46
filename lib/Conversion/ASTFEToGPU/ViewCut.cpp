//===- ViewCut.cpp - rows of a view that are too long for a warp ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of rows, cut as RowPieces.h says. A warp has a piece, whose nonzeros of
// long rows all of its lanes sum up; it notes which long row begins there, so
// that nobody has to look for it again. A block of the launch behind it reads
// 32 such notes, and combines the rows one after the other (RowCombiner.h).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/GPUConstants.h"
#include "RowCombiner.h"
#include "RowPieces.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Index: where the nonzeros of a row (i32) begin and end.
static std::pair<Value, Value> boundsOf(Emitter &e, Value row) {
  auto position = [&](Value at) {
    return e.uniform(e.toIndex(e.table(Role::Positions, e.toIndex(at))));
  };
  return {position(row), position(e.add(row, e.i32(1)))};
}

/// i32: pieces of a view.
static Value numberOf(Emitter &e, const RowPieces &pieces, Value size) {
  Value each = e.toIndex(size);
  Value rounded = e.add(pieces.count, e.sub(each, e.index(1)));
  return e.uniform(e.toI32(arith::DivUIOp::create(e.b, rounded, each)));
}

/// The part of a long row in the piece that is open.
static void emitPart(Emitter &e, RowPieces &pieces, Value piece, Value row,
                     Value rowBegin, Value rowEnd) {
  const Value hasColumns = e.active;
  const Segments segments = viewRows(e, {row, e.add(row, e.i32(1))});
  Value begin = arith::MaxUIOp::create(e.b, rowBegin, pieces.begin);
  Value end = arith::MinUIOp::create(e.b, rowEnd, pieces.end);
  Value first = segments.bounds(row).first;
  Row part;
  part.begin = e.add(first, e.likeSlot(first, e.toI32(e.sub(begin, rowBegin))));
  part.length = e.uniform(e.toI32(e.sub(end, begin)));
  part.row = segments.row(row);
  const Values sums = e.pieceSum(segments, part);
  if (e.hasTeams()) {
    Value leads = e.compare(arith::CmpIPredicate::eq, e.team, e.i32(0));
    e.active = hasColumns
                   ? arith::AndIOp::create(e.b, leads, hasColumns).getResult()
                   : leads;
  }
  Value partial = pieces.partialRow(piece, begin, pieces.begin);
  e.putWhereActive(e.partials, e.toIndex(partial), sums);
  e.active = hasColumns;
}

/// Which long row begins in the piece that is open, or -1: the last one there,
/// if any. The lane of the first column says it, before there are sums, which
/// leave no registers for this.
static void noteRow(Emitter &e, RowPieces &pieces, Value piece, Value tail) {
  Value leads = e.compare(arith::CmpIPredicate::eq, e.lane, e.i32(0));
  if (!e.plan.oneColumn) {
    Value isFirst =
        e.compare(arith::CmpIPredicate::eq, e.toI32(e.column), e.i32(0));
    leads = arith::AndIOp::create(e.b, leads, isFirst);
  }
  auto [begin, end] = boundsOf(e, tail);
  Value begins = e.compare(arith::CmpIPredicate::uge, begin, pieces.begin);
  Value isNew = arith::AndIOp::create(e.b, begins, pieces.isLong(begin, end));
  e.branch(leads, [&] {
    memref::StoreOp::create(e.b, e.select(isNew, tail, e.i32(-1)),
                            e.tables.lookup(Role::PieceRow), e.toIndex(piece));
  });
}

void emitViewPieces(Emitter &e, Value rows, Value size) {
  RowPieces pieces(e, rows, size, e.least);
  forEachWorker(e, numberOf(e, pieces, size), [&](Value piece) {
    pieces.open(piece);
    Value head = pieces.head(), tail = pieces.tail();
    Value isOne = e.compare(arith::CmpIPredicate::eq, head, tail);
    Value parts = e.select(isOne, e.i32(1), e.i32(2));
    noteRow(e, pieces, piece, tail);
    e.loop(e.i32(0), parts, e.i32(1), [&](Value part) {
      Value isFirst = e.compare(arith::CmpIPredicate::eq, part, e.i32(0));
      Value row = e.uniform(e.select(isFirst, head, tail));
      auto [begin, end] = boundsOf(e, row);
      e.branch(pieces.isLong(begin, end), [&, begin = begin, end = end] {
        emitPart(e, pieces, piece, row, begin, end);
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

/// Row `row` (i32), which begins in the piece that is open, the `piece`-th.
static void combineRow(Emitter &e, RowPieces &pieces, RowCombiner &combiner,
                       Value row, Value piece) {
  auto [begin, end] = boundsOf(e, row);
  Value first = pieces.partialRow(piece, begin, pieces.begin);
  auto partialOf = [&](Value number) {
    Value isFirst = e.compare(arith::CmpIPredicate::eq, number, e.i32(0));
    return e.select(isFirst, first, pieces.laterRow(e.add(piece, number)));
  };
  combiner.emit(
      pieces.piecesTo(piece, end), partialOf, [&](Value column, Value sum) {
        Value begin = e.mul(e.toIndex(row), e.toIndex(combiner.columns));
        combiner.store(sum, e.add(begin, e.toIndex(column)));
      });
}

void emitCombineRows(OpBuilder &builder, const KernelPlan &plan) {
  const SmallVector<Argument> arguments = combineRowsArguments(plan);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange values) {
    Emitter e(b, b.getLoc(), plan, Variant());
    const Counts counts = bindArguments(e, arguments, values);
    Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
    e.lane = e.bitAnd(thread, kLanes - 1);
    e.warp = e.uniform(arith::ShRUIOp::create(e.b, thread, e.i32(5)));
    RowPieces pieces(e, counts.rows, counts.piece, e.least);
    RowCombiner combiner(e, plan.oneColumn ? e.i32(1) : e.columnCount);
    Value block = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::x));
    Value blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::x));
    Value number = numberOf(e, pieces, counts.piece);
    Value together = e.i32(core::rules::kPartsTogether);
    Value stride = e.mul(blocks, together);
    e.loop(e.mul(block, together), number, stride, [&](Value base) {
      Value mine = e.add(base, e.lane);
      Value last = e.sub(number, e.i32(1));
      Value noted = e.table(Role::PieceRow, e.toIndex(e.min(mine, last)));
      Value isThere = arith::AndIOp::create(
          e.b, e.compare(arith::CmpIPredicate::slt, e.lane, together),
          e.compare(arith::CmpIPredicate::sle, mine, last));
      Value begins = arith::AndIOp::create(
          e.b, isThere, e.compare(arith::CmpIPredicate::sge, noted, e.i32(0)));
      e.eachLane(e.ballot(begins), [&](Value lane) {
        Value piece = e.add(base, lane), row = e.broadcast(noted, lane);
        pieces.open(piece);
        combineRow(e, pieces, combiner, row, piece);
      });
    });
    b.setInsertionPointToEnd(b.getInsertionBlock());
  };
  emitKernel(builder, plan, kCombineRowsName, arguments, body);
}

} // namespace astfe::gpukernel
