//===- Flush.cpp - combining accumulators into the output -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that one worker owns is read and written plainly: its columns belong to
// one lane. A shared row is combined by atomics, or, deterministically, into
// the worker's private partial row.
//
// Atomics have one element a lane. Those of lanes with four columns each would
// touch every sector of the row four times; so lanes exchange columns before,
// until each instruction has neighbours:
//
//   four lanes, two columns each       before      after
//   columns of lanes 0, 1, 2, 3        01 23 45 67 04 26 15 37
//   of the first and second atomic     0246, 1357  0213, 4657
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

/// This lane's columns of row `row` of a buffer.
Values Emitter::fetch(Value memref, Value row) {
  return loadSums(memref, plan.oneColumn ? row : rowOffset(row));
}

void Emitter::put(Value memref, Value row, const Values &values) {
  storeSums(values, memref, plan.oneColumn ? row : rowOffset(row));
}

void Emitter::updateAtomically(Value row, const Values &accumulators) {
  Value at = plan.oneColumn ? row : rowOffset(row);
  for (auto [u, accumulator] : llvm::enumerate(accumulators))
    memref::AtomicRMWOp::create(b, plan.combiner, accumulator,
                                plan.sumsApart() ? partials : output,
                                ValueRange{add(at, index(u))});
}

/// Whether lanes exchange columns before atomics: vectors of fewer lanes than
/// elements lie in one sector as they are; sums of 64 bits, and vectors of 128
/// bits of a whole warp, leave too few registers.
bool Emitter::spreads() const {
  const bool fits =
      plan.elementBytes() <= 4 &&
      (hasTeams() || vector() * plan.elementBytes() < core::rules::kWidestLoad);
  return fits && !isScattering && !variant.wide && vector() > 1 &&
         variant.lanes >= vector() && !plan.partials();
}

/// Element v of the vector of lane q * step + r goes to element q of lane
/// v * step + r: a butterfly, a bit of both numbers in each round.
Values Emitter::exchange(Values accumulators) {
  const unsigned step = variant.lanes / vector();
  for (unsigned bit = 1; bit < vector(); bit *= 2) {
    Value distance = i32(step * bit);
    Value high =
        compare(arith::CmpIPredicate::ne, bitAnd(lane, step * bit), i32(0));
    for (unsigned v = 0; v < vector(); ++v) {
      if (v & bit)
        continue;
      Value &low = accumulators[v], &up = accumulators[v | bit];
      Value other = gpu::ShuffleOp::create(b, select(high, low, up), distance,
                                           i32(kLanes), gpu::ShuffleMode::XOR)
                        .getShuffleResult();
      low = select(high, other, low);
      up = select(high, up, other);
    }
  }
  return accumulators;
}

/// By all lanes of the warp; `where` (i1): whether this lane's row is meant;
/// null: all are.
void Emitter::updateSpread(Value row, Value where, const Values &accumulators) {
  const unsigned step = variant.lanes / vector();
  Value inTeam = bitAnd(lane, variant.lanes - 1);
  Value within =
      add(mul(bitAnd(inTeam, step - 1), i32(vector())),
          arith::ShRUIOp::create(b, inTeam, i32(llvm::Log2_32(step))));
  // The tile's first column, which lane 0 has: kept, it would be a register.
  Value first = add(uniform(toI32(column)), within);
  Value begin = mul(row, toIndex(columnCount));
  for (auto [u, sum] : llvm::enumerate(exchange(accumulators))) {
    Value at = add(first, i32(int64_t(u) * variant.lanes));
    Value inside = compare(arith::CmpIPredicate::slt, at, columnCount);
    if (where)
      inside = arith::AndIOp::create(b, inside, where);
    branch(inside, [&, sum = sum] {
      memref::AtomicRMWOp::create(b, plan.combiner, sum, output,
                                  ValueRange{add(begin, toIndex(at))});
    });
  }
}

Value Emitter::unmark(Value mark) {
  if (plan.view())
    return toIndex(mark);
  Value sign = arith::ShRSIOp::create(b, mark, i32(31));
  return toIndex(arith::XOrIOp::create(b, mark, sign));
}

void Emitter::whereActive(function_ref<void()> write) {
  if (active)
    branch(active, write);
  else
    write();
}

void Emitter::putWhereActive(Value memref, Value row, const Values &sums) {
  whereActive([&] { put(memref, row, sums); });
}

