//===- BrickEmitter.cpp - the device code of kernels over bricks ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickEmitter.h"
#include "ASTFE/Runtime/ABI.h"
#include "RowCombiner.h"

using namespace mlir;

namespace astfe::gpukernel {

void BrickEmitter::bind(ArrayRef<BrickArgument> arguments, ValueRange values) {
  extents.resize(plan.dims());
  for (auto [argument, value] : llvm::zip_equal(arguments, values)) {
    Value bound = argument.isPointer() ? viewOf(e.b, value) : value;
    switch (argument.role) {
    case BrickRole::Table:
      tables[argument.number] = bound;
      break;
    case BrickRole::Input:
      inputs.push_back(bound);
      break;
    case BrickRole::Output:
      output = sums = e.output = bound;
      break;
    case BrickRole::Sums:
      sums = bound;
      break;
    case BrickRole::Partials:
      e.partials = bound;
      break;
    case BrickRole::Bricks:
      bricks = e.toIndex(bound);
      break;
    case BrickRole::Ranges:
      ranges = e.toIndex(bound);
      break;
    case BrickRole::Extent: {
      const std::optional<int64_t> known =
          plan.staticExtent(unsigned(argument.number));
      extents[size_t(argument.number)] =
          known ? e.index(*known) : e.toIndex(bound);
      break;
    }
    case BrickRole::Scalar:
      e.scalars.push_back(bound);
      break;
    }
  }
}

Value BrickEmitter::placeOf(AffineMap map, const Coordinates &point) {
  Value place;
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    const unsigned dim = map.getDimPosition(r);
    place = place ? e.add(e.mul(place, extents[dim]), point[dim]) : point[dim];
  }
  return place ? place : e.index(0);
}

void BrickEmitter::whereActive(function_ref<void()> run) {
  active ? e.branch(active, run) : run();
}

/// In the first lane.
void BrickEmitter::whereLeading(function_ref<void()> run) {
  e.branch(e.compare(arith::CmpIPredicate::eq, e.lane, e.i32(0)), run);
}

void BrickEmitter::eachRow(Value from, Value to,
                           function_ref<void(Value)> run) {
  if (plan.laneDim)
    return e.loop(from, to, e.index(1), run);
  e.loop(e.add(from, e.toIndex(e.lane)), to, e.index(kLanes), run);
}

/// Calls `run` with the place of each element of the output in the rows
/// [first, end) of the key.
void BrickEmitter::eachOwned(Coordinates point, unsigned result, Value first,
                             Value end, function_ref<void(Value)> run) {
  if (result == plan.output.getNumResults())
    return whereActive([&] {
      for (Value place :
           partsAt(placeOf(plan.output, point), plan.kernel.parts()))
        run(place);
    });
  const unsigned dim = plan.output.getDimPosition(result);
  auto inner = [&](Value at) {
    Coordinates further = point;
    further[dim] = at;
    eachOwned(further, result + 1, first, end, run);
  };
  if (dim == plan.laneDim)
    return inner(column);
  if (dim == 1 + plan.key)
    return eachRow(first, end, inner);
  e.loop(e.index(0), extents[dim], e.index(1), inner);
}

/// The coordinates of a slot that only it says, from the brick's first ones.
auto BrickEmitter::localsOf(Value slot) -> Coordinates {
  Coordinates locals(plan.dims());
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (mode != plan.key && plan.usesMode(mode))
      locals[1 + mode] = table(ASTFE_BRICK_COORDINATE + mode, slot);
  return locals;
}

/// How far the element at a point is behind the one at another, from which it
/// is `locals` away; null for nothing.
Value BrickEmitter::offsetOf(AffineMap map, const Coordinates &locals) {
  Value offset, stride;
  for (unsigned r = map.getNumResults(); r-- > 0;) {
    const unsigned dim = map.getDimPosition(r);
    if (Value steps = locals[dim]) {
      steps = stride ? e.mul(steps, stride) : steps;
      offset = offset ? e.add(offset, steps) : steps;
    }
    stride = stride ? e.mul(stride, extents[dim]) : extents[dim];
  }
  return offset;
}

/// What a slot reads. The element at the brick's first coordinates is the same
/// for all slots of a segment, so that a slot adds its own to it only.
Values BrickEmitter::operandsAt(Coordinates point, const Coordinates &origin,
                                Value slot) {
  point[0] = slot;
  const Coordinates locals = localsOf(slot);
  for (unsigned dim = 1; dim <= plan.rank; ++dim)
    if (locals[dim])
      point[dim] = origin[dim];
  Values operands;
  for (auto [map, input, isComplex] :
       llvm::zip_equal(plan.inputs, inputs, plan.complex)) {
    Value place = placeOf(map, point);
    if (Value offset = offsetOf(map, locals))
      place = e.add(place, offset);
    for (Value at : partsAt(place, isComplex ? 2 : 1))
      operands.push_back(e.load(input, at));
  }
  return operands;
}

