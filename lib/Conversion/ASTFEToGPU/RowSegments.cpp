//===- RowSegments.cpp - RowSegments -> ColumnTile | Teams ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ColumnTile: the warp takes one row at a time, accumulators in registers, 32
// nonzeros loaded together and then four or eight in flight. The rows' bounds
// and numbers are loaded 32 at a time too.
//
// Teams are in RowTeams.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Nonzeros whose loads are in flight together.
static constexpr int64_t kUnroll = core::rules::kInFlight;

/// Twice as many where registers are left: of elements of 32 bits, four of them
/// a lane only in kernels of rows without partial ones. (All else spills on
/// sm_80.)
static int64_t inFlight(const Emitter &e) {
  // Partial rows take registers, too.
  if (e.plan.complex)
    return e.plan.partials() ? e.teamInFlight() / 2 : e.teamInFlight();
  if (e.plan.widestBytes() > 4)
    return kUnroll;
  const bool hasRows =
      e.plan.view() || e.plan.classes.contains(core::SegmentClass::RowSegments);
  return e.vector() <= 2 || (hasRows && !e.plan.partials()) ? 2 * kUnroll
                                                            : kUnroll;
}

/// What `make` makes of the least of least, least + step, ..., most that is not
/// below `number`, by tests that halve them.
Values Emitter::oneOf(int64_t least, int64_t most, int64_t step, Value number,
                      TypeRange types, function_ref<Values(int64_t)> make) {
  if (least == most)
    return make(least);
  const int64_t middle = least + (most - least) / step / 2 * step;
  auto among = [&](int64_t from, int64_t to) {
    return [&, from, to] { return oneOf(from, to, step, number, types, make); };
  };
  return either(compare(arith::CmpIPredicate::sgt, number, i32(middle)), types,
                among(middle + step, most), among(least, middle));
}

/// `sums` and the contributions of all of a row's nonzeros.
Values Emitter::rowSum(const Segments &segments, const Row &row, Values sums) {
  Value last = sub(row.length, i32(1));
  const int64_t unroll = inFlight(*this);
  auto chunk = [&](Value begin, Values sums) {
    Value mine = min(add(begin, lane), last);
    Value slot = add(row.begin, likeSlot(row.begin, mine));
    stage(load(slot, segments.column(slot, row.begin), row.row));
    Value count = min(sub(row.length, begin), i32(kLanes));
    auto take = [&](Value from, int64_t number, Values sums) {
      return accumulate(staged(from, number, row.row), std::move(sums));
    };
    Value whole = bitAnd(count, -unroll);
    sums = unrolledLoop(
        i32(0), whole, i32(unroll), sums,
        [&](Value t, Values sums) { return take(t, unroll, sums); });
    Value from = whole;
    for (int64_t rest = unroll / 2; rest > 0; rest /= 2) {
      Value bit = bitAnd(count, rest);
      Value some = compare(arith::CmpIPredicate::ne, bit, i32(0));
      sums = branch(some, sums, [&] { return take(from, rest, sums); });
      from = add(from, bit);
    }
    return sums;
  };
  return loop(i32(0), row.length, i32(kLanes), std::move(sums), chunk);
}

/// Runs the segments one by one. Where the next one ends is read while one
/// runs.
void Emitter::eachRow(const Segments &segments,
                      function_ref<void(const Row &)> run) {
  bool readsRows = llvm::any_of(plan.inputs, std::mem_fn(&Operand::needsRow));
  Value last = sub(segments.last, i32(1));
  Value begin = segments.bounds(segments.first).first;
  Value end = segments.end(min(segments.first, last));
  auto body = [&](Value segment, Values carried) {
    Value end = uniform(carried[1]);
    Value next = segments.end(min(add(segment, i32(1)), last));
    Row row{carried[0],
            toI32(sub(end, carried[0])),
            uniform(segments.mark(segment)),
            readsRows ? segments.row(segment) : Value(),
            {}};
    if (segments.starts)
      row.first = compare(arith::CmpIPredicate::ne,
                          uniform(segments.starts(segment)), i32(0));
    run(row);
    return Values{end, next};
  };
  loop(segments.first, segments.last, i32(1), {begin, end}, body);
}

/// i1: a row of a view with so many nonzeros is written by who walks it; null:
/// every one is.
Value Emitter::isRun(Value length) {
  Value result;
  if (plan.view() && !plan.overwrites)
    result = compare(arith::CmpIPredicate::sgt, length, i32(0));
  if (!least)
    return result;
  Value isWhole = compare(arith::CmpIPredicate::ult, length, least);
  return result ? arith::AndIOp::create(b, result, isWhole).getResult()
                : isWhole;
}

void Emitter::emitWarpRow(const Segments &segments, const Row &row) {
  auto sum = [&] { closeLong(row, rowSum(segments, row, openLong(row))); };
  if (Value wanted = isRun(row.length))
    branch(wanted, sum);
  else
    sum();
}

void Emitter::emitColumnTile(const Segments &segments) {
  eachRow(segments, [&](const Row &row) { emitWarpRow(segments, row); });
}

void Emitter::synchronizeWarp() { NVVM::SyncWarpOp::create(b, i32(-1)); }

void Emitter::emitRows(const Segments &segments) {
  hasTeams() ? emitTeams(segments) : emitColumnTile(segments);
}

void Emitter::emitRowSegments(const Segments &segments, Value) {
  emitRows(segments);
}

} // namespace astfe::gpukernel
