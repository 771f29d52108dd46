//===- BrickLoops.cpp - products of a tensor of any rank ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickLoops.h"
#include "ASTFE/Runtime/ABI.h"
#include "BrickTables.h"
#include "RowEmitters.h"
#include "ScalarLoop.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {

/// Entries ahead whose rows of the operands are fetched: slots, and segments or
/// fibers, which have some slots each. Behind the brick's last one they name
/// rows that are fetched in vain.
constexpr int64_t kAhead = 16, kRunsAhead = 8;
static_assert(kAhead <= ASTFE_BRICK_AHEAD && kRunsAhead <= ASTFE_BRICK_AHEAD,
              "coordinates end before");

/// A coordinate for each dimension; null where it is not known yet.
using Point = SmallVector<Value, 8>;

/// What the loops inside of one brick share: its first slot and fiber.
struct Brick {
  Value base, fiberBase;
};

/// A row of the key: slots [begin, end), fibers [fiber, fibersEnd).
struct Segment {
  Value begin, end, fiber, fibersEnd;
};

/// Where an output's coordinates are known.
enum class FlushAt { Segment, Fiber, Slot };

/// Inputs as they are loaded, for each vector of a tile.
using Arguments = SmallVector<SmallVector<Value>>;

class BrickNest {
public:
  BrickNest(ComputeBody &body, const BrickTables &tables,
            const BrickShape &shape, std::optional<unsigned> fiberMode);

  /// The segments of a range in one brick.
  void emitBrick(Value range, Value brick);

private:
  Value index(int64_t value) const { return body.index(value); }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  Value next(Value a) { return add(a, index(1)); }
  /// The entry of an i16 table.
  Value entry(Value table, Value at) { return loadIndex(b, table, at); }

  bool usesMode(AffineMap map, unsigned mode) const {
    return map.isFunctionOfDim(1 + mode);
  }
  bool variesBySlot(AffineMap map) const;
  bool isKnownAtFiber(AffineMap map) const;
  FlushAt findFlush() const;

  Brick openBrick(Value brick);
  Value shifted(Value buffer, AffineMap map, ArrayRef<Value> origin);
  void setMode(Point &point, unsigned mode, Value at);
  void setSlot(Point &point, Value slot);

  void emitSegment(Point point, const Brick &brick, const Segment &segment,
                   Value ahead);
  void emitDense(Point &point, unsigned dim,
                 function_ref<void(const ColumnTile &)> emit);
  void emitTile(Point point, const Brick &brick, const Segment &segment,
                const ColumnTile &tile);
  void emitFibers(Point point, const Brick &brick, const Segment &segment,
                  const ColumnTile &tile);
  SmallVector<Value> addFiber(Point point, Value fiber, Value begin, Value end,
                              const ColumnTile &tile, ValueRange sums);
  SmallVector<Value> sumSlots(Point point, Value begin, Value end,
                              const ColumnTile &tile, const Arguments &known,
                              ValueRange sums);
  void updateSlots(Point point, Value begin, Value end, const ColumnTile &tile);

