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

Values Emitter::open(Value mark) {
  Value owned;
  if (!plan.view())
    owned = compare(arith::CmpIPredicate::sge, mark, i32(0));
  if (active)
    owned = owned ? arith::AndIOp::create(b, owned, active) : active;
  if (!owned)
    return fetch(output, toIndex(mark));
  return branch(owned, identities(),
                [&] { return fetch(output, toIndex(mark)); });
}

void Emitter::close(Value mark, const Values &accumulators) {
  whereActive([&] {
    if (plan.view())
      return put(output, toIndex(mark), accumulators);
    branch(
        compare(arith::CmpIPredicate::slt, mark, i32(0)),
        [&] {
          if (plan.partials())
            update(partials, unmark(mark), accumulators);
          else
            updateAtomically(unmark(mark), accumulators);
        },
        [&] { put(output, toIndex(mark), accumulators); });
  });
}

void Emitter::flush(Value mark, const Values &accumulators, bool together) {
  whereActive([&] {
    if (plan.view())
      return update(output, toIndex(mark), accumulators);
    Value row = unmark(mark);
    if (together)
      return updateAtomically(row, accumulators);
    Value shared = compare(arith::CmpIPredicate::slt, mark, i32(0));
    branch(
        shared,
        [&] {
          if (plan.partials())
            update(partials, row, accumulators);
          else
            updateAtomically(row, accumulators);
        },
        [&] { update(output, row, accumulators); });
  });
}

} // namespace astfe::gpukernel