Values BrickEmitter::partsAt(Value place, unsigned parts) {
  if (parts == 1)
    return {place};
  Value first = e.mul(place, e.index(parts));
  return {first, next(first)};
}

Values BrickEmitter::contribute(const Values &operands) {
  Values parts;
  for (unsigned part = 0; part < plan.kernel.parts(); ++part)
    parts.push_back(e.contribute(operands, part).front());
  return parts;
}

void BrickEmitter::add(Value buffer, Value place, Value value) {
  e.store(e.combine(e.toSum(e.load(buffer, place)), value), buffer, place);
}

void BrickEmitter::update(const Coordinates &point, const Values &values) {
  auto own = [&] {
    Values places = partsAt(placeOf(plan.output, point), plan.kernel.parts());
    for (auto [place, value] : llvm::zip_equal(places, values))
      add(sums, place, value);
  };
  whereActive([&] {
    if (!isCut)
      return own();
    e.branch(
        isCut, [&] { add(e.partials, partial, values.front()); }, own);
  });
}

/// Loops over the dense dimensions from `dim` on, but that of the lanes.
void BrickEmitter::eachDense(Coordinates &point, unsigned dim,
                             function_ref<void()> run) {
  if (dim == plan.dims())
    return run();
  if (dim == plan.laneDim) {
    point[dim] = column;
    return eachDense(point, dim + 1, run);
  }
  e.loop(e.index(0), extents[dim], e.index(1), [&](Value at) {
    point[dim] = at;
    eachDense(point, dim + 1, run);
  });
}

/// The slots of a step are read before the first of them is summed, so that a
/// warp waits once for all. Those that are not there (i1; null: all are) repeat
/// others.
Values BrickEmitter::addStep(const Coordinates &point,
                             const Coordinates &origin, const Values &slots,
                             const Values &isThere, Values sums) {
  SmallVector<Values> operands;
  for (Value slot : slots)
    operands.push_back(operandsAt(point, origin, slot));
  for (auto [read, is] : llvm::zip_equal(operands, isThere))
    for (auto [sum, value] : llvm::zip_equal(sums, contribute(read))) {
      Value more = e.combine(sum, value);
      sum = is ? e.select(is, more, sum) : more;
    }
  return sums;
}

Values BrickEmitter::noSums() {
  return Values(plan.kernel.parts(), e.identities().front());
}

Values BrickEmitter::sumOfEach(const Coordinates &point,
                               const Coordinates &origin, Value begin,
                               Value end, int64_t stride) {
  const unsigned together = plan.slotsTogether();
  Value last = e.sub(end, e.index(1));
  auto step = [&](Value from, Values sums) {
    Values slots{from}, isThere{Value()};
    for (unsigned u = 1; u < together; ++u) {
      Value slot = e.add(from, e.index(u * stride));
      isThere.push_back(e.compare(arith::CmpIPredicate::ult, slot, end));
      slots.push_back(e.select(isThere.back(), slot, last));
    }
    return addStep(point, origin, slots, isThere, std::move(sums));
  };
  return e.unrolledLoop(begin, end, e.index(together * stride), noSums(), step);
}

/// Whole steps, and then one of what is left, if any: most segments have only
/// that one. Its numbers are of 32 bits, as registers are short; where a step
/// has so many operands that few are together, they do not do for two forms.
Values BrickEmitter::sumOf(const Coordinates &point, const Coordinates &origin,
                           Value begin, Value end) {
  const unsigned together = plan.slotsTogether();
  if (together < 3)
    return sumOfEach(point, origin, begin, end, /*stride=*/1);
  Value step = e.index(together);
  Value left = arith::RemUIOp::create(e.b, e.sub(end, begin), step);
  Value whole = e.sub(end, left);
  auto addWhole = [&](Value from, Values sums) {
    Values slots;
    for (unsigned u = 0; u < together; ++u)
      slots.push_back(e.add(from, e.index(u)));
    return addStep(point, origin, slots, Values(together), std::move(sums));
  };
  Values sums = e.unrolledLoop(begin, whole, step, noSums(), addWhole);
  Value number = e.toI32(left);
  Value some = e.compare(arith::CmpIPredicate::ne, number, e.i32(0));
  return e.branch(some, sums, [&] {
    Value last = e.sub(number, e.i32(1));
    Values slots{whole}, isThere{Value()};
    for (unsigned u = 1; u + 1 < together; ++u) {
      isThere.push_back(e.compare(arith::CmpIPredicate::slt, e.i32(u), number));
      slots.push_back(e.add(whole, e.toIndex(e.min(e.i32(u), last))));
    }
    return addStep(point, origin, slots, isThere, sums);
  });
}

