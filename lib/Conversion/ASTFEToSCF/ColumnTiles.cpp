//===- ColumnTiles.cpp - lanes over dense columns -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// The tiles
//===----------------------------------------------------------------------===//

/// A mask of the first `count` lanes, or null if all are known to be set.
static Value maskOf(ImplicitLocOpBuilder &b, Value count, int64_t lanes) {
  std::optional<int64_t> known = getConstantIntValue(count);
  if (known && *known == lanes)
    return {};
  return vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), count);
}

/// The tile of fewer than `shape.maxVectors` full vectors at the end.
static void emitRest(ImplicitLocOpBuilder &b, Value k, Value rest,
                     int64_t vectors, LaneShape shape,
                     function_ref<void(ColumnTile)> emit) {
  Value before = arith::ConstantIndexOp::create(b, (vectors - 1) * shape.lanes);
  Value last = b.createOrFold<arith::SubIOp>(rest, before);
  emit({k, vectors, maskOf(b, last, shape.lanes)});
}

/// The same where the number of columns is known at run time only.
static void emitUnknownRest(ImplicitLocOpBuilder &b, Value k, Value rest,
                            LaneShape shape,
                            function_ref<void(ColumnTile)> emit) {
  Value lanes = arith::ConstantIndexOp::create(b, shape.lanes);
  Value vectors = arith::CeilDivUIOp::create(b, rest, lanes);
  SmallVector<int64_t> cases;
  for (int64_t v = 1; v <= shape.maxVectors; ++v)
    cases.push_back(v);
  auto choice =
      scf::IndexSwitchOp::create(b, TypeRange(), vectors, cases, cases.size());
  auto fill = [&](Region &region, int64_t v) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    if (v)
      emitRest(b, k, rest, v, shape, emit);
    scf::YieldOp::create(b);
  };
  fill(choice.getDefaultRegion(), 0);
  for (auto [v, region] : llvm::zip(cases, choice.getCaseRegions()))
    fill(region, v);
}

void host::forEachColumnTile(ImplicitLocOpBuilder &b, Value columns,
                             LaneShape shape,
                             function_ref<void(ColumnTile)> emit,
                             const Panel &panel) {
  int64_t width = shape.lanes * shape.maxVectors;
  std::optional<int64_t> known = getConstantIntValue(columns);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value step = arith::ConstantIndexOp::create(b, width);
  Value rest = b.createOrFold<arith::RemUIOp>(columns, step);
  Value full = b.createOrFold<arith::SubIOp>(columns, rest);
  auto emitFull = [&](Value begin, Value end) {
    scf::ForOp::create(b, begin, end, step, ValueRange(),
                       [&](OpBuilder &, Location, Value k, ValueRange) {
                         emit({k, shape.maxVectors, {}});
                         scf::YieldOp::create(b);
                       });
  };
  if (panel.begin)
    emitFull(panel.begin, arith::MinUIOp::create(b, panel.end, full));
  else if (known && *known / width == 1)
    emit({zero, shape.maxVectors, {}});
  else if (!known || *known / width > 1)
    emitFull(zero, full);
  if (known && *known % width == 0)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (panel.begin) {
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, panel.end, columns);
    auto last = scf::IfOp::create(b, isLast, /*withElse=*/false);
    b.setInsertionPoint(last.thenYield());
  }
  if (!known)
    emitUnknownRest(b, full, rest, shape, emit);
  else
    emitRest(b, full, rest, llvm::divideCeil(*known % width, shape.lanes),
             shape, emit);
}

void host::forEachTileOfPanel(ComputeBody &body, LaneShape shape,
                              function_ref<void(ColumnTile)> emit) {
  forEachColumnTile(body.b, denseColumns(body), shape, emit, body.panel);
}

//===----------------------------------------------------------------------===//
// A row in column tiles
//===----------------------------------------------------------------------===//

