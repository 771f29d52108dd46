//===- RowReduction.cpp - the nonzeros of a row into a tile ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// Nonzeros
//===----------------------------------------------------------------------===//

/// Inputs without dense columns are the same for all vectors of a tile.
static SmallVector<Value> scalarsOf(ComputeBody &body, ArrayRef<Value> point) {
  SmallVector<Value> scalars;
  for (auto [i, map] : llvm::enumerate(body.inputMaps))
    scalars.push_back(
        map.isFunctionOfDim(kDenseDim) ? Value() : body.loadInput(i, point));
  return scalars;
}

SmallVector<Value> host::tileContributions(ComputeBody &body, const RowRun &run,
                                           const ColumnTile &tile, Value n,
                                           Value column) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  point[run.columnDim] = column;
  SmallVector<Value> scalars = scalarsOf(body, point), result;
  SmallVector<Value> loaded(scalars.size()); // With the vector before.
  for (auto [v, vector] : llvm::enumerate(tile.vectors)) {
    if (tile.k)
      point[kDenseDim] = tile.start(b, vector);
    const bool isPair = tile.alternates && isAlternatePair(tile, int64_t(v));
    SmallVector<Value> arguments(scalars);
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      if (argument)
        continue;
      if (isPair)
        std::tie(argument, loaded[i]) =
            loadAlternates(body, unsigned(i), point, vector.lanes);
      else if (loaded[i])
        argument = std::exchange(loaded[i], {});
      else
        argument = body.loadInputLanes(i, point, vector.lanes, vector.mask);
    }
    Value value = body.contributions(arguments).front();
    result.push_back(tile.k ? body.toLanes(value, vector.lanes) : value);
  }
  return result;
}

namespace {
/// How the loop over the nonzeros of a row is unrolled: `step` of them at once,
/// on `sets` sets of accumulators, so that the loop costs less than what it
/// does. Eight chains of multiply-adds hide their latency, which is what bounds
/// the loop where operands come from the first cache. Where they come from
/// farther away, and registers are few, wide tiles take one by one: rows are
/// short, so that several are on their way at once, and need no second loop.
/// A complex number's lanes are multiplied outside of the chain, which is a sum
/// alone: two of them hide it, and leave less of a row to the second loop.
struct Unrolling {
  int64_t step, sets;

  Unrolling(const ComputeBody &body, const ColumnTile &tile, bool isCached)
      : Unrolling(body, tile.count(), isCached) {
    if (body.plan.pairs && tile.count() == 1 && tile.vectors.front().lanes == 2)
      step = sets = 2;
  }

private:
  Unrolling(const ComputeBody &body, int64_t vectors, bool isCached)
      : step(vectors == 1 ? 4 : 2), sets(vectors >= 8 ? 1 : step) {
    if (isCached && vectors * sets < 8)
      step = sets = 8 / vectors;
    if (!isCached && body.fewRegisters &&
        vectors >= core::rules::kSingleVectors)
      step = sets = 1;
  }
};
} // namespace

/// The bits of a stored column; 64 where columns are not integers side by side.
static int64_t storedBits(const StoredColumns &columns) {
  if (!columns.array)
    return 64;
  auto type = cast<MemRefType>(columns.array.getType());
  if (!type.getElementType().isInteger() || !type.isLastDimUnitStride())
    return 64;
  return type.getElementTypeBitWidth();
}

/// The columns of nonzeros n, n + 1, ...: stored ones, side by side, take one
/// load, if they fill a word or less.
static SmallVector<Value> columnsFrom(ComputeBody &body,
                                      const StoredColumns &columns, Value n,
                                      int64_t count) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> result;
  int64_t bits = storedBits(columns);
  if (count == 1 || bits * count > 64) {
    for (int64_t i = 0; i < count; ++i)
      result.push_back(
          columns.at(b, b.createOrFold<arith::AddIOp>(n, body.index(i))));
    return result;
  }
  Type word = b.getIntegerType(unsigned(bits * count));
  Value loaded = vector::LoadOp::create(
      b, VectorType::get({count}, b.getIntegerType(bits)), columns.array, n);
  Value packed = vector::ExtractOp::create(
      b, vector::BitCastOp::create(b, VectorType::get({1}, word), loaded), 0);
  for (int64_t i = 0; i < count; ++i) {
    Value shift =
        arith::ConstantOp::create(b, b.getIntegerAttr(word, i * bits));
    Value stored = arith::TruncIOp::create(
        b, b.getIntegerType(bits), arith::ShRUIOp::create(b, packed, shift));
    result.push_back(columns.fromStored(b, stored));
  }
  return result;
}

