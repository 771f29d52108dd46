//===- Flush.cpp - combining accumulators into the output -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that one worker owns is read and written plainly: its columns belong to
// one lane. A shared row is combined by atomics, or, deterministically, into
// the worker's private partial row.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace astfe::gpukernel {

/// This lane's columns of row `row` of a buffer.
Values Emitter::fetch(Value memref, Value row) {
  Value at = plan.oneColumn ? row : rowOffset(row);
  auto type = VectorType::get(vector(), plan.element);
  Value vector = vector::LoadOp::create(
      b, type, memref, ValueRange{at}, /*nontemporal=*/false,
      llvm::MaybeAlign(this->vector() * plan.elementBytes()));
  Values result;
  for (unsigned u = 0; u < this->vector(); ++u)
    result.push_back(vector::ExtractOp::create(b, vector, int64_t(u)));
  return result;
}

void Emitter::put(Value memref, Value row, const Values &values) {
  Value at = plan.oneColumn ? row : rowOffset(row);
  auto type = VectorType::get(vector(), plan.element);
  Value vector = vector::FromElementsOp::create(b, type, values);
  vector::StoreOp::create(
      b, vector, memref, ValueRange{at}, /*nontemporal=*/false,
      llvm::MaybeAlign(this->vector() * plan.elementBytes()));
}

/// Plain combination into row `row` of a buffer.
void Emitter::update(Value memref, Value row, const Values &accumulators) {
  Values sums;
  for (auto [old, accumulator] :
       llvm::zip_equal(fetch(memref, row), accumulators))
    sums.push_back(combine(old, accumulator));
  put(memref, row, sums);
}

void Emitter::updateAtomically(Value row, const Values &accumulators) {
  Value at = plan.oneColumn ? row : rowOffset(row);
  for (auto [u, accumulator] : llvm::enumerate(accumulators))
    memref::AtomicRMWOp::create(b, plan.combiner, accumulator, output,
                                ValueRange{add(at, index(u))});
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

Value Emitter::isFirst(const Segments &segments, Value segment) {
  if (!segments.starts)
    return {};
  return compare(arith::CmpIPredicate::ne, segments.starts(segment), i32(0));
}

void Emitter::write(Value memref, Value row, Value first,
                    const Values &accumulators) {
  if (!first)
    return update(memref, row, accumulators);
  branch(
      first, [&] { put(memref, row, accumulators); },
      [&] { update(memref, row, accumulators); });
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
    require(arith::XOrIOp::create(
        b, first, arith::ConstantOp::create(b, b.getBoolAttr(true))));
  if (!owned)
    return fetch(output, toIndex(mark));
  return branch(owned, identities(),
                [&] { return fetch(output, toIndex(mark)); });
}

/// Into a row that several workers write.
void Emitter::flushShared(Value mark, Value first, const Values &accumulators) {
  if (plan.partials())
    write(partials, unmark(mark), first, accumulators);
  else
    updateAtomically(unmark(mark), accumulators);
}

void Emitter::close(Value mark, Value first, const Values &accumulators) {
  whereActive([&] {
    if (plan.view())
      return put(output, toIndex(mark), accumulators);
    branch(
        compare(arith::CmpIPredicate::slt, mark, i32(0)),
        [&] { flushShared(mark, first, accumulators); },
        [&] { put(output, toIndex(mark), accumulators); });
  });
}

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
  Value adds = arith::XOrIOp::create(
      b, stores, arith::ConstantOp::create(b, b.getBoolAttr(true)));
  if (active)
    adds = arith::AndIOp::create(b, adds, active);
  branch(adds, [&] { updateAtomically(unmark(mark), accumulators); });
}

} // namespace astfe::gpukernel