  SmallVector<Value> identities(const ColumnTile &tile);
  Arguments noArguments(const ColumnTile &tile) const;
  void load(Arguments &arguments, Point point, const ColumnTile &tile,
            function_ref<bool(AffineMap)> wanted);
  SmallVector<Value> contributions(const Arguments &arguments,
                                   const ColumnTile &tile,
                                   function_ref<bool(unsigned)> isFactor);
  Value product(ArrayRef<Value> arguments, int64_t lanes,
                function_ref<bool(unsigned)> isFactor);
  SmallVector<Value> combineAll(ValueRange sums, ValueRange values);
  void update(Point point, const ColumnTile &tile, ValueRange sums);
  void prefetch(Value buffer, AffineMap map, Point point,
                const ColumnTile &tile, bool isWrite);
  void fetchSlots(Point point, Value slot, const ColumnTile &tile);
  void fetchFibers(Point point, Value fiber, const ColumnTile &tile);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const BrickTables &tables;
  const BrickShape &shape;
  const unsigned rank;
  const std::optional<unsigned> fiberMode;
  FlushAt flush;
  /// Modes that operands are indexed by.
  SmallVector<bool> isUsed;
  /// Fibers' inputs are multiplied in after the sum over their slots.
  bool isFactored;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is known where
//===----------------------------------------------------------------------===//

BrickNest::BrickNest(ComputeBody &body, const BrickTables &tables,
                     const BrickShape &shape, std::optional<unsigned> fiberMode)
    : body(body), b(body.b), tables(tables), shape(shape),
      rank(body.op.getPatternRank()), fiberMode(fiberMode), flush(findFlush()) {
  for (unsigned mode = 0; mode < rank; ++mode) {
    bool used = usesMode(body.outputMaps.front(), mode);
    for (AffineMap map : body.inputMaps)
      used |= usesMode(map, mode);
    isUsed.push_back(used);
  }
  auto isKnown = [&](AffineMap map) { return isKnownAtFiber(map); };
  isFactored = body.plan.isProduct && flush != FlushAt::Slot &&
               llvm::any_of(body.inputMaps, isKnown) &&
               !llvm::all_of(body.inputMaps, isKnown);
}

/// Whether a mode indexes it that is neither the key nor the fibers'.
bool BrickNest::variesBySlot(AffineMap map) const {
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != shape.key && mode != fiberMode && usesMode(map, mode))
      return true;
  return false;
}

/// Whether a fiber's slots have one element of it.
bool BrickNest::isKnownAtFiber(AffineMap map) const {
  return fiberMode && !map.isFunctionOfDim(0) && !variesBySlot(map);
}

FlushAt BrickNest::findFlush() const {
  AffineMap output = body.outputMaps.front();
  bool onlyKey = true;
  for (unsigned mode = 0; mode < rank; ++mode)
    onlyKey &= mode == shape.key || !usesMode(output, mode);
  if (onlyKey)
    return FlushAt::Segment;
  return isKnownAtFiber(output) ? FlushAt::Fiber : FlushAt::Slot;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// The buffer from the brick's origin on, for local coordinates. Nothing asks
/// for its sizes.
Value BrickNest::shifted(Value buffer, AffineMap map, ArrayRef<Value> origin) {
  auto isMode = [&](unsigned r) {
    return map.getDimPosition(r) >= 1 && map.getDimPosition(r) <= rank;
  };
  auto results = llvm::seq(0u, map.getNumResults());
  if (llvm::none_of(results, isMode))
    return buffer;
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto parts = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value start = parts.getOffset();
  SmallVector<OpFoldResult> sizes, steps;
  for (unsigned r : results) {
    sizes.push_back(type.isDynamicDim(r) ? OpFoldResult(parts.getSizes()[r])
                                         : b.getIndexAttr(type.getDimSize(r)));
    steps.push_back(ShapedType::isDynamic(strides[r])
                        ? OpFoldResult(parts.getStrides()[r])
                        : b.getIndexAttr(strides[r]));
    if (isMode(r))
      start =
          add(start, arith::MulIOp::create(b, origin[map.getDimPosition(r) - 1],
                                           parts.getStrides()[r]));
  }
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  auto moved = MemRefType::get(type.getShape(), type.getElementType(), layout,
                               type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, moved, buffer, start, sizes,
                                           steps);
}

/// From here on operands are read and written by local coordinates.
Brick BrickNest::openBrick(Value brick) {
  Value first = arith::MulIOp::create(b, brick, index(rank));
  SmallVector<Value> origin;
  for (unsigned mode = 0; mode < rank; ++mode)
    origin.push_back(isUsed[mode]
                         ? loadIndex(b, tables.origin, add(first, index(mode)))
                         : Value());
  for (auto [buffer, map] : llvm::zip(body.inputs, body.inputMaps))
    buffer = shifted(buffer, map, origin);
  for (auto [buffer, map] : llvm::zip(body.outputs, body.outputMaps))
    buffer = shifted(buffer, map, origin);
  return {loadIndex(b, tables.brickSlot, brick),
          fiberMode ? loadIndex(b, tables.brickFiber, brick) : Value()};
}

void BrickNest::setMode(Point &point, unsigned mode, Value at) {
  if (isUsed[mode])
    point[1 + mode] = loadIndex(b, tables.coordinates[mode], at);
}

void BrickNest::setSlot(Point &point, Value slot) {
  point[0] = slot;
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != shape.key && mode != fiberMode)
      setMode(point, mode, slot);
}

