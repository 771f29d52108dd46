//===- Partials.cpp - kernels of deterministic layouts --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared rows are summed in private rows of partials, set to the combiner's
// identity first; then one warp per shared row adds its partial rows in the
// order of the table, so that the same workers give the same bits.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

/// The number of this thread in the grid, or the grid's threads; i64 or i32.
static std::pair<Value, Value> gridThread(Emitter &e) {
  Value thread = gpu::ThreadIdOp::create(e.b, gpu::Dimension::x);
  Value block = gpu::BlockIdOp::create(e.b, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(e.b, gpu::Dimension::x);
  Value size = e.index(kBlockThreads);
  return {e.add(e.mul(block, size), thread), e.mul(blocks, size)};
}

void emitFill(OpBuilder &builder, const KernelPlan &plan) {
  emitKernel(builder, plan, kFillName, fillArguments(plan),
             [&](ImplicitLocOpBuilder &b, ValueRange arguments) {
               Emitter e(b, b.getLoc(), plan, Variant());
               Value partials = viewOf(e.b, arguments[0]);
               Value count = e.toIndex(arguments[1]);
               auto [first, stride] = gridThread(e);
               e.loop(first, count, stride, [&](Value at) {
                 memref::StoreOp::create(e.b, e.identities().front(), partials,
                                         ValueRange{at});
               });
             });
}

/// Adds the partials of shared row `i` in column `j` to the output.
static void combineElement(Emitter &e, const llvm::DenseMap<Role, Value> &at,
                           Value i, Value row, Value j, Value columns) {
  Value from = e.toIndex(e.load(at.lookup(Role::CombineBegin), i));
  Value to =
      e.toIndex(e.load(at.lookup(Role::CombineBegin), e.add(i, e.index(1))));
  Value target = e.add(e.mul(row, columns), j);
  Values sum{e.load(at.lookup(Role::Output), target)};
  sum = e.loop(from, to, e.index(1), sum, [&](Value p, Values sum) {
    Value partial = e.toIndex(e.load(at.lookup(Role::CombinePartial), p));
    Value term =
        e.load(at.lookup(Role::Partials), e.add(e.mul(partial, columns), j));
    return Values{e.combine(sum[0], term)};
  });
  memref::StoreOp::create(e.b, sum[0], at.lookup(Role::Output),
                          ValueRange{target});
}

void emitCombine(OpBuilder &builder, const KernelPlan &plan) {
  SmallVector<Argument> arguments = combineArguments(plan);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange values) {
    Emitter e(b, b.getLoc(), plan, Variant());
    llvm::DenseMap<Role, Value> at;
    for (auto [argument, value] : llvm::zip_equal(arguments, values))
      at[argument.role] =
          argument.pointer ? viewOf(e.b, value) : e.toIndex(value);
    auto [thread, threads] = gridThread(e);
    Value shared = at.lookup(Role::SharedRows);
    if (plan.oneColumn)
      return e.loop(thread, shared, threads, [&](Value i) {
        Value row = e.toIndex(e.load(at.lookup(Role::CombineRow), i));
        combineElement(e, at, i, row, e.index(0), e.index(1));
      });
    Value lanes = e.index(kLanes), columns = at.lookup(Role::ColumnCount);
    Value warp = arith::DivUIOp::create(e.b, thread, lanes);
    Value warps = arith::DivUIOp::create(e.b, threads, lanes);
    Value lane = arith::RemUIOp::create(e.b, thread, lanes);
    e.loop(warp, shared, warps, [&](Value i) {
      Value row = e.toIndex(e.load(at.lookup(Role::CombineRow), i));
      e.loop(lane, columns, lanes,
             [&](Value j) { combineElement(e, at, i, row, j, columns); });
    });
  };
  emitKernel(builder, plan, kCombineName, arguments, body);
}

} // namespace astfe::gpukernel
