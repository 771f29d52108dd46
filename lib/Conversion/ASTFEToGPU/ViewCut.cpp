//===- ViewCut.cpp - rows of a view that are too long for a warp ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of rows, cut as RowPieces.h says. A warp has a piece, whose nonzeros of
// long rows all of its lanes sum up; it notes which long row begins there, so
// that nobody has to look for it again. A block of the launch behind it reads
// 32 such notes, and combines the rows one after the other:
//
//   partial results   p0  p1  p2 ...    of one row, in the order of the pieces
//   columns           a power of two of a warp's lanes, at most all; the other
//                     lanes have partial results that follow
//   warps             every fourth group of partial results each
//
// The sums of lanes meet by shuffles, those of warps in shared memory. The
// order depends on the number of columns and pieces alone: the same bits each
// time.
//
//===----------------------------------------------------------------------===//

#include "RowPieces.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
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

namespace {

/// The partial results of one row, by a block.
class RowCombiner {
public:
  RowCombiner(Emitter &e, RowPieces &pieces, Value columns)
      : e(e), pieces(pieces), columns(columns) {
    shareSums();
    // Columns that a warp has at a time: a power of two.
    Value below = e.sub(columns, e.i32(1));
    Value bits =
        e.sub(e.i32(32), math::CountLeadingZerosOp::create(e.b, below));
    log = e.min(bits, e.i32(llvm::Log2_64(uint64_t(kLanes))));
    width = arith::ShLIOp::create(e.b, e.i32(1), log);
    others = arith::ShRUIOp::create(e.b, e.i32(kLanes), log);
    column = arith::AndIOp::create(e.b, e.lane, e.sub(width, e.i32(1)));
    group = arith::ShRUIOp::create(e.b, e.lane, log);
  }

  /// Row `row` (i32), which begins in the piece that is open, the `piece`-th.
  void emit(Value row, Value piece, Value rowBegin, Value rowEnd);

private:
  void shareSums();
  Value load(Value partial, Value at);
  Value sumOf(Value first, Value piece, Value count, Value at);
  Value overWarp(Value sum);
  void finish(Value row, Value at, Value sum);

  Emitter &e;
  RowPieces &pieces;
  Value columns; ///< i32
  Value log, width, others;
  Value column, group; ///< i32: of this lane
  Value sums;          ///< shared: one of each thread
};

} // namespace

void RowCombiner::shareSums() {
  Value bytes = sharedBytes(e, kBlockThreads * e.plan.elementBytes());
  auto type = MemRefType::get(
      {kBlockThreads}, e.plan.element, MemRefLayoutAttrInterface(),
      cast<MemRefType>(bytes.getType()).getMemorySpace());
  sums = memref::ViewOp::create(e.b, type, bytes, e.index(0), ValueRange());
}

/// Column `at` (i32) of a row (i32) of partial results.
Value RowCombiner::load(Value partial, Value at) {
  Value row = e.mul(e.toIndex(partial), e.toIndex(columns));
  return e.load(e.partials, e.add(row, e.toIndex(at)));
}

/// The sums of lanes that have the same column.
Value RowCombiner::overWarp(Value sum) {
  return e
      .loop(log, e.i32(llvm::Log2_64(uint64_t(kLanes))), e.i32(1), {sum},
            [&](Value step, Values sums) {
              Value distance = arith::ShLIOp::create(e.b, e.i32(1), step);
              Value other =
                  gpu::ShuffleOp::create(e.b, sums[0], distance, e.i32(kLanes),
                                         gpu::ShuffleMode::XOR)
                      .getShuffleResult();
              return Values{e.combine(sums[0], other)};
            })
      .front();
}

/// Adds up what the warps of the block have of column `at` (i32).
void RowCombiner::finish(Value row, Value at, Value sum) {
  Value mine = e.add(e.mul(e.warp, e.i32(kLanes)), e.lane);
  memref::StoreOp::create(e.b, sum, sums, e.toIndex(mine));
  gpu::BarrierOp::create(e.b);
  auto is = [&](Value number) {
    return e.compare(arith::CmpIPredicate::eq, number, e.i32(0));
  };
  Value inside = e.compare(arith::CmpIPredicate::slt, at, columns);
  Value leads = arith::AndIOp::create(e.b, is(e.warp), is(group));
  e.branch(arith::AndIOp::create(e.b, leads, inside), [&] {
    Value total = e.load(sums, e.toIndex(e.lane));
    for (int64_t warp = 1; warp < kBlockWarps; ++warp) {
      Value more = e.add(e.lane, e.i32(warp * kLanes));
      total = e.combine(total, e.load(sums, e.toIndex(more)));
    }
    Value target =
        e.add(e.mul(e.toIndex(row), e.toIndex(columns)), e.toIndex(at));
    if (!e.plan.overwrites)
      total = e.combine(e.toSum(e.load(e.output, target)), total);
    e.store(total, e.output, target);
  });
  // The next columns' sums take the place of these.
  gpu::BarrierOp::create(e.b);
}

