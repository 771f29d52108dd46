//===- BrickLoops.cpp - products of a tensor of any rank ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickLoops.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "BrickOperands.h"
#include "BrickRows.h"
#include "BrickSlices.h"
#include "LentSums.h"
#include "StoredSums.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

namespace {

/// What the loops inside of one brick share: its first slot and fiber.
struct Brick {
  Value base, fiberBase;
};

/// A row of the key: slots [begin, end), fibers [fiber, fibersEnd).
struct Segment {
  Value begin, end, fiber, fibersEnd;
};

/// The loops of one brick, for one mode with fibers, or none.
class BrickNest {
public:
  BrickNest(ComputeBody &body, const BrickTables &tables,
            const BrickShape &shape, std::optional<unsigned> fiberMode,
            bool far, bool stores)
      : body(body), b(body.b), tables(tables), shape(shape), stores(stores),
        points(body, tables, shape, fiberMode),
        operands(body, points, shape, far) {}

  /// The segments of a range in one brick.
  void emitBrick(Value range, Value brick);

private:
  Value index(int64_t value) const { return body.index(value); }
  Value add(Value a, Value c) { return arith::AddIOp::create(b, a, c); }
  Value next(Value a) { return add(a, index(1)); }
  /// The entry of an i16 table.
  Value entry(Value table, Value at) { return loadIndex(b, table, at); }

  void emitSegment(BrickPoint point, const Brick &brick, const Segment &segment,
                   Value ahead);
  void fetchOutput(BrickPoint point, Value ahead, const ColumnTile &tile);
  void emitDense(BrickPoint &point, unsigned dim,
                 function_ref<void(const ColumnTile &)> emit);
  void emitTile(BrickPoint point, const Brick &brick, const Segment &segment,
                const ColumnTile &tile);
  void flushSegment(const BrickPoint &point, const ColumnTile &tile,
                    ValueRange sums);
  void emitFibers(BrickPoint point, const Brick &brick, const Segment &segment,
                  const ColumnTile &tile);
  SmallVector<Value> addFiber(BrickPoint point, Value fiber, Value begin,
                              Value end, const ColumnTile &tile,
                              ValueRange sums);
  SmallVector<Value> sumSlots(BrickPoint point, Value begin, Value end,
                              const ColumnTile &tile,
                              const BrickArguments &known, ValueRange sums);
  Value sumInTurn(BrickPoint point, const Segment &segment);
  void updateSlots(BrickPoint point, Value begin, Value end,
                   const ColumnTile &tile);

  ComputeBody &body;
  ImplicitLocOpBuilder &b;
  const BrickTables &tables;
  const BrickShape &shape;
  const bool stores; ///< a segment's sums are its row
  BrickPoints points;
  BrickOperands operands;
};

} // namespace

//===----------------------------------------------------------------------===//
// Slots and fibers
//===----------------------------------------------------------------------===//

/// sums (combiner)= what the slots contribute; `known` inputs are not loaded.
SmallVector<Value> BrickNest::sumSlots(BrickPoint point, Value begin, Value end,
                                       const ColumnTile &tile,
                                       const BrickArguments &known,
                                       ValueRange sums) {
  auto loop = scf::ForOp::create(
      b, begin, end, index(1), sums,
      [&](OpBuilder &, Location, Value slot, ValueRange partial) {
        operands.fetchSlots(point, slot, tile);
        points.setSlot(point, slot);
        BrickArguments arguments = known;
        operands.load(arguments, point, tile, [&](AffineMap map) {
          return !operands.isFactored() || !points.isKnownAtFiber(map);
        });
        scf::YieldOp::create(
            b, operands.combineAll(partial,
                                   operands.contributions(arguments, tile)));
      });
  return SmallVector<Value>(loop.getResults());
}

/// The sum over a segment, without lanes. Slots are added to some sums in turn,
/// so that none waits for the one before it.
Value BrickNest::sumInTurn(BrickPoint point, const Segment &segment) {
  if (readsStoredOnly(body, 1 + shape.key))
    return sumStored(body, point, segment.begin, segment.end,
                     widestLanes(body, shape.vectorBytes));
  const ColumnTile tile;
  SmallVector<Value> sums(core::rules::kSlotSums,
                          operands.identities(tile).front());
  auto loop = scf::ForOp::create(
      b, segment.begin, segment.end, index(1), sums,
      [&](OpBuilder &, Location, Value slot, ValueRange sums) {
        operands.fetchSlots(point, slot, tile);
        points.setSlot(point, slot);
        BrickArguments arguments = operands.noArguments(tile);
        operands.load(arguments, point, tile, [](AffineMap) { return true; });
        SmallVector<Value> turned(sums.drop_front());
        llvm::append_range(turned, operands.combineAll(sums.take_front(),
                                                       operands.contributions(
                                                           arguments, tile)));
        scf::YieldOp::create(b, turned);
      });
  Value sum = loop.getResult(0);
  for (Value other : loop.getResults().drop_front())
    sum = body.combine(0, sum, other);
  return sum;
}

