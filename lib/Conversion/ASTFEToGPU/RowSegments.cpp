//===- RowSegments.cpp - RowSegments -> ColumnTile | OneColumn ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ColumnTile: the warp takes one row at a time, accumulators in registers, 32
// nonzeros loaded together and then four in flight.
//
// OneColumn: lanes over nonzeros. A warp takes 32 / L rows at a time, L lanes a
// row with L the power of two at or above the mean length of the span's rows,
// and L partial sums meet in a butterfly of shuffles.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Nonzeros whose loads are in flight together.
static constexpr int64_t kUnroll = 4;

/// The sum over `length` nonzeros from slot `first`, all in `row`.
Values Emitter::rowSum(const Segments &segments, Value first, Value length,
                       Value row) {
  Value last = sub(length, i32(1));
  auto chunk = [&](Value begin, Values sums) {
    Value mine = min(add(begin, lane), last);
    Value slot = add(first, toIndex(mine));
    Point own = load(slot, segments.column(slot, first), row);
    Value count = min(sub(length, begin), i32(kLanes));
    auto take = [&](Value from, int64_t number, Values sums) {
      SmallVector<Point> points;
      for (int64_t u = 0; u < number; ++u)
        points.push_back(broadcast(own, u ? add(from, i32(u)) : from));
      return accumulate(points, std::move(sums));
    };
    Value whole = bitAnd(count, -kUnroll);
    sums = unrolledLoop(
        i32(0), whole, i32(kUnroll), sums,
        [&](Value t, Values sums) { return take(t, kUnroll, sums); });
    Value from = whole;
    for (int64_t rest = kUnroll / 2; rest > 0; rest /= 2) {
      Value bit = bitAnd(count, rest);
      Value some = compare(arith::CmpIPredicate::ne, bit, i32(0));
      sums = branch(some, sums, [&] { return take(from, rest, sums); });
      from = add(from, bit);
    }
    return sums;
  };
  return loop(i32(0), length, i32(kLanes), identities(), chunk);
}

void Emitter::emitColumnTile(const Segments &segments) {
  loop(segments.first, segments.last, i32(1), [&](Value segment) {
    auto [first, length] = segments.bounds(segment);
    Value mark = segments.mark(segment);
    Value some = compare(arith::CmpIPredicate::sgt, length, i32(0));
    branch(some, [&, first = first, length = length] {
      flush(mark, rowSum(segments, first, length, segments.row(segment)));
    });
  });
}

void Emitter::synchronizeWarp() { NVVM::SyncWarpOp::create(b, i32(-1)); }

/// log2 of the lanes that share a segment: ceil(log2(mean length)), at most 5.
static Value lanesPerSegment(Emitter &e, const Segments &segments) {
  Value number = arith::MaxSIOp::create(
      e.b, e.sub(segments.last, segments.first), e.i32(1));
  Value rounded = e.add(segments.slots, e.sub(number, e.i32(1)));
  Value mean = arith::DivUIOp::create(e.b, rounded, number);
  Value below = e.sub(mean, e.i32(1));
  Value zeros = math::CountLeadingZerosOp::create(e.b, below);
  return e.min(e.sub(e.i32(32), zeros), e.i32(5));
}

void Emitter::emitOneColumn(const Segments &segments) {
  Value log = lanesPerSegment(*this, segments);
  Value width = arith::ShLIOp::create(b, i32(1), log);
  Value within = arith::AndIOp::create(b, lane, sub(width, i32(1)));
  Value mine = arith::ShRUIOp::create(b, lane, log);
  Value together = arith::ShRUIOp::create(b, i32(kLanes), log);
  loop(segments.first, segments.last, together, [&](Value group) {
    Value ordinal = add(group, mine);
    Value valid = compare(arith::CmpIPredicate::slt, ordinal, segments.last);
    Value segment = min(ordinal, sub(segments.last, i32(1)));
    auto bounds = segments.bounds(segment);
    Value first = bounds.first;
    Value length = select(valid, bounds.second, i32(0));
    Value mark = segments.mark(segment), row = segments.row(segment);
    Values sums =
        loop(within, length, width, identities(), [&](Value k, Values sums) {
          Value slot = add(first, toIndex(k));
          return accumulate(load(slot, segments.column(slot, first), row),
                            sums);
        });
    sums = loop(i32(0), log, i32(1), sums, [&](Value step, Values sums) {
      Value distance = arith::ShLIOp::create(b, i32(1), step);
      Value other = gpu::ShuffleOp::create(b, sums[0], distance, i32(kLanes),
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      return Values{combine(sums[0], other)};
    });
    Value leads = compare(arith::CmpIPredicate::eq, within, i32(0));
    Value some = compare(arith::CmpIPredicate::sgt, length, i32(0));
    branch(arith::AndIOp::create(b, leads, some), [&] { flush(mark, sums); });
  });
}

} // namespace astfe::gpukernel
