//===- DenseTile.cpp - DenseTile -> FmaTile -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All rows of a tile have the same `width` consecutive columns. Four rows at a
// time share what is loaded of the dense operands: a lane loads one value of a
// block of 4 rows x 8 columns, the warp keeps them column by column, and each
// column takes one dense load and one load of the four values for four
// accumulators a lane. The loads of two columns are in flight together. Up to
// three rows remain; they are run like row segments with implicit columns.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Emitter.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Rows that run together.
static int64_t blockRows(const Emitter &e) {
  bool twoDoubles = e.plan.elementBytes() == 8 && e.variant.vector == 2;
  return twoDoubles ? 2 : 4;
}

namespace {
/// Rows of a tile: where they begin, the width, and the rows' numbers.
struct RowBlock {
  Value first;   ///< i32: the first slot
  Value width;   ///< i32
  Value segment; ///< i32: of the first row
  Values rows;   ///< index
};
} // namespace

/// Columns whose loads of dense operands are in flight together; one where
/// vectors of 128 bits have doubles or offsets of 64 bits, and of complex
/// numbers: registers are short.
static int64_t columnsInFlight(const Emitter &e) {
  const bool isWidest =
      e.vector() * e.plan.elementBytes() >= unsigned(core::rules::kWidestLoad);
  // Those that are widened are there twice, as they are stored and as floats;
  // teams keep the masks of their rows.
  const bool isShort = e.variant.wide || e.plan.elementBytes() == 8 ||
                       e.plan.element != e.plan.stored || e.hasTeams();
  const bool isOne = (isWidest && isShort) || e.plan.complex;
  return isOne ? 1 : core::rules::kInFlight / 2;
}

/// The contributions of `number` columns from place `t` of a chunk on, all of
/// whose loads come first; the first one's rows of dense operands begin at
/// `offset`.
static Values addColumns(Emitter &e, const RowBlock &block, Value t,
                         int64_t number, Value offset, Values sums) {
  const int64_t rows = blockRows(e);
  SmallVector<Point> points;
  for (int64_t u = 0; u < number; ++u) {
    Value at = e.mul(e.toIndex(e.add(t, e.i32(u))), e.index(rows));
    for (auto [r, point] : llvm::enumerate(e.staged(at, rows, Value()))) {
      point.offset = offset;
      point.row = block.rows[r];
      points.push_back(point);
    }
    offset = e.add(offset, e.rowStep());
  }
  return e.accumulate(points, std::move(sums));
}

/// `sums` and the contributions of the `count` columns of a staged chunk; the
/// first one's offset is given.
static Values addChunk(Emitter &e, const RowBlock &block, Value count,
                       Value offset, Values sums) {
  const int64_t together = columnsInFlight(e);
  Value whole = together == 1 ? count : e.bitAnd(count, -together);
  Value step = e.mul(e.rowStep(), e.i32(together));
  sums.push_back(offset);
  auto take = [&](Value t, Values carried) {
    Value at = carried.pop_back_val();
    carried = addColumns(e, block, t, together, at, std::move(carried));
    carried.push_back(e.add(at, step));
    return carried;
  };
  sums = e.unrolledLoop(e.i32(0), whole, e.i32(together), sums, take);
  Value last = sums.pop_back_val();
  if (together == 1)
    return sums;
  Value odd = e.compare(arith::CmpIPredicate::ne, whole, count);
  return e.branch(odd, sums,
                  [&] { return addColumns(e, block, whole, 1, last, sums); });
}

/// The sums of a block of rows: the vector's accumulators for each.
static Values blockSums(Emitter &e, const Segments &segments,
                        const RowBlock &block, Values sums) {
  int64_t rows = blockRows(e), columns = kLanes / rows;
  Value row = e.bitAnd(e.lane, rows - 1);
  Value column =
      arith::ShRUIOp::create(e.b, e.lane, e.i32(llvm::Log2_64(rows)));
  Value last = e.sub(block.width, e.i32(1));
  Value rowFirst = e.add(block.first, e.mul(row, block.width));
  const bool readsCells =
      llvm::any_of(e.plan.inputs, std::mem_fn(&Operand::cell));
  Value lead = readsCells ? segments.row(e.add(block.segment, row)) : Value();
  auto chunk = [&](Value begin, Values sums) {
    Value mine = e.min(e.add(begin, column), last);
    Value at = segments.column(mine, e.i32(0));
    Point own = e.load(e.add(rowFirst, mine), at, lead);
    // Lane 0 holds the first column. LLVM, which would know it as a function of
    // `begin` if it were computed, adds up the parts again for each column.
    Value first = e.broadcast(own.offset, e.i32(0));
    own.offset = Value();
    e.stage(own);
    Value count = e.min(e.sub(block.width, begin), e.i32(columns));
    return addChunk(e, block, count, first, std::move(sums));
  };
  return e.loop(e.i32(0), block.width, e.i32(columns), std::move(sums), chunk);
}

void Emitter::emitDenseTile(const Segments &segments, Value span) {
  if (hasTeams())
    return emitRows(segments);
  Value width = uniform(table(Role::SpanWidth, span));
  int64_t rows = blockRows(*this);
  Value whole =
      add(segments.first, bitAnd(sub(segments.last, segments.first), -rows));
  unsigned n = vector();
  loop(segments.first, whole, i32(rows), [&](Value segment) {
    RowBlock block;
    block.first = mul(segment, width);
    block.width = width;
    block.segment = segment;
    Values sums;
    for (int64_t r = 0; r < rows; ++r) {
      block.rows.push_back(segments.row(add(segment, i32(r))));
      llvm::append_range(sums, identities());
    }
    sums = blockSums(*this, segments, block, std::move(sums));
    for (int64_t r = 0; r < rows; ++r)
      flush(segments.mark(add(segment, i32(r))),
            isFirst(segments, add(segment, i32(r))),
            Values(sums.begin() + r * n, sums.begin() + (r + 1) * n));
  });
  Segments rest = segments;
  rest.first = whole;
  emitRows(rest);
}

} // namespace astfe::gpukernel
