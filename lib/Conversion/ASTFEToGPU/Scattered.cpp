//===- Scattered.cpp - one flush per nonzero ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a dense dimension the warp walks the nonzeros one by one: the same lane
// always writes the same columns, so that rows of its own need no atomics. For
// one column every lane takes a nonzero, and two lanes may hold the same row:
// all updates are atomic, or, deterministically, lane 0 goes alone.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace astfe::gpukernel {

void Emitter::emitScattered(const Segments &segments) {
  Value length = segments.slots;
  loop(i32(0), length, i32(kLanes), [&](Value begin) {
    Value mine = min(add(begin, lane), sub(length, i32(1)));
    Value segment = add(segments.first, mine);
    Value mark = segments.mark(segment);
    Value row = toI32(segments.row(segment));
    Point own = load(mine, segments.column(mine, mine), Value());
    Value count = min(sub(length, begin), i32(kLanes));
    loop(i32(0), count, i32(1), [&](Value t) {
      Point point = broadcast(own, t);
      point.row = toIndex(broadcast(row, t));
      Value to = broadcast(mark, t);
      close(to, accumulate(point, open(to)));
    });
  });
}

void Emitter::emitScatteredLanes(const Segments &segments) {
  auto take = [&](Value at, bool together) {
    Value segment = add(segments.first, at);
    Point own = load(at, segments.column(at, at), segments.row(segment));
    flush(segments.mark(segment), accumulate(own, identities()), together);
  };
  if (!plan.partials()) {
    // Four at a time while all lanes have four.
    Value whole = bitAnd(segments.slots, -4 * kLanes);
    loop(lane, whole, i32(4 * kLanes), [&](Value at) {
      for (int64_t u = 0; u < 4; ++u)
        take(add(at, i32(u * kLanes)), /*together=*/true);
    });
    return loop(add(whole, lane), segments.slots, i32(kLanes),
                [&](Value at) { take(at, /*together=*/true); });
  }
  Value leads = compare(arith::CmpIPredicate::eq, lane, i32(0));
  branch(leads, [&] {
    loop(i32(0), segments.slots, i32(1),
         [&](Value at) { take(at, /*together=*/false); });
  });
}

} // namespace astfe::gpukernel
