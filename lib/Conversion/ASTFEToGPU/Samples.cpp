//===- Samples.cpp - one element of the output a nonzero ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs that are indexed by n: s_n = a_n <X_i, Y_j>. Eight lanes share a
// nonzero, so that 128 bytes of a row are one access, and a warp has four
// nonzeros in flight; sums cross lanes by three shuffles. Without a dense
// dimension each lane has a nonzero of its own. No two lanes write the same
// element.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Lanes that share a nonzero where a dense dimension is reduced.
static constexpr int64_t kSharing = core::rules::kSampleLanes;

/// This lane's part of what is summed for a nonzero.
Value Emitter::sampleSum(const Point &point, Value within) {
  Value step = i32(kSharing * vector());
  Value first = mul(within, i32(vector()));
  const Value base = runBase, start = column;
  Values sums =
      loop(first, columnCount, step, identities(), [&](Value k, Values sums) {
        column = toIndex(k);
        beginRun(base);
        return accumulate(point, std::move(sums));
      });
  column = start;
  beginRun(base);
  Value sum = sums.front();
  for (Value other : ArrayRef(sums).drop_front())
    sum = combine(sum, other);
  for (int64_t distance = 1; distance < kSharing; distance *= 2)
    sum =
        combine(sum, gpu::ShuffleOp::create(b, sum, i32(distance), i32(kLanes),
                                            gpu::ShuffleMode::XOR)
                         .getShuffleResult());
  return sum;
}

void Emitter::emitSample(Value slot, Value at, Value row, Value valid) {
  Value within = bitAnd(lane, plan.oneColumn ? 0 : kSharing - 1);
  beginRun(runBase);
  Point point = load(slot, at, row);
  Value value =
      complete(point, plan.oneColumn ? Value() : sampleSum(point, within));
  Value leads = compare(arith::CmpIPredicate::eq, within, i32(0));
  branch(arith::AndIOp::create(b, valid, leads), [&] {
    Value target = add(runBase, toIndex(slot));
    if (!plan.stores)
      value = combine(toSum(load(output, target)), value);
    store(value, output, target);
  });
}

void Emitter::emitSamples(const Segments &segments, bool scattered) {
  const int64_t sharing = plan.oneColumn ? 1 : kSharing;
  Value mine = arith::DivUIOp::create(b, lane, i32(sharing));
  Value together = i32(kLanes / sharing);
  auto eachOf = [&](Value count, function_ref<void(Value, Value)> take) {
    loop(i32(0), count, together, [&](Value begin) {
      Value at = add(begin, mine);
      take(min(at, sub(count, i32(1))),
           compare(arith::CmpIPredicate::slt, at, count));
    });
  };
  if (scattered)
    return eachOf(segments.slots, [&](Value at, Value valid) {
      emitSample(at, segments.column(at, at),
                 segments.row(add(segments.first, at)), valid);
    });
  eachRow(segments, [&](const Row &row) {
    eachOf(row.length, [&](Value at, Value valid) {
      Value slot = add(row.begin, likeSlot(row.begin, at));
      emitSample(slot, segments.column(slot, row.begin), row.row, valid);
    });
  });
}

} // namespace astfe::gpukernel