/// The output is indexed by what differs from slot to slot.
void BrickNest::updateSlots(BrickPoint point, Value begin, Value end,
                            const ColumnTile &tile) {
  scf::ForOp::create(
      b, begin, end, index(1), ValueRange(),
      [&](OpBuilder &, Location, Value slot, ValueRange) {
        operands.fetchSlots(point, slot, tile);
        points.setSlot(point, slot);
        BrickArguments arguments = operands.noArguments(tile);
        operands.load(arguments, point, tile, [](AffineMap) { return true; });
        operands.update(point, tile, operands.contributions(arguments, tile));
        scf::YieldOp::create(b);
      });
}

/// sums (combiner)= what a fiber contributes, or the output, where it indexes
/// that.
SmallVector<Value> BrickNest::addFiber(BrickPoint point, Value fiber,
                                       Value begin, Value end,
                                       const ColumnTile &tile,
                                       ValueRange sums) {
  operands.fetchFibers(point, fiber, tile);
  points.setMode(point, *points.fiberMode, fiber);
  if (points.flush == FlushAt::Slot) {
    updateSlots(point, begin, end, tile);
    return {};
  }
  BrickArguments known = operands.noArguments(tile);
  operands.load(known, point, tile,
                [&](AffineMap map) { return points.isKnownAtFiber(map); });
  const bool isOwn = operands.isFactored() || points.flush == FlushAt::Fiber;
  SmallVector<Value> start =
      isOwn ? operands.identities(tile) : SmallVector<Value>(sums);
  SmallVector<Value> own = sumSlots(point, begin, end, tile, known, start);
  if (operands.isFactored())
    operands.multiplyByFiber(own, known, tile);
  if (points.flush == FlushAt::Fiber) {
    operands.update(point, tile, own);
    return {};
  }
  return operands.isFactored() ? operands.combineAll(sums, own) : own;
}

void BrickNest::flushSegment(const BrickPoint &point, const ColumnTile &tile,
                             ValueRange sums) {
  if (stores)
    operands.store(point, tile, sums);
  else
    operands.update(point, tile, sums);
}