/// sums (combiner)= nonzeros n, n + 1, ..., one set after the other.
static SmallVector<Value> addNonzeros(ComputeBody &body, const RowRun &run,
                                      const ColumnTile &tile, Value n,
                                      int64_t count, ValueRange sums) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> result(sums);
  int64_t sets = int64_t(sums.size()) / tile.count();
  fetchAhead(body, run, tile, n, count);
  SmallVector<Value> columns = columnsFrom(body, run.columns, n, count);
  for (int64_t i = 0; i < count; ++i) {
    Value at = i ? arith::AddIOp::create(b, n, body.index(i)).getResult() : n;
    auto next = tileContributions(body, run, tile, at, columns[size_t(i)]);
    for (auto [v, value] : llvm::enumerate(next)) {
      Value &sum = result[size_t(i % sets * tile.count()) + v];
      sum = body.combine(0, sum, value);
    }
  }
  return result;
}

/// A loop over [begin, end) by `step` that carries accumulators.
static SmallVector<Value> sumLoop(ComputeBody &body, const RowRun &run,
                                  const ColumnTile &tile, Value end,
                                  int64_t step, ValueRange start, Value begin) {
  auto loop = scf::ForOp::create(
      body.b, begin, end, body.index(step), start,
      [&](OpBuilder &, Location, Value n, ValueRange sums) {
        scf::YieldOp::create(body.b,
                             addNonzeros(body, run, tile, n, step, sums));
      });
  return SmallVector<Value>(loop.getResults());
}

/// The last multiple of `step` nonzeros of [begin, end).
static Value wholeSteps(ComputeBody &body, Value begin, Value end,
                        int64_t step) {
  ImplicitLocOpBuilder &b = body.b;
  Value length = arith::SubIOp::create(b, end, begin);
  Value rest = arith::RemUIOp::create(b, length, body.index(step));
  return arith::SubIOp::create(b, end, rest);
}

/// Adds kLongRowStep nonzeros of a long row at once to `sums`, and returns the
/// first that it leaves. A processor expects that an instruction that has
/// loaded from two rows of an operand, one behind the other, goes on like this,
/// and fetches rows that nobody asked for: the fewer rows an instruction loads
/// from, the less it fetches in vain. Far rows are fetched by prefetches, of
/// which so many at once would wait for each other, and short rows would pay
/// for a second loop.
static Value addLongRow(ComputeBody &body, const RowRun &run,
                        const ColumnTile &tile, SmallVector<Value> &sums) {
  constexpr int64_t kStep = core::rules::kLongRowStep;
  ImplicitLocOpBuilder &b = body.b;
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value isLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::uge, length,
                            body.index(core::rules::kLongRowNonzeros));
  if (body.isFar)
    isLong = arith::AndIOp::create(b, isLong, notOf(b, body.isFar));
  RowRun near = run;
  near.columns.last = {};
  auto add = [&](OpBuilder &, Location) {
    Value middle = wholeSteps(body, run.begin, run.end, kStep);
    SmallVector<Value> results =
        sumLoop(body, near, tile, middle, kStep, sums, run.begin);
    results.push_back(middle);
    scf::YieldOp::create(b, results);
  };
  auto leave = [&](OpBuilder &, Location) {
    SmallVector<Value> results(sums);
    results.push_back(run.begin);
    scf::YieldOp::create(b, results);
  };
  auto rows = scf::IfOp::create(b, isLong, add, leave);
  llvm::copy(rows.getResults().drop_back(), sums.begin());
  return rows.getResults().back();
}

/// Tiles at the end of an unknown number of columns would be four times the
/// code.
static bool hasLongLoop(ComputeBody &body, const RowRun &run,
                        const ColumnTile &tile) {
  return run.hasLongLoop && tile.count() >= core::rules::kLongRowVectors &&
         (!tile.vectors.back().mask ||
          getConstantIntValue(denseColumns(body)).has_value());
}

/// Sums of all sets, one after the other.
static SmallVector<Value> joinSets(ComputeBody &body, const ColumnTile &tile,
                                   ArrayRef<Value> sums) {
  SmallVector<Value> joined(sums.take_front(tile.count()));
  for (size_t i = joined.size(); i < sums.size(); ++i) {
    Value &sum = joined[i % size_t(tile.count())];
    sum = body.combine(0, sum, sums[i]);
  }
  return joined;
}

/// An instruction does not do: NaN wins, and zeros have signs.
static bool combinesSlowly(ComputeBody &body) {
  const arith::AtomicRMWKind kind = body.plan.outputs.front().combiner;
  return kind == arith::AtomicRMWKind::minimumf ||
         kind == arith::AtomicRMWKind::maximumf;
}

