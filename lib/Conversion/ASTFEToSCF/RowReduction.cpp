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
  for (const TileVector &vector : tile.vectors) {
    if (tile.k)
      point[kDenseDim] = tile.start(b, vector);
    SmallVector<Value> arguments(scalars);
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (!argument)
        argument = body.loadInputLanes(i, point, vector.lanes, vector.mask);
    Value value = body.contributions(arguments).front();
    result.push_back(tile.k ? body.toLanes(value, vector.lanes) : value);
  }
  return result;
}

namespace {
/// How the loop over the nonzeros of a row is unrolled: `step` of them at once,
/// on `sets` sets of accumulators, so that eight chains of multiply-adds hide
/// their latency and the loop costs less than what it does.
struct Unrolling {
  int64_t step, sets;

  explicit Unrolling(int64_t vectors)
      : step(vectors == 1 ? 4 : 2), sets(vectors >= 8 ? 1 : step) {}
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

/// Whole steps, then one by one.
SmallVector<Value> host::reduceRow(ComputeBody &body, const RowRun &run,
                                   const ColumnTile &tile) {
  ImplicitLocOpBuilder &b = body.b;
  Unrolling unrolling(tile.count());
  SmallVector<Value> start = tile.identities(body, unrolling.sets);
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value rest = arith::RemUIOp::create(b, length, body.index(unrolling.step));
  Value middle = arith::SubIOp::create(b, run.end, rest);
  SmallVector<Value> sums =
      sumLoop(body, run, tile, middle, unrolling.step, start, run.begin);
  for (int64_t set = 1; set < unrolling.sets; ++set)
    for (int64_t v = 0; v < tile.count(); ++v)
      sums[v] = body.combine(0, sums[v], sums[set * tile.count() + v]);
  sums.truncate(tile.count());
  return sumLoop(body, run, tile, run.end, 1, sums, middle);
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
  if (known && *known <= shape.lanes * shape.maxVectors)
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
      flush(tile, reduceRow(body, piece, tile), begins);
    });
  };
  forEachPiece(body, shape, run.begin, run.end, emitPiece);
}

void host::emitRow(ComputeBody &body, const RowRun &run, LaneShape shape,
                   Flush flush) {
  if (body.dims() == kDenseDim)
    emitOneColumn(body, run, shape, flush);
  else
    emitColumnTiles(body, run, shape, flush);
}