Value ColumnTile::start(ImplicitLocOpBuilder &b, int64_t v,
                        int64_t lanes) const {
  if (v == 0)
    return k;
  return b.createOrFold<arith::AddIOp>(
      k, arith::ConstantIndexOp::create(b, v * lanes));
}

/// Inputs without dense columns are the same for all vectors of a tile.
static SmallVector<Value> scalarsOf(ComputeBody &body, ArrayRef<Value> point) {
  SmallVector<Value> scalars;
  for (auto [i, map] : llvm::enumerate(body.inputMaps))
    scalars.push_back(
        map.isFunctionOfDim(kDenseDim) ? Value() : body.loadInput(i, point));
  return scalars;
}

SmallVector<Value> host::tileContributions(ComputeBody &body, const RowRun &run,
                                           LaneShape shape,
                                           const ColumnTile &tile, Value n,
                                           Value column) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  point[run.columnDim] = column;
  SmallVector<Value> scalars = scalarsOf(body, point), result;
  for (int64_t v = 0; v < tile.vectors; ++v) {
    if (tile.k)
      point[kDenseDim] = tile.start(b, v, shape.lanes);
    SmallVector<Value> arguments(scalars);
    for (auto [i, argument] : llvm::enumerate(arguments))
      if (!argument)
        argument = body.loadInputLanes(i, point, shape.lanes, tile.maskOf(v));
    Value value = body.contributions(arguments).front();
    result.push_back(tile.k ? body.toLanes(value, shape.lanes) : value);
  }
  return result;
}