/// The same of a row that may have no whole step, for which a branch takes less
/// than combining what is the identity.
static SmallVector<Value> joinSetsOf(ComputeBody &body, const ColumnTile &tile,
                                     ArrayRef<Value> sums, Value isLong) {
  ImplicitLocOpBuilder &b = body.b;
  auto join = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, joinSets(body, tile, sums));
  };
  auto leave = [&](OpBuilder &, Location) {
    scf::YieldOp::create(b, tile.identities(body));
  };
  auto joined = scf::IfOp::create(b, isLong, join, leave);
  return SmallVector<Value>(joined.getResults());
}

/// Whole steps, then one by one.
static SmallVector<Value> reduceTile(ComputeBody &body, const RowRun &run,
                                     const ColumnTile &tile) {
  Unrolling unrolling(body, tile, run.isCached);
  SmallVector<Value> start = tile.identities(body, unrolling.sets);
  Value begin = run.begin;
  if (hasLongLoop(body, run, tile))
    begin = addLongRow(body, run, tile, start);
  if (unrolling.step == 1)
    return sumLoop(body, run, tile, run.end, 1, start, begin);
  Value middle = wholeSteps(body, begin, run.end, unrolling.step);
  SmallVector<Value> sums =
      sumLoop(body, run, tile, middle, unrolling.step, start, begin);
  const bool isWhole = begin == run.begin;
  if (unrolling.sets > 1 && isWhole && combinesSlowly(body))
    sums = joinSetsOf(body, tile, sums,
                      arith::CmpIOp::create(body.b, arith::CmpIPredicate::ult,
                                            begin, middle));
  else
    sums = joinSets(body, tile, sums);
  return sumLoop(body, run, tile, run.end, 1, sums, middle);
}

SmallVector<Value> host::reduceRow(ComputeBody &body, const RowRun &run,
                                   const ColumnTile &tile) {
  if (!suitsAlternates(body, tile))
    return reduceTile(body, run, tile);
  ColumnTile apart = tile;
  apart.alternates = true;
  SmallVector<Value> sums = reduceTile(body, run, apart);
  putInOrder(body, tile, sums);
  return sums;
}

//===----------------------------------------------------------------------===//
// Pieces and tiles
//===----------------------------------------------------------------------===//

/// Nonzeros that go through all tiles before the next ones do. A tile reads a
/// part of each row of the dense operand, and a processor fetches the parts
/// beside it, which the next tile finds in the second cache only if not too
/// many rows lie between. The output is touched once for each piece, so that
/// this many make it a small part of what is read.
static constexpr int64_t kPiece = core::rules::kPieceNonzeros;

void host::forEachPiece(ComputeBody &body, LaneShape shape, Value begin,
                        Value end,
                        function_ref<void(Value, Value, Value)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  std::optional<int64_t> known = getConstantIntValue(denseColumns(body));
  // A half that is touched for each piece would be rounded for each.
  if (body.roundsSums() || (known && *known <= shape.lanes * shape.maxVectors))
    return emit(begin, end, {});
  Value atLeastOne = arith::MaxUIOp::create(
      b, end, arith::AddIOp::create(b, begin, body.index(1)));
  auto emitPiece = [&](OpBuilder &, Location, Value at, ValueRange) {
    Value next = arith::MinUIOp::create(
        b, arith::AddIOp::create(b, at, body.index(kPiece)), end);
    emit(at, next,
         arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at, begin));
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, begin, atLeastOne, body.index(kPiece), ValueRange(),
                     emitPiece);
}

/// Rows that go past the caches are not taken into them.
static void fetchUnlessStreamed(ComputeBody &body, const ColumnTile &tile,
                                Value row) {
  if (!body.streamed)
    return fetchRow(body, tile, row);
  ImplicitLocOpBuilder &b = body.b;
  scf::IfOp::create(b, notOf(b, body.streamed.isOn),
                    [&](OpBuilder &, Location) {
                      fetchRow(body, tile, row);
                      scf::YieldOp::create(b);
                    });
}

void host::emitColumnTiles(ComputeBody &body, const RowRun &run,
                           LaneShape shape, Flush flush) {
  auto emitPiece = [&](Value begin, Value end, Value begins) {
    RowRun piece = run;
    piece.begin = begin;
    piece.end = end;
    forEachTileOfStrip(body, shape, [&](ColumnTile tile) {
      if (run.fetched && tile.count() >= kFetchedVectors)
        fetchUnlessStreamed(body, tile, run.fetched);
      flushTile(body, tile, reduceRow(body, piece, tile), begins, flush);
    });
  };
  flushNoColumns(body, flush);
  forEachPiece(body, shape, run.begin, run.end, emitPiece);
}

void host::emitRow(ComputeBody &body, const RowRun &run, LaneShape shape,
                   Flush flush) {
  if (body.dims() == kDenseDim)
    emitOneColumn(body, run, shape, flush);
  else
    emitColumnTiles(body, run, shape, flush);
}
