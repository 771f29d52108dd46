//===- Scattered.cpp - one flush per nonzero ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a dense dimension the warp walks the nonzeros one by one: the same lane
// always writes the same columns, so that rows of its own need no atomics. With
// few columns, or one, every team takes a nonzero, and two of them may hold the
// same row: all updates are atomic, or, deterministically, the first goes
// alone.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace astfe::gpukernel {

/// A team for each nonzero.
static void emitByTeams(Emitter &e, const Segments &segments) {
  const int64_t teams = e.teams();
  const Value hasColumns = e.active;
  auto take = [&](Value at, bool together) {
    Value segment = e.add(segments.first, at);
    Point own = e.load(at, segments.column(at, at), segments.row(segment));
    Values sum = e.accumulate(own, e.identities());
    Value mark = segments.mark(segment), first = e.isFirst(segments, segment);
    if (together)
      e.flushTogether(mark, first, sum);
    else
      e.flush(mark, first, sum);
  };
  if (!e.plan.partials()) {
    // Four at a time while all teams have four.
    Value whole = e.bitAnd(segments.slots, -4 * teams);
    e.loop(e.team, whole, e.i32(4 * teams), [&](Value at) {
      for (int64_t u = 0; u < 4; ++u)
        take(e.add(at, e.i32(u * teams)), /*together=*/true);
    });
    if (!segments.starts)
      return e.loop(e.add(whole, e.team), segments.slots, e.i32(teams),
                    [&](Value at) { take(at, /*together=*/true); });
    // All lanes take part: they wait for those that store.
    return e.loop(whole, segments.slots, e.i32(teams), [&](Value begin) {
      Value mine = e.add(begin, e.team);
      e.active = e.compare(arith::CmpIPredicate::slt, mine, segments.slots);
      if (hasColumns)
        e.active = arith::AndIOp::create(e.b, e.active, hasColumns);
      take(e.min(mine, e.sub(segments.slots, e.i32(1))), /*together=*/true);
      e.active = hasColumns;
    });
  }
  Value leads = e.compare(arith::CmpIPredicate::eq, e.team, e.i32(0));
  e.branch(leads, [&] {
    e.loop(e.i32(0), segments.slots, e.i32(1),
           [&](Value at) { take(at, /*together=*/false); });
  });
}

void Emitter::emitScatters(const Segments &segments) {
  const Value hasColumns = active;
  loop(segments.first, segments.last, i32(1), [&](Value major) {
    const std::pair<Value, Value> bounds = segments.bounds(major);
    const Value begin = bounds.first, length = bounds.second;
    loop(i32(0), length, i32(teams()), [&](Value from) {
      Value mine = add(from, team);
      active = compare(arith::CmpIPredicate::slt, mine, length);
      if (hasColumns)
        active = arith::AndIOp::create(b, active, hasColumns);
      Value slot = add(begin, likeSlot(begin, min(mine, sub(length, i32(1)))));
      Value row = toIndex(segments.column(slot, begin));
      Values sums = accumulate(load(slot, major, row), identities());
      whereActive([&] { updateAtomically(row, sums); });
      active = hasColumns;
    });
  });
}

void Emitter::emitScattered(const Segments &segments, Value) {
  if (hasTeams())
    return emitByTeams(*this, segments);
  isScattering = true;
  Value length = segments.slots;
  loop(i32(0), length, i32(kLanes), [&](Value begin) {
    Value mine = min(add(begin, lane), sub(length, i32(1)));
    Value segment = add(segments.first, mine);
    Value mark = segments.mark(segment);
    Value index = segments.row(segment), row = toI32(index);
    Value starts = segments.starts ? segments.starts(segment) : Value();
    Point own = load(mine, segments.column(mine, mine), index);
    Value count = min(sub(length, begin), i32(kLanes));
    loop(i32(0), count, i32(1), [&](Value t) {
      Point point = broadcast(own, t);
      point.row = toIndex(broadcast(row, t));
      Row to;
      to.mark = broadcast(mark, t);
      if (segments.starts)
        to.first =
            compare(arith::CmpIPredicate::ne, broadcast(starts, t), i32(0));
      // Doubles take the registers that reading ahead needs.
      if (plan.widestBytes() > 4)
        closeLong(to, accumulate(point, openLong(to)));
      else
        close(to.mark, to.first, accumulate(point, open(to.mark, to.first)));
    });
  });
  isScattering = false;
}

} // namespace astfe::gpukernel