void BrickNest::emitFibers(BrickPoint point, const Brick &brick,
                           const Segment &segment, const ColumnTile &tile) {
  const bool carries = points.flush == FlushAt::Segment;
  SmallVector<Value> start{segment.begin};
  if (carries)
    llvm::append_range(start, operands.identities(tile));
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
    flushSegment(point, tile, loop.getResults().drop_front());
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

void BrickNest::emitTile(BrickPoint point, const Brick &brick,
                         const Segment &segment, const ColumnTile &tile) {
  if (points.fiberMode)
    return emitFibers(point, brick, segment, tile);
  if (points.flush == FlushAt::Slot)
    return updateSlots(point, segment.begin, segment.end, tile);
  if (!shape.laneDim)
    return flushSegment(point, tile, sumInTurn(point, segment));
  flushSegment(point, tile,
               sumSlots(point, segment.begin, segment.end, tile,
                        operands.noArguments(tile), operands.identities(tile)));
}

/// Loops over the dense dimensions from `dim` on; lanes take the last.
void BrickNest::emitDense(BrickPoint &point, unsigned dim,
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

/// Asks for a row of the key to come, `ahead`, if it is added to. One that is
/// only written need not be read, and processors that know so need not be told.
void BrickNest::fetchOutput(BrickPoint point, Value ahead,
                            const ColumnTile &tile) {
  if (!shape.laneDim || stores || body.plan.reducesLanes() ||
      points.flush != FlushAt::Segment)
    return;
  point[1 + shape.key] = ahead;
  operands.fetchOutput(point, tile);
}

void BrickNest::emitSegment(BrickPoint point, const Brick &brick,
                            const Segment &segment, Value ahead) {
  emitDense(point, 1 + points.rank, [&](const ColumnTile &tile) {
    fetchOutput(point, ahead, tile);
    emitTile(point, brick, segment, tile);
  });
}

void BrickNest::emitBrick(Value range, Value number) {
  Value place =
      add(arith::MulIOp::create(b, number, next(tables.ranges)), range);
  Value first = loadIndex(b, tables.rangeSegment, place);
  Value stop = loadIndex(b, tables.rangeSegment, next(place));
  const SmallVector<Value> inputs = body.inputs, outputs = body.outputs;
  points.shiftOperands(number);
  Brick brick{loadIndex(b, tables.brickSlot, number), {}};
  if (points.fiberMode)
    brick.fiberBase = loadIndex(b, tables.brickFiber, number);
  SmallVector<Value> start{loadIndex(b, tables.rangeSlot, place)};
  if (points.fiberMode)
    start.push_back(loadIndex(b, tables.rangeFiber, place));
  scf::ForOp::create(
      b, first, stop, index(1), start,
      [&](OpBuilder &, Location, Value g, ValueRange carried) {
        BrickPoint point(body.dims());
        Segment segment{carried.front(),
                        next(add(brick.base, entry(tables.segmentLast, g))),
                        {},
                        {}};
        SmallVector<Value> yielded{segment.end};
        if (points.fiberMode) {
          segment.fiber = carried.back();
          segment.fibersEnd =
              next(add(brick.fiberBase, entry(tables.segmentFiber, g)));
          yielded.push_back(segment.fibersEnd);
        }
        BrickPoint later(body.dims());
        points.setMode(later, shape.key, add(g, index(kRunsAhead)));
        points.setMode(point, shape.key, g);
        emitSegment(point, brick, segment, later[1 + shape.key]);
        scf::YieldOp::create(b, yielded);
      });
  body.inputs = inputs;
  body.outputs = outputs;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// The modes whose fibers have a nest of their own. Without lanes a fiber's
/// element of a factor takes no longer to load for each slot, and its end comes
/// as a surprise, so that slots are walked, unless the output is added to once
/// for each fiber.
static SmallVector<int64_t> fiberNests(ComputeBody &body,
                                       const BrickTables &tables,
                                       const BrickShape &shape) {
  SmallVector<int64_t> modes;
  const unsigned rank = body.op.getPatternRank();
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != shape.key && rank > 2 &&
        (shape.laneDim ||
         BrickPoints(body, tables, shape, mode).flush == FlushAt::Fiber))
      modes.push_back(mode);
  return modes;
}

/// All bricks, by the nest for the fibers that there are.
static void emitNests(ComputeBody &body, const BrickTables &tables,
                      const BrickShape &shape, Value range, bool far,
                      bool stores) {
  ImplicitLocOpBuilder &b = body.b;
  auto emit = [&](std::optional<unsigned> fiberMode) {
    BrickNest nest(body, tables, shape, fiberMode, far, stores);
    scf::ForOp::create(b, body.index(0), tables.bricks, body.index(1),
                       ValueRange(),
                       [&](OpBuilder &, Location, Value brick, ValueRange) {
                         nest.emitBrick(range, brick);
                         scf::YieldOp::create(b);
                       });
  };
  const SmallVector<int64_t> cases = fiberNests(body, tables, shape);
  if (cases.empty())
    return emit(std::nullopt);
  auto choice = scf::IndexSwitchOp::create(b, TypeRange(), tables.fiberMode,
                                           cases, cases.size());
  auto fill = [&](Region &region, std::optional<unsigned> fiberMode) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    emit(fiberMode);
    scf::YieldOp::create(b);
  };
  fill(choice.getDefaultRegion(), std::nullopt);
  for (auto [mode, region] : llvm::zip(cases, choice.getCaseRegions()))
    fill(region, unsigned(mode));
}

BrickShape host::brickShape(ComputeBody &body, int64_t vectorBytes) {
  BrickShape shape;
  shape.key = body.plan.keys.front() - 1;
  shape.vectorBytes = vectorBytes;
  if (body.plan.lanes == Lanes::Dense) {
    shape.laneDim = body.plan.laneDim;
    shape.lanes = laneShape(body, vectorBytes);
  }
  return shape;
}

/// Nests of their own: a branch for each slot, or each segment, costs up to a
/// tenth. Without a condition: that of false.
static void emitChoice(ImplicitLocOpBuilder &b, Value condition,
                       function_ref<void(bool)> emit) {
  if (!condition)
    return emit(false);
  auto emitCase = [&](bool isTrue) {
    return [&emit, isTrue](OpBuilder &b, Location loc) {
      emit(isTrue);
      scf::YieldOp::create(b, loc);
    };
  };
  scf::IfOp::create(b, condition, emitCase(true), emitCase(false));
}

/// The ops of `emit` where the condition holds.
static void emitIf(ImplicitLocOpBuilder &b, Value condition,
                   function_ref<void()> emit) {
  scf::IfOp::create(b, condition, [&](OpBuilder &b, Location loc) {
    emit();
    scf::YieldOp::create(b, loc);
  });
}

namespace {
/// The ranges of a kernel, by what is known of all rows.
class RangeEmitter {
public:
  RangeEmitter(ComputeBody &body, const BrickTables &tables,
               const BrickShape &shape, const BrickSlice &slice)
      : body(body), tables(tables), shape(shape), slice(slice) {}

  /// i1: what a segment sums up is all that its row gets; null: not known.
  Value once;
  /// Beside an output of halves, for rows that get several sums; null without.
  Value sums;

  void emit(Value range, unsigned bits);

private:
  void emitAll(Value range, unsigned bits, bool stores);

  ComputeBody &body;
  const BrickTables &tables;
  const BrickShape &shape;
  const BrickSlice &slice;
};
} // namespace

void RangeEmitter::emitAll(Value range, unsigned bits, bool stores) {
  auto emit = [&](bool far) {
    emitNests(body, tables, shape, range, far, stores);
  };
  // Rows that 16 bits do not number are more than that cache holds.
  if (bits == 16 || !shape.laneDim)
    emitChoice(body.b, areBrickRowsFar(body, shape), emit);
  else
    emit(/*far=*/true);
}

void RangeEmitter::emit(Value range, unsigned bits) {
  const bool overwrites = body.op.getOverwrite();
  emitChoice(body.b, once, [&](bool isOnce) {
    Value output = body.outputs.front();
    if (!isOnce && sums)
      body.outputs.front() = sums;
    if (isOnce && overwrites)
      clearGaps(body, tables, shape, range);
    else if (!isOnce && (overwrites || sums))
      emitIf(body.b, slice.isFirst(),
             [&] { clearRange(body, tables, shape, range); });
    emitAll(range, bits, /*stores=*/isOnce && overwrites);
    body.outputs.front() = output;
    if (!isOnce && sums)
      emitIf(body.b, slice.isLast(),
             [&] { roundRange(body, tables, shape, range, sums); });
  });
}

Value host::countSlices(ComputeBody &body, Value handle,
                        const BrickShape &shape) {
  return callRuntime(body.b, "astfe_rt_brick_slices", body.b.getI64Type(),
                     {handle, integer(body.b, body.op.getPatternRank()),
                      integer(body.b, shape.key), valueBytesOfSlot(body)})
      .getResult(0);
}

void host::emitBricks(ComputeBody &body, Value handle, Value slices,
                      const BrickShape &shape) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard insertion(b);
  Value once, sums;
  if (sumsWholeRows(body, shape) &&
      (body.op.getOverwrite() || body.roundsSums()))
    once = doBrickRowsAscend(b, handle, shape.key);
  std::optional<LentSums> lent;
  if (body.roundsSums()) {
    Value some = once ? notOf(b, once)
                      : arith::ConstantIntOp::create(b, 1, 1).getResult();
    lent.emplace(body, handle, /*output=*/0, some);
    auto guard = scf::IfOp::create(b, lent->isThere(), /*withElse=*/false);
    b.setInsertionPoint(guard.thenYield());
    sums = lent->open();
  }
  forEachSlice(body, handle, slices, shape.key, [&](const BrickSlice &slice) {
    BrickTables tables(b, slice.handle, body.op.getPatternRank(), shape.key,
                       /*bySlot=*/!shape.laneDim);
    RangeEmitter ranges(body, tables, shape, slice);
    ranges.once = once;
    ranges.sums = sums;
    tables.forEachWidth(b, [&](unsigned bits) {
      scf::ParallelOp::create(b, body.index(0), tables.ranges, body.index(1),
                              [&](OpBuilder &, Location, ValueRange range) {
                                ranges.emit(range[0], bits);
                              });
    });
  });
  if (lent)
    lent->giveBack();
}