//===----------------------------------------------------------------------===//
// Inputs and contributions
//===----------------------------------------------------------------------===//

/// A vector for each of a tile; a scalar without lanes.
SmallVector<Value> BrickNest::identities(const ColumnTile &tile) {
  if (tile.k)
    return tile.identities(body);
  return {body.identity(0, 0)};
}

Arguments BrickNest::noArguments(const ColumnTile &tile) const {
  return Arguments(tile.count(), SmallVector<Value>(body.inputs.size()));
}

/// Loads the inputs that are wanted and not there; those without lanes once.
void BrickNest::load(Arguments &arguments, Point point, const ColumnTile &tile,
                     function_ref<bool(AffineMap)> wanted) {
  for (unsigned i = 0; i < body.inputs.size(); ++i) {
    AffineMap map = body.inputMaps[i];
    if (arguments.front()[i] || !wanted(map))
      continue;
    if (!shape.laneDim || !map.isFunctionOfDim(*shape.laneDim)) {
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
Value BrickNest::product(ArrayRef<Value> arguments, int64_t lanes,
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

/// The body for each vector; of a product, only the factors.
SmallVector<Value>
BrickNest::contributions(const Arguments &arguments, const ColumnTile &tile,
                         function_ref<bool(unsigned)> isFactor) {
  SmallVector<Value> result;
  for (auto [vector, values] : llvm::zip(tile.vectors, arguments))
    result.push_back(isFactored ? product(values, vector.lanes, isFactor)
                                : body.contributions(values).front());
  return result;
}

SmallVector<Value> BrickNest::combineAll(ValueRange sums, ValueRange values) {
  SmallVector<Value> result;
  for (auto [sum, value] : llvm::zip(sums, values))
    result.push_back(body.combine(0, sum, value));
  return result;
}

/// The output at the point (combiner)= sums: all are combined before any is
/// stored, as vectors may overlap.
void BrickNest::update(Point point, const ColumnTile &tile, ValueRange sums) {
  Value output = body.outputs.front();
  AffineMap map = body.outputMaps.front();
  SmallVector<SmallVector<Value>> places;
  SmallVector<Value> updated;
  for (auto [vector, sum] : llvm::zip(tile.vectors, sums)) {
    if (shape.laneDim)
      point[*shape.laneDim] = tile.start(b, vector);
    places.push_back(body.indices(map, point));
    Value value = tile.k ? body.toLanes(sum, vector.lanes) : sum;
    updated.push_back(
        body.updated(0, output, places.back(), value, vector.mask));
  }
  for (auto [vector, at, value] : llvm::zip(tile.vectors, places, updated))
    body.store(value, output, at, vector.mask);
}

//===----------------------------------------------------------------------===//
// Fetching ahead
//===----------------------------------------------------------------------===//

void BrickNest::prefetch(Value buffer, AffineMap map, Point point,
                         const ColumnTile &tile, bool isWrite) {
  for (const TileVector &vector : tile.vectors) {
    point[*shape.laneDim] = tile.start(b, vector);
    memref::PrefetchOp::create(b, buffer, body.indices(map, point), isWrite,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// Rows of the inputs that slots name: they lie anywhere.
void BrickNest::fetchSlots(Point point, Value slot, const ColumnTile &tile) {
  auto isFetched = [&](AffineMap map) {
    return map.isFunctionOfDim(*shape.laneDim) && variesBySlot(map);
  };
  if (!shape.laneDim || llvm::none_of(body.inputMaps, isFetched))
    return;
  setSlot(point, add(slot, index(kAhead)));
  for (auto [map, buffer] : llvm::zip(body.inputMaps, body.inputs))
    if (isFetched(map))
      prefetch(buffer, map, point, tile, /*isWrite=*/false);
}

void BrickNest::fetchFibers(Point point, Value fiber, const ColumnTile &tile) {
  auto isFetched = [&](AffineMap map) {
    return map.isFunctionOfDim(*shape.laneDim) && usesMode(map, *fiberMode) &&
           isKnownAtFiber(map);
  };
  if (!shape.laneDim || llvm::none_of(body.inputMaps, isFetched))
    return;
  setMode(point, *fiberMode, add(fiber, index(kRunsAhead)));
  for (auto [map, buffer] : llvm::zip(body.inputMaps, body.inputs))
    if (isFetched(map))
      prefetch(buffer, map, point, tile, /*isWrite=*/false);
}

//===----------------------------------------------------------------------===//
// Slots and fibers
//===----------------------------------------------------------------------===//

/// sums (combiner)= what the slots contribute; `known` inputs are not loaded.
SmallVector<Value> BrickNest::sumSlots(Point point, Value begin, Value end,
                                       const ColumnTile &tile,
                                       const Arguments &known,
                                       ValueRange sums) {
  auto isOfSlot = [&](unsigned i) {
    return !isKnownAtFiber(body.inputMaps[i]);
  };
  auto loop = scf::ForOp::create(
      b, begin, end, index(1), sums,
      [&](OpBuilder &, Location, Value slot, ValueRange partial) {
        fetchSlots(point, slot, tile);
        setSlot(point, slot);
        Arguments arguments = known;
        load(arguments, point, tile, [&](AffineMap map) {
          return !isFactored || !isKnownAtFiber(map);
        });
        scf::YieldOp::create(
            b, combineAll(partial, contributions(arguments, tile, isOfSlot)));
      });
  return SmallVector<Value>(loop.getResults());
}

/// The output is indexed by what differs from slot to slot.
void BrickNest::updateSlots(Point point, Value begin, Value end,
                            const ColumnTile &tile) {
  scf::ForOp::create(
      b, begin, end, index(1), ValueRange(),
      [&](OpBuilder &, Location, Value slot, ValueRange) {
        fetchSlots(point, slot, tile);
        setSlot(point, slot);
        Arguments arguments = noArguments(tile);
        load(arguments, point, tile, [](AffineMap) { return true; });
        update(point, tile,
               contributions(arguments, tile, [](unsigned) { return true; }));
        scf::YieldOp::create(b);
      });
}

/// sums (combiner)= what a fiber contributes, or the output, where it indexes
/// that.
SmallVector<Value> BrickNest::addFiber(Point point, Value fiber, Value begin,
                                       Value end, const ColumnTile &tile,
                                       ValueRange sums) {
  fetchFibers(point, fiber, tile);
  setMode(point, *fiberMode, fiber);
  if (flush == FlushAt::Slot) {
    updateSlots(point, begin, end, tile);
    return {};
  }
  Arguments known = noArguments(tile);
  load(known, point, tile, [&](AffineMap map) { return isKnownAtFiber(map); });
  const bool isOwn = isFactored || flush == FlushAt::Fiber;
  SmallVector<Value> start =
      isOwn ? identities(tile) : SmallVector<Value>(sums);
  SmallVector<Value> own = sumSlots(point, begin, end, tile, known, start);
  if (isFactored)
    for (auto [vector, values, sum] : llvm::zip(tile.vectors, known, own)) {
      Value factor = product(values, vector.lanes, [&](unsigned i) {
        return isKnownAtFiber(body.inputMaps[i]);
      });
      SmallVector<Value> both{sum, factor};
      sum = product(both, vector.lanes, [](unsigned) { return true; });
    }
  if (flush == FlushAt::Fiber) {
    update(point, tile, own);
    return {};
  }
  return isFactored ? combineAll(sums, own) : own;
}

void BrickNest::emitFibers(Point point, const Brick &brick,
                           const Segment &segment, const ColumnTile &tile) {
  const bool carries = flush == FlushAt::Segment;
  SmallVector<Value> start{segment.begin};
  if (carries)
    llvm::append_range(start, identities(tile));
  auto loop = scf::ForOp::create(
      b, segment.fiber, segment.fibersEnd, index(1), start,
      [&](OpBuilder &, Location, Value fiber, ValueRange carried) {
        Value end = next(add(brick.base, entry(tables.fiberLast, fiber)));
        SmallVector<Value> yielded{end};
        llvm::append_range(yielded, addFiber(point, fiber, carried.front(), end,
                                             tile, carried.drop_front()));
        scf::YieldOp::create(b, yielded);
      });
  if (carries)
    update(point, tile, loop.getResults().drop_front());
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void BrickNest::emitTile(Point point, const Brick &brick,
                         const Segment &segment, const ColumnTile &tile) {
  if (fiberMode)
    return emitFibers(point, brick, segment, tile);
  if (flush == FlushAt::Slot)
    return updateSlots(point, segment.begin, segment.end, tile);
  update(point, tile,
         sumSlots(point, segment.begin, segment.end, tile, noArguments(tile),
                  identities(tile)));
}

/// Loops over the dense dimensions from `dim` on; lanes take the last.
void BrickNest::emitDense(Point &point, unsigned dim,
                          function_ref<void(const ColumnTile &)> emit) {
  if (dim == shape.laneDim)
    return forEachColumnTile(b, denseExtent(body, dim), shape.lanes, emit);
  if (dim == body.dims())
    return emit(ColumnTile());
  scf::ForOp::create(b, index(0), denseExtent(body, dim), index(1),
                     ValueRange(),
                     [&](OpBuilder &, Location, Value at, ValueRange) {
                       point[dim] = at;
                       emitDense(point, dim + 1, emit);
                       scf::YieldOp::create(b);
                     });
}

/// `ahead` is a row of the key to come, which is fetched if it is flushed
/// whole.
void BrickNest::emitSegment(Point point, const Brick &brick,
                            const Segment &segment, Value ahead) {
  emitDense(point, 1 + rank, [&](const ColumnTile &tile) {
    if (shape.laneDim && flush == FlushAt::Segment) {
      Point later = point;
      later[1 + shape.key] = ahead;
      prefetch(body.outputs.front(), body.outputMaps.front(), later, tile,
               /*isWrite=*/true);
    }
    emitTile(point, brick, segment, tile);
  });
}

void BrickNest::emitBrick(Value range, Value number) {
  Value place =
      add(arith::MulIOp::create(b, number, next(tables.ranges)), range);
  Value first = loadIndex(b, tables.rangeSegment, place);
  Value stop = loadIndex(b, tables.rangeSegment, next(place));
  const SmallVector<Value> inputs = body.inputs, outputs = body.outputs;
  Brick brick = openBrick(number);
  SmallVector<Value> start{loadIndex(b, tables.rangeSlot, place)};
  if (fiberMode)
    start.push_back(loadIndex(b, tables.rangeFiber, place));
  scf::ForOp::create(
      b, first, stop, index(1), start,
      [&](OpBuilder &, Location, Value g, ValueRange carried) {
        Point point(body.dims());
        Segment segment{carried.front(),
                        next(add(brick.base, entry(tables.segmentLast, g))),
                        {},
                        {}};
        SmallVector<Value> yielded{segment.end};
        if (fiberMode) {
          segment.fiber = carried.back();
          segment.fibersEnd =
              next(add(brick.fiberBase, entry(tables.segmentFiber, g)));
          yielded.push_back(segment.fibersEnd);
        }
        Point later(body.dims());
        setMode(later, shape.key, add(g, index(kRunsAhead)));
        setMode(point, shape.key, g);
        emitSegment(point, brick, segment, later[1 + shape.key]);
        scf::YieldOp::create(b, yielded);
      });
  body.inputs = inputs;
  body.outputs = outputs;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// Stores the identity in the rows of a range, from result `r` of the output's
/// map on.
class RowClearer {
public:
  RowClearer(ComputeBody &body, const BrickShape &shape, Value first, Value end)
      : body(body), shape(shape), first(first), end(end) {}

  void clear(SmallVector<Value> at) {
    AffineMap map = body.outputMaps.front();
    Value output = body.outputs.front();
    ImplicitLocOpBuilder &b = body.b;
    if (at.size() == map.getNumResults())
      return body.store(body.identity(0, 0), output, at, {});
    const unsigned dim = map.getDimPosition(at.size());
    Value extent =
        b.createOrFold<memref::DimOp>(output, body.index(int64_t(at.size())));
    if (dim == shape.laneDim)
      return clearLanes(at, extent);
    const bool isKey = dim == 1 + shape.key;
    scf::ForOp::create(b, isKey ? first : body.index(0), isKey ? end : extent,
                       body.index(1), ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         SmallVector<Value> inner(at);
                         inner.push_back(i);
                         clear(inner);
                         scf::YieldOp::create(b);
                       });
  }

private:
  void clearLanes(ArrayRef<Value> row, Value extent) {
    forEachColumnTile(body.b, extent, shape.lanes, [&](const ColumnTile &tile) {
      for (const TileVector &vector : tile.vectors) {
        SmallVector<Value> at(row);
        at.push_back(tile.start(body.b, vector));
        body.store(body.identity(0, vector.lanes), body.outputs.front(), at,
                   vector.mask);
      }
    });
  }

  ComputeBody &body;
  const BrickShape &shape;
  Value first, end;
};
} // namespace

/// Bytes of what one coordinate of the key has of the output, as i64.
static Value rowBytes(ComputeBody &body, unsigned key) {
  ImplicitLocOpBuilder &b = body.b;
  Value output = body.outputs.front();
  AffineMap map = body.outputMaps.front();
  Type element = body.elementType(output);
  Value bytes = body.index((element.getIntOrFloatBitWidth() + 7) / 8);
  for (unsigned r = 0; r < map.getNumResults(); ++r)
    if (map.getDimPosition(r) != 1 + key)
      bytes = b.createOrFold<arith::MulIOp>(
          bytes, b.createOrFold<memref::DimOp>(output, body.index(r)));
  return arith::IndexCastOp::create(b, b.getI64Type(), bytes);
}

/// All bricks, by the nest for the fibers that there are.
static void emitNests(ComputeBody &body, const BrickTables &tables,
                      const BrickShape &shape, Value range) {
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<int64_t> cases;
  for (unsigned mode = 0; mode < body.op.getPatternRank(); ++mode)
    if (mode != shape.key && body.op.getPatternRank() > 2)
      cases.push_back(mode);
  auto choice = scf::IndexSwitchOp::create(b, TypeRange(), tables.fiberMode,
                                           cases, cases.size());
  auto fill = [&](Region &region, std::optional<unsigned> fiberMode) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    BrickNest nest(body, tables, shape, fiberMode);
    scf::ForOp::create(b, body.index(0), tables.bricks, body.index(1),
                       ValueRange(),
                       [&](OpBuilder &, Location, Value brick, ValueRange) {
                         nest.emitBrick(range, brick);
                         scf::YieldOp::create(b);
                       });
    scf::YieldOp::create(b);
  };
  fill(choice.getDefaultRegion(), std::nullopt);
  for (auto [mode, region] : llvm::zip(cases, choice.getCaseRegions()))
    fill(region, unsigned(mode));
}

BrickShape host::brickShape(ComputeBody &body, int64_t vectorBytes) {
  BrickShape shape;
  shape.key = body.plan.keys.front() - 1;
  if (body.plan.lanes == Lanes::Dense) {
    shape.laneDim = body.plan.laneDim;
    shape.lanes = laneShape(body, vectorBytes);
  }
  return shape;
}

void host::emitBricks(ComputeBody &body, Value handle,
                      const BrickShape &shape) {
  ImplicitLocOpBuilder &b = body.b;
  BrickTables tables(b, handle, body.op.getPatternRank(), shape.key,
                     rowBytes(body, shape.key));
  auto emitRange = [&](OpBuilder &, Location, ValueRange range) {
    if (body.op.getOverwrite()) {
      Value next = arith::AddIOp::create(b, range[0], body.index(1));
      RowClearer(body, shape, loadIndex(b, tables.rangeRow, range[0]),
                 loadIndex(b, tables.rangeRow, next))
          .clear({});
    }
    emitNests(body, tables, shape, range[0]);
  };
  tables.forEachWidth(b, [&] {
    scf::ParallelOp::create(b, body.index(0), tables.ranges, body.index(1),
                            emitRange);
  });
}
