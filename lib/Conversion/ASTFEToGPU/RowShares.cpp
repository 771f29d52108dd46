//===- RowShares.cpp - which rows of a view a warp runs -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "Kernels.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace astfe::gpukernel {

/// 64 bits whatever the width of index: nonzeros times workers.
static Value wide(Emitter &e, Value value) {
  Type i64 = e.b.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastUIOp::create(e.b, i64, value);
  return arith::ExtUIOp::create(e.b, i64, value);
}

RowShares::RowShares(Emitter &emitter, Value workers, Value rows)
    : e(emitter), workers(workers), rows(rows) {
  core::Layout layout;
  core::chooseForGPU(layout, e.plan.oneColumn ? 0 : e.variant.tile());
  rowCost = core::segmentCost(layout);
  Value nonzeros = e.toIndex(e.table(Role::Positions, rows));
  total = costBefore(nonzeros, rows, rowCost);
}

/// i64: 32 bits hold the rows and the nonzeros, but not always their cost.
Value RowShares::costBefore(Value nonzeros, Value row, int64_t costOfRow) {
  Value each = arith::ConstantIntOp::create(e.b, costOfRow, 64);
  return e.add(wide(e, nonzeros), e.mul(wide(e, row), each));
}

/// i64: the cost of all rows of workers before this one.
Value RowShares::target(Value worker) {
  Value part = e.mul(total, wide(e, worker));
  return arith::DivUIOp::create(e.b, part, wide(e, workers));
}

/// One step from low <= result <= high: 32 rows at equal distances are looked
/// at, of which the first ones begin before the target.
std::pair<Value, Value> RowShares::narrow(Value low, Value high, Value target,
                                          int64_t costOfRow) {
  Value step =
      e.add(arith::ShRUIOp::create(e.b, e.sub(high, low), e.i32(5)), e.i32(1));
  Value row = e.add(low, e.sub(e.mul(e.add(e.lane, e.i32(1)), step), e.i32(1)));
  Value inside = e.compare(arith::CmpIPredicate::slt, row, high);
  row = e.min(row, high);
  Value cost =
      costBefore(e.toIndex(e.table(Role::Positions, row)), row, costOfRow);
  Value below = arith::AndIOp::create(
      e.b, inside, e.compare(arith::CmpIPredicate::ult, cost, target));
  Value lanes = NVVM::VoteSyncOp::create(e.b, e.b.getI32Type(), e.i32(-1),
                                         below, NVVM::VoteSyncKind::ballot);
  Value passed = math::CtPopOp::create(e.b, lanes);
  low = e.add(low, e.mul(passed, step));
  return {low, e.min(high, e.add(low, e.sub(step, e.i32(1))))};
}

/// Each leaves a thirty-second of the rows.
Value RowShares::steps() {
  Value bits = e.sub(e.i32(32), math::CountLeadingZerosOp::create(e.b, rows));
  return arith::DivUIOp::create(e.b, e.add(bits, e.i32(4)), e.i32(5));
}

Value RowShares::firstRow(Value nonzero) {
  Values range = e.loop(
      e.i32(0), steps(), e.i32(1), {e.i32(0), rows}, [&](Value, Values range) {
        auto [low, high] = narrow(range[0], range[1], wide(e, nonzero),
                                  /*costOfRow=*/0);
        return Values{low, high};
      });
  return e.uniform(range[0]);
}

std::pair<Value, Value> RowShares::rowsOf(Value worker) {
  Value begin = target(worker), end = target(e.add(worker, e.i32(1)));
  // Both at once, so that a warp waits once for each step.
  Values range = e.loop(
      e.i32(0), steps(), e.i32(1), {e.i32(0), rows, e.i32(0), rows},
      [&](Value, Values range) {
        auto first = narrow(range[0], range[1], begin, rowCost);
        auto last = narrow(range[2], range[3], end, rowCost);
        return Values{first.first, first.second, last.first, last.second};
      });
  return {e.uniform(range[0]), e.uniform(range[2])};
}

/// Index: where the share of a worker begins that the cost of all shares before
/// leads to, in a row (i32) that begins before: the row itself costs something,
/// and its nonzeros come behind that.
Value RowShares::nonzeroAt(Value row, Value target) {
  Value next = e.min(e.add(row, e.i32(1)), rows); // there may be none
  Value begin = e.toIndex(e.table(Role::Positions, row));
  Value end = e.toIndex(e.table(Role::Positions, next));
  Value before = costBefore(begin, next, rowCost);
  // Behind the row's last nonzero where it begins and ends before.
  Value within = arith::SubIOp::create(
      e.b, arith::MaxUIOp::create(e.b, target, before), before);
  Value offset = arith::IndexCastUIOp::create(e.b, e.b.getIndexType(), within);
  return arith::MinUIOp::create(e.b, e.add(begin, offset), end);
}

ViewPart RowShares::partOf(Value worker) {
  auto [first, last] = rowsOf(worker);
  auto before = [&](Value row) {
    return e.sub(arith::MaxSIOp::create(e.b, row, e.i32(1)), e.i32(1));
  };
  ViewPart part;
  part.first = before(first);
  part.last = last;
  part.begin = nonzeroAt(part.first, target(worker));
  part.end = nonzeroAt(before(last), target(e.add(worker, e.i32(1))));
  return part;
}

} // namespace astfe::gpukernel
