//===- RowCombiner.cpp - partial results of rows on a GPU -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCombiner.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

RowCombiner::RowCombiner(Emitter &emitter, Value columns)
    : columns(columns), e(emitter) {
  Value bytes = sharedBytes(e, kBlockThreads * e.plan.elementBytes());
  auto type = MemRefType::get(
      {kBlockThreads}, e.plan.element, MemRefLayoutAttrInterface(),
      cast<MemRefType>(bytes.getType()).getMemorySpace());
  sums = memref::ViewOp::create(e.b, type, bytes, e.index(0), ValueRange());
  Value zeros =
      math::CountLeadingZerosOp::create(e.b, e.sub(columns, e.i32(1)));
  log = e.min(e.sub(e.i32(32), zeros), e.i32(llvm::Log2_64(uint64_t(kLanes))));
  width = arith::ShLIOp::create(e.b, e.i32(1), log);
  others = arith::ShRUIOp::create(e.b, e.i32(kLanes), log);
  column = arith::AndIOp::create(e.b, e.lane, e.sub(width, e.i32(1)));
  group = arith::ShRUIOp::create(e.b, e.lane, log);
}

Value RowCombiner::load(Value partial, Value column) {
  Value row = e.mul(e.toIndex(partial), e.toIndex(columns));
  return e.load(e.partials, e.add(row, e.toIndex(column)));
}

/// The sums of lanes that have the same column.
Value RowCombiner::overWarp(Value sum) {
  return e
      .loop(log, e.i32(llvm::Log2_64(uint64_t(kLanes))), e.i32(1), {sum},
            [&](Value step, Values sums) {
              Value distance = arith::ShLIOp::create(e.b, e.i32(1), step);
              Value other =
                  gpu::ShuffleOp::create(e.b, sums[0], distance, e.i32(kLanes),
                                         gpu::ShuffleMode::XOR)
                      .getShuffleResult();
              return Values{e.combine(sums[0], other)};
            })
      .front();
}

/// Adds up what the warps of the block have of a column.
void RowCombiner::finish(Value at, Value sum,
                         function_ref<void(Value, Value)> write) {
  Value mine = e.add(e.mul(e.warp, e.i32(kLanes)), e.lane);
  memref::StoreOp::create(e.b, sum, sums, e.toIndex(mine));
  gpu::BarrierOp::create(e.b);
  auto isFirst = [&](Value number) {
    return e.compare(arith::CmpIPredicate::eq, number, e.i32(0));
  };
  Value inside = e.compare(arith::CmpIPredicate::slt, at, columns);
  Value leads = arith::AndIOp::create(e.b, isFirst(e.warp), isFirst(group));
  e.branch(arith::AndIOp::create(e.b, leads, inside), [&] {
    Value total = e.load(sums, e.toIndex(e.lane));
    for (int64_t warp = 1; warp < kBlockWarps; ++warp) {
      Value more = e.add(e.lane, e.i32(warp * kLanes));
      total = e.combine(total, e.load(sums, e.toIndex(more)));
    }
    write(at, total);
  });
  // The next columns' sums take the place of these.
  gpu::BarrierOp::create(e.b);
}

void RowCombiner::store(Value sum, Value place) {
  if (!e.plan.overwrites)
    sum = e.combine(e.toSum(e.load(e.output, place)), sum);
  e.store(sum, e.output, place);
}

/// What this lane has of a column. Loads beyond the last partial result repeat
/// it.
Value RowCombiner::sumOf(Value count, Value at,
                         function_ref<Value(Value)> partialOf) {
  Value from = e.add(e.mul(e.warp, others), group);
  Value step = e.mul(others, e.i32(kBlockWarps));
  auto take = [&](Value number, Values sums) {
    Values loaded, valid;
    for (int64_t u = 0; u < core::rules::kInFlight; ++u) {
      Value mine = e.add(number, e.mul(step, e.i32(u)));
      valid.push_back(e.compare(arith::CmpIPredicate::slt, mine, count));
      loaded.push_back(
          load(partialOf(e.min(mine, e.sub(count, e.i32(1)))), at));
    }
    for (auto [is, value] : llvm::zip_equal(valid, loaded))
      sums[0] = e.select(is, e.combine(sums[0], value), sums[0]);
    return sums;
  };
  return e
      .loop(from, count, e.mul(step, e.i32(core::rules::kInFlight)),
            {e.identities().front()}, take)
      .front();
}

void RowCombiner::emit(Value count, function_ref<Value(Value)> partialOf,
                       function_ref<void(Value, Value)> write) {
  Value y = e.toI32(gpu::BlockIdOp::create(e.b, gpu::Dimension::y));
  Value blocks = e.toI32(gpu::GridDimOp::create(e.b, gpu::Dimension::y));
  e.loop(e.mul(y, width), columns, e.mul(blocks, width), [&](Value begin) {
    Value at = e.add(begin, column);
    // A lane without a column repeats the last one, which it does not write.
    Value loaded = e.min(at, e.sub(columns, e.i32(1)));
    finish(at, overWarp(sumOf(count, loaded, partialOf)), write);
  });
}

} // namespace astfe::gpukernel
