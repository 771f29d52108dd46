//===- BrickOperands.cpp - values at points of bricks ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickOperands.h"
#include "ASTFE/Runtime/ABI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

static_assert(kSlotsAhead <= ASTFE_BRICK_AHEAD &&
                  kRunsAhead <= ASTFE_BRICK_AHEAD,
              "coordinates end before");

BrickOperands::BrickOperands(ComputeBody &body, const BrickPoints &points,
                             const BrickShape &shape, bool far)
    : body(body), b(body.b), points(points), shape(shape), far(far) {
  auto isKnown = [&](AffineMap map) { return points.isKnownAtFiber(map); };
  factored = body.plan.isProduct && points.flush != FlushAt::Slot &&
             llvm::any_of(body.inputMaps, isKnown) &&
             !llvm::all_of(body.inputMaps, isKnown);
}

//===----------------------------------------------------------------------===//
// Inputs and contributions
//===----------------------------------------------------------------------===//

SmallVector<Value> BrickOperands::identities(const ColumnTile &tile) {
  if (tile.k)
    return tile.identities(body);
  return {body.identity(0, 0)};
}

BrickArguments BrickOperands::noArguments(const ColumnTile &tile) const {
  return BrickArguments(tile.count(), SmallVector<Value>(body.inputs.size()));
}

void BrickOperands::load(BrickArguments &arguments, BrickPoint point,
                         const ColumnTile &tile,
                         function_ref<bool(AffineMap)> wanted) {
  for (unsigned i = 0; i < body.inputs.size(); ++i) {
    AffineMap map = body.inputMaps[i];
    if (arguments.front()[i] || !wanted(map))
      continue;
    if (!hasLanes(map)) {
      Value scalar = body.loadInput(i, point);
      for (SmallVector<Value> &vector : arguments)
        vector[i] = scalar;
      continue;
    }
    for (auto [vector, values] : llvm::zip(tile.vectors, arguments)) {
      point[*shape.laneDim] = tile.start(b, vector);
      values[i] = body.loadInputLanes(i, point, vector.lanes, vector.mask);
    }
  }
}

/// The product of the inputs that are factors; null where there are none.
Value BrickOperands::product(ArrayRef<Value> arguments, int64_t lanes,
                             function_ref<bool(unsigned)> isFactor) {
  Value result;
  for (unsigned i = 0; i < arguments.size(); ++i) {
    if (!isFactor(i))
      continue;
    Value factor = arguments[i];
    if (!result) {
      result = factor;
      continue;
    }
    if (isa<VectorType>(result.getType()) !=
        isa<VectorType>(factor.getType())) {
      result = body.toLanes(result, lanes);
      factor = body.toLanes(factor, lanes);
    }
    result = arith::MulFOp::create(b, result, factor);
    body.mayContract(result.getDefiningOp());
  }
  return result;
}

SmallVector<Value> BrickOperands::contributions(const BrickArguments &arguments,
                                                const ColumnTile &tile) {
  auto isOfSlot = [&](unsigned i) {
    return !points.isKnownAtFiber(body.inputMaps[i]);
  };
  SmallVector<Value> result;
  for (auto [vector, values] : llvm::zip(tile.vectors, arguments))
    result.push_back(factored ? product(values, vector.lanes, isOfSlot)
                              : body.contributions(values).front());
  return result;
}

void BrickOperands::multiplyByFiber(MutableArrayRef<Value> sums,
                                    const BrickArguments &arguments,
                                    const ColumnTile &tile) {
  for (auto [vector, values, sum] : llvm::zip(tile.vectors, arguments, sums)) {
    Value factor = product(values, vector.lanes, [&](unsigned i) {
      return points.isKnownAtFiber(body.inputMaps[i]);
    });
    SmallVector<Value> both{sum, factor};
    sum = product(both, vector.lanes, [](unsigned) { return true; });
  }
}

//===----------------------------------------------------------------------===//
// The output
//===----------------------------------------------------------------------===//

SmallVector<Value> BrickOperands::combineAll(ValueRange sums,
                                             ValueRange values) {
  SmallVector<Value> result;
  for (auto [sum, value] : llvm::zip(sums, values))
    result.push_back(body.combine(0, sum, value));
  return result;
}

void BrickOperands::write(BrickPoint point, const ColumnTile &tile,
                          ValueRange sums, bool combines) {
  if (tile.k && body.plan.reducesLanes()) {
    SmallVector<Value> lanes;
    for (auto [vector, sum] : llvm::zip(tile.vectors, sums))
      lanes.push_back(body.toLanes(sum, vector.lanes));
    return write(point, ColumnTile(), totalOf(body, tile, lanes), combines);
  }
  Value output = body.outputs.front();
  AffineMap map = body.outputMaps.front();
  SmallVector<SmallVector<Value>> places;
  SmallVector<Value> values;
  for (auto [vector, sum] : llvm::zip(tile.vectors, sums)) {
    if (tile.k)
      point[*shape.laneDim] = tile.start(b, vector);
    places.push_back(body.indices(map, point));
    Value value = tile.k ? body.toLanes(sum, vector.lanes) : sum;
    values.push_back(
        combines ? body.updated(0, output, places.back(), value, vector.mask)
                 : value);
  }
  for (auto [vector, at, value] : llvm::zip(tile.vectors, places, values))
    body.store(value, output, at, vector.mask);
}