Value Emitter::isFirst(const Segments &segments, Value segment) {
  if (!segments.starts)
    return {};
  return compare(arith::CmpIPredicate::ne, segments.starts(segment), i32(0));
}

/// One store for both cases: two of them would keep the row's address twice.
void Emitter::write(Value memref, Value row, Value first,
                    const Values &accumulators) {
  auto read = [&] { return fetch(memref, row); };
  Values olds = first ? branch(negate(first), identities(), read) : read();
  Values sums;
  for (auto [old, accumulator] : llvm::zip_equal(olds, accumulators))
    sums.push_back(combine(old, accumulator));
  put(memref, row, sums);
}

Values Emitter::open(Value mark, Value first) {
  if (plan.view() && plan.overwrites)
    return identities();
  Value owned;
  auto require = [&](Value condition) {
    owned = owned ? arith::AndIOp::create(b, owned, condition).getResult()
                  : condition;
  };
  if (!plan.view())
    require(compare(arith::CmpIPredicate::sge, mark, i32(0)));
  if (active)
    require(active);
  if (first)
    require(negate(first));
  auto read = [&] { return fetch(output, toIndex(mark)); };
  return owned ? branch(owned, identities(), read) : read();
}

Values Emitter::openLong(const Row &row) {
  return row.first ? identities() : open(row.mark, {});
}

/// Into a row that several workers write.
void Emitter::flushShared(Value mark, Value first, const Values &accumulators) {
  if (plan.partials())
    write(partials, unmark(mark), first, accumulators);
  else
    updateAtomically(unmark(mark), accumulators);
}

/// `own` where the row is this worker's. All lanes take part.
void Emitter::finishTogether(Value mark, const Values &accumulators,
                             function_ref<void()> own) {
  Value shared = compare(arith::CmpIPredicate::slt, mark, i32(0));
  // Without teams all lanes have the same row.
  if (!hasTeams())
    return branch(
        shared, [&] { updateSpread(unmark(mark), {}, accumulators); },
        [&] { whereActive(own); });
  if (active)
    shared = arith::AndIOp::create(b, shared, active);
  Value some = NVVM::VoteSyncOp::create(b, b.getI1Type(), i32(-1), shared,
                                        NVVM::VoteSyncKind::any);
  branch(some, [&] { updateSpread(unmark(mark), shared, accumulators); });
  Value alone = compare(arith::CmpIPredicate::sge, mark, i32(0));
  if (active)
    alone = arith::AndIOp::create(b, alone, active);
  branch(alone, own);
}

void Emitter::finish(Value mark, Value first, const Values &accumulators,
                     function_ref<void()> own) {
  if (plan.view())
    return whereActive(own);
  if (spreads())
    return finishTogether(mark, accumulators, own);
  whereActive([&] {
    branch(
        compare(arith::CmpIPredicate::slt, mark, i32(0)),
        [&] { flushShared(mark, first, accumulators); }, own);
  });
}

void Emitter::close(Value mark, Value first, const Values &accumulators) {
  finish(mark, first, accumulators,
         [&] { put(output, toIndex(mark), accumulators); });
}

void Emitter::closeLong(const Row &row, const Values &accumulators) {
  if (!row.first)
    return close(row.mark, row.first, accumulators);
  finish(row.mark, row.first, accumulators,
         [&] { write(output, toIndex(row.mark), row.first, accumulators); });
}

/// Of several rows at a time: to exchange columns would take registers that
/// the sums of the others hold.
void Emitter::flush(Value mark, Value first, const Values &accumulators) {
  whereActive([&] {
    branch(
        compare(arith::CmpIPredicate::slt, mark, i32(0)),
        [&] { flushShared(mark, first, accumulators); },
        [&] { write(output, toIndex(mark), first, accumulators); });
  });
}

/// Where a row is written first, one lane stores, then the others add.
void Emitter::flushTogether(Value mark, Value first,
                            const Values &accumulators) {
  if (!first)
    return whereActive([&] { updateAtomically(unmark(mark), accumulators); });
  Value stores = arith::AndIOp::create(
      b, first, compare(arith::CmpIPredicate::sge, mark, i32(0)));
  if (active)
    stores = arith::AndIOp::create(b, stores, active);
  branch(stores, [&] { put(output, toIndex(mark), accumulators); });
  synchronizeWarp();
  Value adds = negate(stores);
  if (active)
    adds = arith::AndIOp::create(b, adds, active);
  branch(adds, [&] { updateAtomically(unmark(mark), accumulators); });
}

} // namespace astfe::gpukernel