/// The sums of all lanes.
Value BrickEmitter::overWarp(Value sum) {
  for (int64_t distance = 1; distance < kLanes; distance *= 2)
    sum = e.combine(sum,
                    gpu::ShuffleOp::create(e.b, sum, e.i32(distance),
                                           e.i32(kLanes), gpu::ShuffleMode::XOR)
                        .getShuffleResult());
  return sum;
}

/// A part of a row whose elements are one each: a lane has a slot of it.
void BrickEmitter::emitSharedRow(Coordinates point, const Coordinates &origin,
                                 Value begin, Value end) {
  eachDense(point, 1 + plan.rank, [&] {
    Value mine = e.add(begin, e.toIndex(e.lane));
    Value sum = overWarp(sumOfEach(point, origin, mine, end, kLanes).front());
    whereLeading([&] { add(e.partials, partial, sum); });
  });
}

void BrickEmitter::emitSegment(Coordinates point, const Coordinates &origin,
                               Value begin, Value end) {
  eachDense(point, 1 + plan.rank, [&] {
    if (plan.flushesSegments())
      return update(point, sumOf(point, origin, begin, end));
    e.loop(begin, end, e.index(1), [&](Value slot) {
      Values operands = operandsAt(point, origin, slot);
      const Coordinates locals = localsOf(slot);
      Coordinates here = point;
      for (unsigned dim = 1; dim <= plan.rank; ++dim)
        if (locals[dim])
          here[dim] = e.add(origin[dim], locals[dim]);
      update(here, contribute(operands));
    });
  });
}

void BrickEmitter::emitBrick(Value range, Value brick) {
  Value place = e.add(e.mul(brick, next(ranges)), range);
  Value first = table(plan.segmentTable(), place),
        stop = table(plan.segmentTable(), next(place)),
        slot = table(plan.slotTable(), place),
        base = table(ASTFE_BRICK_SLOT, brick);
  Coordinates origin(plan.dims());
  Value origins = e.mul(brick, e.index(plan.rank));
  for (unsigned mode = 0; mode < plan.rank; ++mode)
    if (plan.usesMode(mode))
      origin[1 + mode] =
          table(ASTFE_BRICK_ORIGIN, e.add(origins, e.index(mode)));
  auto pointOf = [&](Value segment) {
    Coordinates point(plan.dims());
    point[1 + plan.key] =
        e.add(origin[1 + plan.key],
              table(ASTFE_BRICK_COORDINATE + plan.key, segment));
    return point;
  };
  // A part of a row has one segment of a brick, or a part of it, or none.
  Value until, has;
  if (isCut) {
    until = table(plan.slotTable(), next(place));
    has = e.compare(arith::CmpIPredicate::ult, slot, until);
  }
  if (isCut && plan.laneDim)
    stop = e.select(isCut, e.add(first, e.select(has, e.index(1), e.index(0))),
                    stop);
  auto walk = [&] {
    eachRow(first, stop, [&](Value segment) {
      auto endOf = [&](Value of) {
        return next(e.add(base, table(ASTFE_BRICK_SEGMENT_LAST, of)));
      };
      Value follows = e.compare(arith::CmpIPredicate::ugt, segment, first);
      Value begin = e.branch(follows, {slot}, [&] {
                       return Values{endOf(e.sub(segment, e.index(1)))};
                     }).front();
      Value end = endOf(segment);
      if (isCut && plan.laneDim)
        end = e.select(isCut, until, end);
      emitSegment(pointOf(segment), origin, begin, end);
    });
  };
  if (!isCut || plan.laneDim)
    return walk();
  const Value cut = std::exchange(isCut, Value()); // below, nothing asks again
  e.branch(
      cut,
      [&] {
        e.branch(has,
                 [&] { emitSharedRow(pointOf(first), origin, slot, until); });
      },
      walk);
  isCut = cut;
}

/// Finds out whether the range is a part of a row.
void BrickEmitter::openRange(Value range) {
  if (!plan.cuts())
    return;
  Value left = e.uniform(e.toI32(table(ASTFE_PART_LEFT, range)));
  isCut = e.compare(arith::CmpIPredicate::ne, left, e.i32(0));
  partial = range;
  if (plan.laneDim)
    partial = e.add(e.mul(range, extents[*plan.laneDim]), column);
}