void BrickOperands::update(BrickPoint point, const ColumnTile &tile,
                           ValueRange sums) {
  write(std::move(point), tile, sums, /*combines=*/true);
}

void BrickOperands::store(BrickPoint point, const ColumnTile &tile,
                          ValueRange sums) {
  write(std::move(point), tile, sums, /*combines=*/false);
}

//===----------------------------------------------------------------------===//
// Fetching ahead
//===----------------------------------------------------------------------===//

/// Each of a segment's elements of an input that all modes index is read once;
/// where its last dimension is the key's, none is in a line that another is in.
static bool areElementsApart(ComputeBody &body, const BrickShape &shape,
                             AffineMap map) {
  for (unsigned mode = 0; mode < body.op.getPatternRank(); ++mode)
    if (!map.isFunctionOfDim(1 + mode))
      return false;
  return map.getDimPosition(map.getNumResults() - 1) == 1 + shape.key;
}

Value host::areBrickRowsFar(ComputeBody &body, const BrickShape &shape) {
  auto isCounted = [&](AffineMap map) {
    return shape.laneDim ? map.isFunctionOfDim(*shape.laneDim)
                         : areElementsApart(body, shape, map);
  };
  if (!shape.laneDim && llvm::none_of(body.inputMaps, isCounted))
    return {};
  ImplicitLocOpBuilder &b = body.b;
  Value all = body.index(0);
  auto add = [&](Value buffer, AffineMap map) {
    if (!isCounted(map))
      return;
    auto type = cast<MemRefType>(buffer.getType());
    auto complex = dyn_cast<ComplexType>(type.getElementType());
    Type part = complex ? complex.getElementType() : type.getElementType();
    Value bytes = body.index((complex ? 2 : 1) *
                             llvm::divideCeil(part.getIntOrFloatBitWidth(), 8));
    for (int64_t k = 0; k < type.getRank(); ++k)
      bytes = b.createOrFold<arith::MulIOp>(
          bytes, b.createOrFold<memref::DimOp>(buffer, body.index(k)));
    all = b.createOrFold<arith::AddIOp>(all, bytes);
  };
  for (auto [buffer, map] : llvm::zip(body.inputs, body.inputMaps))
    add(buffer, map);
  add(body.outputs.front(), body.outputMaps.front());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, all,
                               body.index(core::rules::kCacheBytes[1]));
}

void BrickOperands::prefetch(Value buffer, AffineMap map, BrickPoint point,
                             const ColumnTile &tile, bool isWrite) {
  for (const TileVector &vector : tile.vectors) {
    if (shape.laneDim)
      point[*shape.laneDim] = tile.start(b, vector);
    memref::PrefetchOp::create(b, buffer, body.indices(map, point), isWrite,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void BrickOperands::prefetchInputs(const BrickPoint &point,
                                   const ColumnTile &tile,
                                   function_ref<bool(AffineMap)> isFetched) {
  for (auto [map, buffer] : llvm::zip(body.inputMaps, body.inputs))
    if (isFetched(map))
      prefetch(buffer, map, point, tile, /*isWrite=*/false);
}

bool BrickOperands::liesAnywhere(AffineMap map) const {
  return shape.laneDim ? hasLanes(map) && points.variesBySlot(map)
                       : areElementsApart(body, shape, map);
}

void BrickOperands::fetchSlots(BrickPoint point, Value slot,
                               const ColumnTile &tile) {
  auto isFetched = [&](AffineMap map) { return liesAnywhere(map); };
  if (!far || llvm::none_of(body.inputMaps, isFetched))
    return;
  points.setSlot(point,
                 arith::AddIOp::create(b, slot, body.index(kSlotsAhead)));
  prefetchInputs(point, tile, isFetched);
}

void BrickOperands::fetchFibers(BrickPoint point, Value fiber,
                                const ColumnTile &tile) {
  auto isFetched = [&](AffineMap map) {
    return hasLanes(map) && points.usesMode(map, *points.fiberMode) &&
           points.isKnownAtFiber(map);
  };
  if (!far || llvm::none_of(body.inputMaps, isFetched))
    return;
  points.setMode(point, *points.fiberMode,
                 arith::AddIOp::create(b, fiber, body.index(kRunsAhead)));
  prefetchInputs(point, tile, isFetched);
}

void BrickOperands::fetchOutput(const BrickPoint &point,
                                const ColumnTile &tile) {
  if (far)
    prefetch(body.outputs.front(), body.outputMaps.front(), point, tile,
             /*isWrite=*/true);
}
