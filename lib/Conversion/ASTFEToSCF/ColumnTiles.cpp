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
                             function_ref<void(ColumnTile)> emit) {
  int64_t width = shape.lanes * shape.maxVectors;
  std::optional<int64_t> known = getConstantIntValue(columns);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value step = arith::ConstantIndexOp::create(b, width);
  Value rest = b.createOrFold<arith::RemUIOp>(columns, step);
  Value full = b.createOrFold<arith::SubIOp>(columns, rest);
  if (known && *known / width == 1)
    emit({zero, shape.maxVectors, {}});
  else if (!known || *known / width > 1)
    scf::ForOp::create(b, zero, full, step, ValueRange(),
                       [&](OpBuilder &, Location, Value k, ValueRange) {
                         emit({k, shape.maxVectors, {}});
                         scf::YieldOp::create(b);
                       });
  if (!known)
    emitUnknownRest(b, full, rest, shape, emit);
  else if (*known % width)
    emitRest(b, full, rest, llvm::divideCeil(*known % width, shape.lanes),
             shape, emit);
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
                                           const ColumnTile &tile, Value n) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> point(body.dims());
  point[kNonzeroDim] = n;
  point[run.rowDim] = run.row;
  point[run.columnDim] = run.columns.at(b, n);
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

void host::updateRow(ComputeBody &body, Value buffer, Value row,
                     const ColumnTile &tile, ValueRange sums) {
  for (auto [v, sum] : llvm::enumerate(sums)) {
    SmallVector<Value> at{row};
    if (auto type = dyn_cast<VectorType>(sum.getType()))
      at.push_back(tile.start(body.b, v, type.getDimSize(0)));
    body.update(0, buffer, at, sum, tile.maskOf(v));
  }
}

void host::emitColumnTiles(ComputeBody &body, const RowRun &run,
                           LaneShape shape, Flush flush) {
  ImplicitLocOpBuilder &b = body.b;
  auto emitTile = [&](ColumnTile tile) {
    SmallVector<Value> start(tile.vectors, body.identity(0, shape.lanes));
    auto step = [&](OpBuilder &, Location, Value n, ValueRange sums) {
      SmallVector<Value> next = tileContributions(body, run, shape, tile, n);
      for (auto [sum, value] : llvm::zip(sums, next))
        value = body.combine(0, sum, value);
      scf::YieldOp::create(b, next);
    };
    auto loop =
        scf::ForOp::create(b, run.begin, run.end, body.index(1), start, step);
    flush(tile, loop.getResults());
  };
  forEachColumnTile(b, denseColumns(body), shape, emitTile);
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
