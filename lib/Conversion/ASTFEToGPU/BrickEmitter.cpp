//===- BrickEmitter.cpp - the device code of kernels over bricks ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickEmitter.h"
#include "ASTFE/Core/Target/GPUConstants.h"
#include "ASTFE/Runtime/ABI.h"
#include "RowCombiner.h"
#include "mlir/Dialect/Math/IR/Math.h"

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

void BrickEmitter::whereActive(function_ref<void()> run) {
  active ? e.branch(active, run) : run();
}

void BrickEmitter::eachRow(Value from, Value to,
                           function_ref<void(Value)> run) {
  if (!e.hasTeams())
    return e.loop(from, to, e.index(1), run);
  e.loop(e.add(from, e.toIndex(e.team)), to, e.index(e.teams()), run);
}

/// Calls `run` with the place of each element of the output in the rows
/// [first, end) of the key.
void BrickEmitter::eachOwned(Coordinates point, unsigned result, Value first,
                             Value end, function_ref<void(Value)> run) {
  if (result == plan.output.getNumResults())
    return whereActive([&] { run(placeOf(plan.output, point)); });
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

void BrickEmitter::update(const Coordinates &point, const Values &values) {
  auto own = [&] { add(sums, placeOf(plan.output, point), values); };
  auto write = [&] {
    if (!isCut)
      return own();
    e.branch(
        isCut, [&] { add(e.partials, partialOf(range), values); }, own);
  };
  whereActive([&] { writes ? e.branch(writes, write) : write(); });
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

void BrickEmitter::emitSegment(Coordinates point, Value begin, Value end) {
  eachDense(point, 1 + plan.rank, [&] {
    moveInputs(point);
    if (plan.flushesSegments()) {
      Values sums = sumOf(begin, end);
      if (share.log)
        sums = e.sumOfTeams(share.log, e.variant.lanes, std::move(sums));
      return update(point, sums);
    }
    e.loop(begin, end, e.i32(1), [&](Value slot) {
      Values operands = operandsAt(slot);
      const Coordinates locals = localsOf(slot);
      Coordinates here = point;
      for (unsigned dim = 1; dim <= plan.rank; ++dim)
        if (locals[dim])
          here[dim] = e.add(brick.origin[dim], locals[dim]);
      update(here, contribute(operands));
    });
  });
}

void BrickEmitter::openBrick(Value number) {
  brick.base = table(ASTFE_BRICK_SLOT, number);
  brick.origin.assign(plan.dims(), Value());
  brick.coordinates.assign(plan.rank, Value());
  Value origins = e.mul(number, e.index(plan.rank));
  for (unsigned mode = 0; mode < plan.rank; ++mode) {
    if (!plan.usesMode(mode))
      continue;
    brick.origin[1 + mode] =
        table(ASTFE_BRICK_ORIGIN, e.add(origins, e.index(mode)));
    if (mode != plan.key)
      brick.coordinates[mode] =
          e.viewFrom(tables.lookup(ASTFE_BRICK_COORDINATE + mode), brick.base);
  }
}

void BrickEmitter::emitBrick(Value range, Value number) {
  number = e.toIndex(number);
  Value place = e.add(e.mul(number, next(ranges)), e.toIndex(range));
  Value first = table(plan.segmentTable(), place),
        stop = table(plan.segmentTable(), next(place));
  openBrick(number);
  auto localSlot = [&](Value at) {
    return e.toI32(e.sub(table(plan.slotTable(), at), brick.base));
  };
  // Segments (i32) count from the range's first one in the brick.
  Value segments = e.toI32(e.sub(stop, first));
  Value keys =
            e.viewFrom(tables.lookup(ASTFE_BRICK_COORDINATE + plan.key), first),
        lasts = e.viewFrom(tables.lookup(ASTFE_BRICK_SEGMENT_LAST), first);
  Value slot = localSlot(place);
  auto pointOf = [&](Value segment) {
    Coordinates point(plan.dims());
    point[1 + plan.key] =
        e.add(brick.origin[1 + plan.key], e.toIndex(e.load(keys, segment)));
    return point;
  };
  // A part of a row has one segment of a brick, or a part of it, or none.
  Value until;
  if (isCut) {
    until = localSlot(next(place));
    Value has = e.compare(arith::CmpIPredicate::slt, slot, until);
    segments = e.select(isCut, e.toI32(has), segments);
  }
  auto endOf = [&](Value of) {
    return e.add(e.toI32(e.load(lasts, of)), e.i32(1));
  };
  auto walk = [&](Value segment, Value is) {
    Value follows = e.compare(arith::CmpIPredicate::ne, segment, e.i32(0));
    Value begin = e.branch(follows, {slot}, [&] {
                     return Values{endOf(e.sub(segment, e.i32(1)))};
                   }).front();
    Value end = endOf(segment);
    if (isCut)
      end = e.select(isCut, until, end);
    emitSegment(pointOf(segment), begin, is ? e.select(is, end, begin) : end);
  };
  if (!e.hasTeams())
    return e.loop(e.i32(0), segments, e.i32(1),
                  [&](Value segment) { walk(segment, Value()); });
  shareSegments(segments);
  Value together = e.i32(e.teams());
  if (share.log)
    together = arith::ShRUIOp::create(e.b, together, share.log);
  e.loop(e.i32(0), segments, together, [&](Value from) {
    Value segment = e.add(from, group);
    Value is = e.compare(arith::CmpIPredicate::slt, segment, segments);
    writes = is;
    if (share.log)
      writes = arith::AndIOp::create(
          e.b, is, e.compare(arith::CmpIPredicate::eq, share.within, e.i32(0)));
    walk(e.select(is, segment, from), is);
  });
  writes = {};
}

/// So many teams have a segment that those of a brick keep them all busy.
/// Where slots of a segment write elements of their own, one team has it.
void BrickEmitter::shareSegments(Value number) {
  group = e.team;
  share = {};
  if (!plan.flushesSegments() || e.teams() == 1)
    return;
  // The logarithm of the least power of two that is not less.
  Value some =
      arith::MaxSIOp::create(e.b, e.min(number, e.i32(e.teams())), e.i32(1));
  Value before = e.sub(some, e.i32(1));
  Value zeros = math::CountLeadingZerosOp::create(e.b, before);
  share.log = e.sub(zeros, e.i32(32 - llvm::Log2_64(uint64_t(e.teams()))));
  group = arith::ShRUIOp::create(e.b, e.team, share.log);
  share.within = e.sub(e.team, arith::ShLIOp::create(e.b, group, share.log));
}

/// Finds out whether the range is a part of a row.
void BrickEmitter::openRange(Value range) {
  if (!plan.cuts())
    return;
  Value left = e.uniform(e.toI32(table(ASTFE_PART_LEFT, range)));
  isCut = e.compare(arith::CmpIPredicate::ne, left, e.i32(0));
}

/// This lane's element of the sums of a part.
Value BrickEmitter::partialOf(Value range) {
  Value row = e.toIndex(range);
  return plan.laneDim ? e.add(e.mul(row, extents[*plan.laneDim]), column) : row;
}

void BrickEmitter::emitRange(Value range) {
  this->range = range;
  openRange(range);
  const bool keeps = sums != output;
  auto eachOwned = [&](function_ref<void(Value)> run) {
    this->eachOwned(Coordinates(plan.dims()), 0, table(plan.rowTable(), range),
                    table(plan.rowTable(), next(e.toIndex(range))), run);
  };
  auto whereWhole = [&](function_ref<void()> run) {
    if (!isCut)
      return run();
    e.branch(e.negate(isCut), run);
  };
  if (isCut) {
    Value clears = isCut;
    if (e.hasTeams())
      clears = arith::AndIOp::create(
          e.b, isCut, e.compare(arith::CmpIPredicate::eq, e.team, e.i32(0)));
    e.branch(clears, [&] {
      whereActive([&] { store(noSums(), e.partials, partialOf(range)); });
    });
  }
  if (plan.kernel.overwrites || keeps) {
    whereWhole([&] {
      eachOwned([&](Value place) {
        store(plan.kernel.overwrites ? noSums() : load(output, place), sums,
              place);
      });
    });
  }
  // Other teams add to what this one has cleared.
  if (e.hasTeams() && (plan.kernel.overwrites || keeps || isCut))
    e.synchronizeWarp();
  Value first = e.i32(0), end = e.toI32(bricks);
  if (plan.cuts()) {
    Value at = e.mul(e.toIndex(range), e.index(2));
    first = e.toI32(table(ASTFE_PART_BRICK, at));
    end = e.toI32(table(ASTFE_PART_BRICK, next(at)));
  }
  e.loop(first, end, e.i32(1), [&](Value number) {
    emitBrick(range, number);
    // A row is another team's in the next brick.
    if (e.hasTeams())
      e.synchronizeWarp();
  });
  if (keeps)
    whereWhole([&] {
      eachOwned([&](Value place) { store(load(sums, place), output, place); });
    });
  isCut = {};
}

/// Calls `run` with this lane's column of each tile of this block's.
void BrickEmitter::eachTile(function_ref<void()> run) {
  if (!plan.laneDim)
    return run();
  Value extent = extents[*plan.laneDim];
  Value within =
      e.mul(e.bitAnd(e.lane, e.variant.lanes - 1), e.i32(e.vector()));
  const std::optional<int64_t> known = plan.staticExtent(*plan.laneDim);
  auto tileFrom = [&](Value from) {
    Value mine = from ? e.add(from, e.toIndex(within)) : e.toIndex(within);
    if (!known || *known % e.variant.tile() != 0)
      active = e.compare(arith::CmpIPredicate::ult, mine, extent);
    column = active ? e.select(active, mine, e.index(0)) : mine;
    run();
  };
  if (known && *known <= e.variant.tile())
    return tileFrom(Value());
  Value y = gpu::BlockIdOp::create(e.b, gpu::Dimension::y),
        blocks = gpu::GridDimOp::create(e.b, gpu::Dimension::y),
        tile = e.index(e.variant.tile());
  e.loop(e.mul(y, tile), extent, e.mul(blocks, tile), tileFrom);
}

void BrickEmitter::beginKernel() {
  Value thread = e.toI32(gpu::ThreadIdOp::create(e.b, gpu::Dimension::x));
  e.lane = e.bitAnd(thread, kLanes - 1);
  // A broadcast tells ptxas that branches on it are the same in all lanes.
  e.warp = e.uniform(arith::ShRUIOp::create(e.b, thread, e.i32(5)));
  if (e.hasTeams())
    e.team = arith::ShRUIOp::create(e.b, e.lane,
                                    e.i32(llvm::Log2_32(e.variant.lanes)));
}

void BrickEmitter::emit() {
  beginKernel();
  Value block = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::x)),
        blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::x)),
        warps = e.i32(kBlockWarps);
  Value first = e.add(e.mul(block, warps), e.warp);
  eachTile([&] {
    e.loop(first, e.toI32(ranges), e.mul(blocks, warps),
           [&](Value range) { emitRange(range); });
  });
}

/// A block looks at some parts at a time, of which it takes those that begin a
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
  Value lanes = e.i32(core::rules::kPartsTogether), one = e.i32(1);
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
    Value isThere = arith::AndIOp::create(
        e.b, is(arith::CmpIPredicate::slt, e.lane, lanes),
        is(arith::CmpIPredicate::slt, e.add(base, e.lane), number));
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
