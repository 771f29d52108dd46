//===- ColumnTiles.cpp - the dense columns in tiles of vectors ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

//===----------------------------------------------------------------------===//
// The dense columns
//===----------------------------------------------------------------------===//

Value host::denseExtent(ComputeBody &body, unsigned dim) {
  auto find = [&](ArrayRef<AffineMap> maps, ArrayRef<Value> buffers) -> Value {
    for (auto [map, buffer] : llvm::zip_equal(maps, buffers))
      for (unsigned r = 0; r < map.getNumResults(); ++r)
        if (map.getDimPosition(r) == dim)
          return body.b.createOrFold<memref::DimOp>(buffer, body.index(r));
    return {};
  };
  Value extent = find(body.inputMaps, body.inputs);
  return extent ? extent : find(body.outputMaps, body.outputs);
}

Value host::denseColumns(ComputeBody &body) {
  const unsigned last = body.dims() - 1;
  if (last <= body.op.getPatternRank())
    return {};
  if (!body.outputMaps.front().isFunctionOfDim(last))
    return denseExtent(body, last);
  auto position = body.outputMaps.front().getResultPosition(
      getAffineDimExpr(last, body.b.getContext()));
  return body.b.createOrFold<memref::DimOp>(body.outputs.front(),
                                            body.index(*position));
}

Value host::outputColumns(ComputeBody &body) {
  return body.plan.reducesLanesOfRows() ? Value() : denseColumns(body);
}

bool host::isDenseRow(ComputeBody &body, unsigned i, unsigned columnDim) {
  AffineMap map = body.inputMaps[i];
  return map.getNumResults() == 2 && map.getDimPosition(0) == columnDim &&
         map.getDimPosition(1) == kDenseDim;
}

//===----------------------------------------------------------------------===//
// The tiles
//===----------------------------------------------------------------------===//

Value ColumnTile::start(ImplicitLocOpBuilder &b,
                        const TileVector &vector) const {
  if (vector.offset == 0)
    return k;
  return b.createOrFold<arith::AddIOp>(
      k, arith::ConstantIndexOp::create(b, vector.offset));
}

SmallVector<Value> ColumnTile::identities(ComputeBody &body,
                                          int64_t times) const {
  SmallVector<Value> result;
  for (int64_t i = 0; i < times; ++i)
    for (const TileVector &vector : vectors)
      result.push_back(body.identity(0, vector.lanes));
  return result;
}

/// A mask of the first `count` lanes.
static Value maskOf(ImplicitLocOpBuilder &b, Value count, int64_t lanes) {
  return vector::CreateMaskOp::create(
      b, VectorType::get({lanes}, b.getI1Type()), count);
}

/// `count` full vectors side by side.
static ColumnTile wholeVectors(Value k, int64_t count, LaneShape shape) {
  ColumnTile tile{k, {}};
  for (int64_t v = 0; v < count; ++v)
    tile.vectors.push_back({v * shape.lanes, shape.lanes});
  return tile;
}

/// A tile of `columns` columns. What full vectors leave is a vector that ends
/// at the last column; without one before it, a vector that reads the operands
/// under a mask.
static ColumnTile knownTile(ImplicitLocOpBuilder &b, Value k, int64_t columns,
                            LaneShape shape) {
  int64_t full = columns / shape.lanes, rest = columns % shape.lanes;
  ColumnTile tile = wholeVectors(k, full, shape);
  if (rest == 0)
    return tile;
  int64_t needed = std::min<int64_t>(shape.lanes, llvm::PowerOf2Ceil(rest));
  bool isWide = full > core::rules::kOverlappedVectors && needed == shape.lanes;
  if (full != 0 && !isWide) {
    int64_t lanes = std::max(needed, shape.lastLanes);
    tile.vectors.push_back({columns - lanes, lanes});
    return tile;
  }
  TileVector last{columns - rest, needed};
  if (needed != rest) {
    last.mask = maskOf(b, arith::ConstantIndexOp::create(b, rest), needed);
    last.columns = isWide ? 0 : rest;
  }
  tile.vectors.push_back(last);
  return tile;
}

/// The tile of `vectors` vectors at the end, of which the last may be masked.
static void emitRest(ImplicitLocOpBuilder &b, Value k, Value rest,
                     int64_t vectors, LaneShape shape,
                     function_ref<void(ColumnTile)> emit) {
  Value before = arith::ConstantIndexOp::create(b, (vectors - 1) * shape.lanes);
  ColumnTile tile = wholeVectors(k, vectors, shape);
  tile.vectors.back().mask =
      maskOf(b, arith::SubIOp::create(b, rest, before), shape.lanes);
  emit(tile);
}

/// The rest where the number of columns is known at run time only.
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
                             const Strip &strip) {
  int64_t width = shape.lanes * shape.maxVectors;
  std::optional<int64_t> known = getConstantIntValue(columns);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value step = arith::ConstantIndexOp::create(b, width);
  Value rest = b.createOrFold<arith::RemUIOp>(columns, step);
  Value full = b.createOrFold<arith::SubIOp>(columns, rest);
  auto emitFull = [&](Value begin, Value end) {
    scf::ForOp::create(b, begin, end, step, ValueRange(),
                       [&](OpBuilder &, Location, Value k, ValueRange) {
                         emit(wholeVectors(k, shape.maxVectors, shape));
                         scf::YieldOp::create(b);
                       });
  };
  if (strip.begin)
    emitFull(strip.begin, arith::MinUIOp::create(b, strip.end, full));
  else if (known && *known / width == 1)
    emit(wholeVectors(zero, shape.maxVectors, shape));
  else if (!known || *known / width > 1)
    emitFull(zero, full);
  if (known && *known % width == 0)
    return;
  OpBuilder::InsertionGuard guard(b);
  if (strip.begin) {
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, strip.end, columns);
    auto last = scf::IfOp::create(b, isLast, /*withElse=*/false);
    b.setInsertionPoint(last.thenYield());
  }
  if (!known)
    emitUnknownRest(b, full, rest, shape, emit);
  else
    emit(knownTile(b, full, *known % width, shape));
}

void host::forEachTileOfStrip(ComputeBody &body, LaneShape shape,
                              function_ref<void(ColumnTile)> emit) {
  forEachColumnTile(body.b, denseColumns(body), shape, emit, body.strip);
}

void host::forEachStrip(ComputeBody &body, Value width,
                        function_ref<void()> emit) {
  ImplicitLocOpBuilder &b = body.b;
  Value columns = denseColumns(body);
  auto emitStrip = [&](OpBuilder &, Location, Value begin, ValueRange) {
    Value end = arith::MinUIOp::create(
        b, arith::AddIOp::create(b, begin, width), columns);
    body.strip = {begin, end};
    emit();
    body.strip = {};
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, body.index(0), columns, width, ValueRange(), emitStrip);
}