/// Those of a row that begins with partial row `first`, in column `at` (i32):
/// what this lane has of `count`. Loads beyond the last one repeat it.
Value RowCombiner::sumOf(Value first, Value piece, Value count, Value at) {
  Value from = e.add(e.mul(e.warp, others), group);
  Value step = e.mul(others, e.i32(kBlockWarps));
  auto partialOf = [&](Value number) {
    Value isFirst = e.compare(arith::CmpIPredicate::eq, number, e.i32(0));
    return e.select(isFirst, first, pieces.laterRow(e.add(piece, number)));
  };
  auto take = [&](Value number, Values sums) {
    Values loaded, valid;
    for (int64_t u = 0; u < core::rules::kInFlight; ++u) {
      Value mine = e.add(number, e.mul(step, e.i32(u)));
      valid.push_back(e.compare(arith::CmpIPredicate::slt, mine, count));
      loaded.push_back(
          load(partialOf(e.min(mine, e.sub(count, e.i32(1)))), at));
    }
    for (auto [is, value] : llvm::zip_equal(valid, loaded))
      sums[0] = e.select(is, e.combine(sums[0], value), sums[0]);
    return sums;
  };
  return e
      .loop(from, count, e.mul(step, e.i32(core::rules::kInFlight)),
            {e.identities().front()}, take)
      .front();
}

void RowCombiner::emit(Value row, Value piece, Value rowBegin, Value rowEnd) {
  Value count = pieces.piecesTo(piece, rowEnd);
  Value first = pieces.partialRow(piece, rowBegin, pieces.begin);
  Value y = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::y));
  Value blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::y));
  e.loop(e.mul(y, width), columns, e.mul(blocks, width), [&](Value begin) {
    Value at = e.add(begin, column);
    // A lane without a column repeats the last one, which it does not write.
    Value loaded = e.min(at, e.sub(columns, e.i32(1)));
    finish(row, at, overWarp(sumOf(first, piece, count, loaded)));
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
    RowCombiner combiner(e, pieces, plan.oneColumn ? e.i32(1) : e.columnCount);
    Value block = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::x));
    Value blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::x));
    Value number = numberOf(e, pieces, counts.piece);
    Value lanes = e.i32(kLanes);
    e.loop(e.mul(block, lanes), number, e.mul(blocks, lanes), [&](Value base) {
      Value mine = e.add(base, e.lane);
      Value last = e.sub(number, e.i32(1));
      Value noted = e.table(Role::PieceRow, e.toIndex(e.min(mine, last)));
      Value begins = arith::AndIOp::create(
          e.b, e.compare(arith::CmpIPredicate::sle, mine, last),
          e.compare(arith::CmpIPredicate::sge, noted, e.i32(0)));
      Value bits = NVVM::VoteSyncOp::create(e.b, e.b.getI32Type(), e.i32(-1),
                                            begins, NVVM::VoteSyncKind::ballot);
      Value some = math::CtPopOp::create(e.b, bits);
      e.loop(e.i32(0), some, e.i32(1), {bits}, [&](Value, Values left) {
        Value at = math::CountTrailingZerosOp::create(e.b, left[0]);
        Value piece = e.add(base, at), row = e.broadcast(noted, at);
        pieces.open(piece);
        auto [begin, end] = boundsOf(e, row);
        combiner.emit(row, piece, begin, end);
        Value others = e.sub(left[0], e.i32(1));
        return Values{arith::AndIOp::create(e.b, left[0], others)};
      });
    });
    b.setInsertionPointToEnd(b.getInsertionBlock());
  };
  emitKernel(builder, plan, kCombineRowsName, arguments, body);
}

} // namespace astfe::gpukernel
