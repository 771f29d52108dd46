//===- RowPairs.cpp - two rows of a window at a time ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows are bound by loads from the first cache: one for each multiply-add. A
// pair's first loop goes through the columns that both rows have, and loads a
// vector of the dense operand once for two multiply-adds; both rows keep their
// accumulators for the nonzeros that they have alone, and are flushed once.
//
//===----------------------------------------------------------------------===//

#include "PackedLoops.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {
/// The slots of a pair: what is shared, the rest of the first row, the second.
struct Pair {
  Value segment, begin, sharedEnd, firstEnd, secondEnd;
};
} // namespace

static void forEachPair(PackedKernel &kernel, const Span &span,
                        function_ref<void(const Pair &)> emit) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  auto endOf = [&](Value g, int64_t i) -> Value {
    Value segment = arith::AddIOp::create(b, g, kernel.body.index(i));
    return arith::AddIOp::create(
        b, span.slot, loadIndex(b, kernel.tables.segmentEnd, segment));
  };
  auto step = [&](OpBuilder &, Location, Value g, ValueRange begin) {
    Pair pair{g, begin[0], endOf(g, 0), endOf(g, 1), endOf(g, 2)};
    emit(pair);
    scf::YieldOp::create(b, pair.secondEnd);
  };
  scf::ForOp::create(b, span.segment, span.segmentsEnd,
                     kernel.body.index(core::kPairSegments), span.slot, step);
}

/// The accumulators of both rows, the first row's first, after what they share.
static SmallVector<Value> reduceShared(WindowTile &tile, const RowRun &first,
                                       const RowRun &second, Value count) {
  ComputeBody &body = tile.body;
  ImplicitLocOpBuilder &b = body.b;
  auto step = [&](OpBuilder &, Location, Value i, ValueRange sums) {
    Value n = arith::AddIOp::create(b, first.begin, i);
    Value m = arith::AddIOp::create(b, second.begin, i);
    Value column = tile.columns.at(b, n);
    SmallVector<Value> next =
        tileContributions(body, first, tile.source, n, column);
    llvm::append_range(next,
                       tileContributions(body, second, tile.source, m, column));
    for (auto [sum, value] : llvm::zip(sums, next))
      value = body.combine(0, sum, value);
    scf::YieldOp::create(b, next);
  };
  auto loop = scf::ForOp::create(b, body.index(0), count, body.index(1),
                                 tile.source.identities(body, 2), step);
  return SmallVector<Value>(loop.getResults());
}

static void emitPair(PackedKernel &kernel, WindowTile &tile, const Pair &pair) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Value second = arith::AddIOp::create(
      b, pair.segment, kernel.body.index(core::kPairSegments - 1));
  RowRun rows[2] = {
      {pair.begin, pair.firstEnd, kernel.rowOf(pair.segment), tile.columns},
      {pair.firstEnd, pair.secondEnd, kernel.rowOf(second), tile.columns}};
  Value segments[2] = {pair.segment, second};
  for (Value segment : segments)
    if (tile.target.count() >= kFetchedVectors)
      fetchRow(kernel.body, tile.target, kernel.fetchedRow(segment));
  Value shared = arith::SubIOp::create(b, pair.sharedEnd, pair.begin);
  SmallVector<Value> sums = reduceShared(tile, rows[0], rows[1], shared);
  for (size_t r = 0; r < 2; ++r) {
    rows[r].begin = arith::AddIOp::create(b, rows[r].begin, shared);
    ValueRange start =
        ValueRange(sums).slice(r * tile.source.count(), tile.source.count());
    kernel.flush(segments[r], tile.target,
                 reduceRow(tile.body, rows[r], tile.source, start));
  }
}

void host::emitRowPairs(PackedKernel &kernel, const Span &span) {
  if (!denseColumns(kernel.body))
    return emitRowSegments(kernel, span);
  forEachWindowTile(kernel, span, [&](WindowTile &tile) {
    forEachPair(kernel, span,
                [&](const Pair &pair) { emitPair(kernel, tile, pair); });
  });
}
