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

/// Plain combination into row `row` of a buffer.
void Emitter::update(Value memref, Value row, const Values &accumulators) {
  Value at = plan.oneColumn ? row : rowOffset(row);
  auto type = VectorType::get(vector(), plan.element);
  llvm::MaybeAlign alignment(vector() * plan.elementBytes());
  Value old = vector::LoadOp::create(b, type, memref, ValueRange{at},
                                     /*nontemporal=*/false, alignment);
  Values sums;
  for (auto [u, accumulator] : llvm::enumerate(accumulators))
    sums.push_back(
        combine(vector::ExtractOp::create(b, old, int64_t(u)), accumulator));
  Value sum = vector::FromElementsOp::create(b, type, sums);
  vector::StoreOp::create(b, sum, memref, ValueRange{at},
                          /*nontemporal=*/false, alignment);
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

void Emitter::flush(Value mark, const Values &accumulators, bool together) {
  auto write = [&] {
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
  };
  if (active)
    branch(active, write);
  else
    write();
}

} // namespace astfe::gpukernel