void BrickEmitter::emitRange(Value range) {
  openRange(range);
  const bool keeps = sums != output;
  auto eachOwned = [&](function_ref<void(Value)> run) {
    this->eachOwned(Coordinates(plan.dims()), 0, table(plan.rowTable(), range),
                    table(plan.rowTable(), next(range)), run);
  };
  auto whereWhole = [&](function_ref<void()> run) {
    if (!isCut)
      return run();
    e.branch(e.negate(isCut), run);
  };
  if (isCut)
    e.branch(isCut, [&] {
      auto clear = [&] {
        e.store(e.identities().front(), e.partials, partial);
      };
      plan.laneDim ? whereActive(clear) : whereLeading(clear);
    });
  if (plan.kernel.overwrites || keeps) {
    whereWhole([&] {
      eachOwned([&](Value place) {
        e.store(plan.kernel.overwrites ? e.identities().front()
                                       : e.toSum(e.load(output, place)),
                sums, place);
      });
    });
  }
  // Other lanes add to what this one has cleared.
  if (!plan.laneDim && (plan.kernel.overwrites || keeps || isCut))
    e.synchronizeWarp();
  e.loop(e.index(0), bricks, e.index(1), [&](Value brick) {
    emitBrick(range, brick);
    // A row is another lane's in the next brick.
    if (!plan.laneDim)
      e.synchronizeWarp();
  });
  if (keeps)
    whereWhole([&] {
      eachOwned(
          [&](Value place) { e.store(e.load(sums, place), output, place); });
    });
  isCut = {};
}

/// Calls `run` with this lane's column of each tile of this block's.
void BrickEmitter::eachTile(function_ref<void()> run) {
  if (!plan.laneDim)
    return run();
  Value extent = extents[*plan.laneDim];
  Value y = gpu::BlockIdOp::create(e.b, gpu::Dimension::y),
        blocks = gpu::GridDimOp::create(e.b, gpu::Dimension::y),
        tile = e.index(kLanes);
  e.loop(e.mul(y, tile), extent, e.mul(blocks, tile), [&](Value from) {
    Value mine = e.add(from, e.toIndex(e.lane));
    active = e.compare(arith::CmpIPredicate::ult, mine, extent);
    column = e.select(active, mine, e.index(0));
    run();
  });
}

void BrickEmitter::beginKernel() {
  Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
  e.lane = e.bitAnd(thread, kLanes - 1);
  // A broadcast tells ptxas that branches on it are the same in all lanes.
  e.warp = e.uniform(arith::ShRUIOp::create(e.b, thread, e.i32(5)));
}

void BrickEmitter::emit() {
  beginKernel();
  Value block = gpu::BlockIdOp::create(e.b, gpu::Dimension::x),
        blocks = gpu::GridDimOp::create(e.b, gpu::Dimension::x),
        warps = e.index(kBlockWarps);
  Value first = e.add(e.mul(block, warps), e.toIndex(e.warp));
  eachTile([&] {
    e.loop(first, ranges, e.mul(blocks, warps),
           [&](Value range) { emitRange(range); });
  });
}

/// A block looks at 32 parts at a time, of which it takes those that begin a
/// row, one after the other.
void BrickEmitter::emitCombine() {
  beginKernel();
  Value number = e.toI32(ranges);
  RowCombiner combiner(e, plan.laneDim ? e.toI32(extents[*plan.laneDim])
                                       : e.i32(1));
  auto leftOf = [&](Value part) {
    return e.toI32(table(ASTFE_PART_LEFT, e.toIndex(part)));
  };
  auto combine = [&](Value part, Value left) {
    Coordinates point(plan.dims());
    point[1 + plan.key] = table(ASTFE_PART_ROW, e.toIndex(part));
    combiner.emit(
        left, [&](Value of) { return e.add(part, of); },
        [&](Value at, Value sum) {
          if (plan.laneDim)
            point[*plan.laneDim] = e.toIndex(at);
          combiner.store(sum, placeOf(plan.output, point));
        });
  };
  Value block = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::x));
  Value blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::x));
  Value lanes = e.i32(kLanes), one = e.i32(1);
  e.loop(e.mul(block, lanes), number, e.mul(blocks, lanes), [&](Value base) {
    Value mine = e.min(e.add(base, e.lane), e.sub(number, one));
    Value left = leftOf(mine);
    Value before = leftOf(e.sub(arith::MaxSIOp::create(e.b, mine, one), one));
    auto is = [&](arith::CmpIPredicate predicate, Value a, Value c) {
      return e.compare(predicate, a, c);
    };
    Value isFirst = arith::OrIOp::create(
        e.b, is(arith::CmpIPredicate::eq, mine, e.i32(0)),
        is(arith::CmpIPredicate::ne, before, e.add(left, one)));
    Value isThere = is(arith::CmpIPredicate::slt, e.add(base, e.lane), number);
    Value begins = arith::AndIOp::create(
        e.b, isThere,
        arith::AndIOp::create(e.b, isFirst,
                              is(arith::CmpIPredicate::sgt, left, e.i32(0))));
    e.eachLane(e.ballot(begins), [&](Value lane) {
      combine(e.add(base, lane), e.broadcast(left, lane));
    });
  });
}

} // namespace astfe::gpukernel
