//===- DenseTile.cpp - DenseTile -> FmaTile -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All rows of a tile have the same `width` consecutive columns. Four rows at a
// time share what is loaded of the dense operands: a lane loads one value of a
// block of 4 rows x 8 columns, a shuffle broadcasts each, and one dense load
// per column feeds four accumulators a lane. Up to three rows remain; they are
// run like row segments with implicit columns.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace astfe::gpukernel {

static constexpr int64_t kRows = 4;
static constexpr int64_t kColumns = kLanes / kRows;

namespace {
/// Four rows of a tile: where they begin, the width, and the rows' numbers.
struct RowBlock {
  Value first; ///< i32: the first slot, relative to the tile's
  Value width; ///< i32
  Values rows; ///< index
};
} // namespace

/// The contributions of column `t` of the chunk that begins at `begin`.
static Values addColumn(Emitter &e, const Segments &segments,
                        const RowBlock &block, const Point &own, Value begin,
                        Value t, Values sums) {
  unsigned n = e.vector();
  Value column = e.add(begin, t);
  Point shared = e.place(segments.column(e.toIndex(column), e.index(0)));
  for (int64_t r = 0; r < kRows; ++r) {
    Point point = e.broadcastScalars(own, e.add(t, e.i32(r * kColumns)));
    point.offset = shared.offset;
    point.row = block.rows[r];
    auto mine = sums.begin() + r * n;
    llvm::copy(e.accumulate(point, Values(mine, mine + n)), mine);
  }
  return sums;
}

/// The sums of four rows: kRows times the vector's accumulators.
static Values blockSums(Emitter &e, const Segments &segments,
                        const RowBlock &block) {
  Value row = arith::ShRUIOp::create(e.b, e.lane, e.i32(3));
  Value column = e.bitAnd(e.lane, kColumns - 1);
  Value last = e.sub(block.width, e.i32(1));
  Value rowFirst = e.add(block.first, e.mul(row, block.width));
  Values inits;
  for (int64_t r = 0; r < kRows; ++r)
    llvm::append_range(inits, e.identities());
  return e.loop(
      e.i32(0), block.width, e.i32(kColumns), inits,
      [&](Value begin, Values sums) {
        Value mine = e.min(e.add(begin, column), last);
        Value slot = e.add(segments.base, e.toIndex(e.add(rowFirst, mine)));
        Value at = segments.column(e.toIndex(mine), e.index(0));
        Point own = e.load(slot, at, Value());
        Value count = e.min(e.sub(block.width, begin), e.i32(kColumns));
        return e.unrolledLoop(e.i32(0), count, e.i32(1), sums,
                              [&](Value t, Values sums) {
                                return addColumn(e, segments, block, own, begin,
                                                 t, std::move(sums));
                              });
      });
}

void Emitter::emitDenseTile(const Segments &segments, Value width) {
  Value whole =
      add(segments.first, bitAnd(sub(segments.last, segments.first), -kRows));
  unsigned n = vector();
  loop(segments.first, whole, i32(kRows), [&](Value segment) {
    RowBlock block;
    block.first = mul(segment, width);
    block.width = width;
    for (int64_t r = 0; r < kRows; ++r)
      block.rows.push_back(segments.row(add(segment, i32(r))));
    Values sums = blockSums(*this, segments, block);
    for (int64_t r = 0; r < kRows; ++r)
      flush(segments.mark(add(segment, i32(r))),
            Values(sums.begin() + r * n, sums.begin() + (r + 1) * n));
  });
  Segments rest = segments;
  rest.first = whole;
  emitColumnTile(rest);
}

} // namespace astfe::gpukernel