void host::fetchRow(ComputeBody &body, LaneShape shape, const ColumnTile &tile,
                    Value row) {
  ImplicitLocOpBuilder &b = body.b;
  for (int64_t v = 0; v < tile.vectors; ++v)
    memref::PrefetchOp::create(b, body.outputs.front(),
                               ValueRange{row, tile.start(b, v, shape.lanes)},
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

void host::updateRow(ComputeBody &body, Value buffer, Value row,
                     const ColumnTile &tile, ValueRange sums) {
  for (auto [v, sum] : llvm::enumerate(sums)) {
    SmallVector<Value> at{row};
    if (auto type = dyn_cast<VectorType>(sum.getType()))
      at.push_back(tile.start(body.b, v, type.getDimSize(0)));
    body.update(0, buffer, at, sum, tile.maskOf(v));
  }
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
static int64_t storedBits(const Columns &columns) {
  if (!columns.array)
    return 64;
  auto type = cast<MemRefType>(columns.array.getType());
  if (!type.getElementType().isInteger() || !type.isLastDimUnitStride())
    return 64;
  return type.getElementTypeBitWidth();
}

/// The columns of nonzeros n, n + 1, ...: stored ones, side by side, take one
/// load, if they fill a word or less.
static SmallVector<Value> columnsFrom(ComputeBody &body, const Columns &columns,
                                      Value n, int64_t count) {
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

bool host::isDenseRow(ComputeBody &body, unsigned i, unsigned columnDim) {
  AffineMap map = body.inputMaps[i];
  return map.getNumResults() == 2 && map.getDimPosition(0) == columnDim &&
         map.getDimPosition(1) == kDenseDim;
}

/// Nonzeros ahead whose rows of the dense operands are fetched.
static constexpr int64_t kAhead = 8;

/// Fetches the rows of the dense operands for the nonzeros kAhead places after
/// n, n + 1, ..., on this tile. Of whole rows a processor fetches the rest
/// itself, and where they are in its caches this would cost more than it saves.
static void fetchAhead(ComputeBody &body, const RowRun &run, LaneShape shape,
                       const ColumnTile &tile, Value n, int64_t count) {
  ImplicitLocOpBuilder &b = body.b;
  if (!body.panel.isPart || !run.columns.last)
    return;
  auto fetch = scf::IfOp::create(b, body.panel.isPart, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(fetch.thenYield());
  for (int64_t i = 0; i < count; ++i) {
    Value later = arith::AddIOp::create(b, n, body.index(kAhead + i));
    Value column =
        run.columns.at(b, arith::MinUIOp::create(b, later, run.columns.last));
    for (unsigned input = 0; input < body.inputs.size(); ++input)
      for (int64_t v = 0; v < tile.vectors; ++v)
        if (isDenseRow(body, input, run.columnDim))
          memref::PrefetchOp::create(
              b, body.inputs[input],
              ValueRange{column, tile.start(b, v, shape.lanes)},
              /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// sums (combiner)= nonzeros n, n + 1, ..., one set after the other.
static SmallVector<Value> addNonzeros(ComputeBody &body, const RowRun &run,
                                      LaneShape shape, const ColumnTile &tile,
                                      Value n, int64_t count, ValueRange sums) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> result(sums);
  int64_t sets = int64_t(sums.size()) / tile.vectors;
  fetchAhead(body, run, shape, tile, n, count);
  SmallVector<Value> columns = columnsFrom(body, run.columns, n, count);
  for (int64_t i = 0; i < count; ++i) {
    Value at = i ? arith::AddIOp::create(b, n, body.index(i)).getResult() : n;
    auto next =
        tileContributions(body, run, shape, tile, at, columns[size_t(i)]);
    for (auto [v, value] : llvm::enumerate(next)) {
      Value &sum = result[size_t(i % sets * tile.vectors) + v];
      sum = body.combine(0, sum, value);
    }
  }
  return result;
}

/// A loop over [begin, end) by `step` that carries accumulators.
static SmallVector<Value> sumLoop(ComputeBody &body, const RowRun &run,
                                  LaneShape shape, const ColumnTile &tile,
                                  Value end, int64_t step, ValueRange start,
                                  Value begin) {
  auto loop = scf::ForOp::create(
      body.b, begin, end, body.index(step), start,
      [&](OpBuilder &, Location, Value n, ValueRange sums) {
        scf::YieldOp::create(
            body.b, addNonzeros(body, run, shape, tile, n, step, sums));
      });
  return SmallVector<Value>(loop.getResults());
}

/// Whole steps, then one by one.
SmallVector<Value> host::reduceRow(ComputeBody &body, const RowRun &run,
                                   LaneShape shape, const ColumnTile &tile,
                                   ValueRange begun) {
  ImplicitLocOpBuilder &b = body.b;
  if (!begun.empty())
    return sumLoop(body, run, shape, tile, run.end, 1, begun, run.begin);
  Unrolling unrolling(tile.vectors);
  SmallVector<Value> start(unrolling.sets * tile.vectors,
                           body.identity(0, shape.lanes));
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value rest = arith::RemUIOp::create(b, length, body.index(unrolling.step));
  Value middle = arith::SubIOp::create(b, run.end, rest);
  SmallVector<Value> sums =
      sumLoop(body, run, shape, tile, middle, unrolling.step, start, run.begin);
  for (int64_t set = 1; set < unrolling.sets; ++set)
    for (int64_t v = 0; v < tile.vectors; ++v)
      sums[v] = body.combine(0, sums[v], sums[set * tile.vectors + v]);
  sums.truncate(tile.vectors);
  return sumLoop(body, run, shape, tile, run.end, 1, sums, middle);
}

void host::emitColumnTiles(ComputeBody &body, const RowRun &run,
                           LaneShape shape, Flush flush) {
  forEachTileOfPanel(body, shape, [&](ColumnTile tile) {
    if (run.fetched && tile.vectors >= kFetchedVectors)
      fetchRow(body, shape, tile, run.fetched);
    flush(tile, reduceRow(body, run, shape, tile));
  });
}

Value host::denseColumns(ComputeBody &body) {
  if (body.dims() == kDenseDim)
    return {};
  return body.b.createOrFold<memref::DimOp>(body.outputs.front(),
                                            body.index(1));
}

void host::emitRow(ComputeBody &body, const RowRun &run, LaneShape shape,
                   Flush flush) {
  if (body.dims() == kDenseDim)
    emitOneColumn(body, run, shape, flush);
  else
    emitColumnTiles(body, run, shape, flush);
}
