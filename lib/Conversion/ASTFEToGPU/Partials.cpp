//===- Partials.cpp - kernels around the main one -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared rows are summed in private rows of partials, set to the combiner's
// identity first; then one warp per shared row adds its partial rows in the
// order of the table, so that the same workers give the same bits.
//
// A computation that overwrites needs no such fill. Rows that no segment stores
// are cleared first: those without nonzeros, and those that atomics add to.
//
// What a view scatters into halves or bytes is summed up in partials, too, of
// the output's shape, by atomics; then each element is stored.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace astfe::gpukernel {

namespace {
/// What a kernel is given, by role: views of tables, and numbers.
using Bound = llvm::DenseMap<Role, Value>;
} // namespace

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
                 e.store(e.identities().front(), partials, at);
               });
             });
}

void emitStore(OpBuilder &builder, const KernelPlan &plan) {
  emitKernel(builder, plan, kStoreName, storeArguments(plan),
             [&](ImplicitLocOpBuilder &b, ValueRange arguments) {
               Emitter e(b, b.getLoc(), plan, Variant());
               Value sums = viewOf(e.b, arguments[0]);
               Value output = viewOf(e.b, arguments[1]);
               Value count = e.toIndex(arguments[2]);
               auto [first, stride] = gridThread(e);
               e.loop(first, count, stride, [&](Value at) {
                 Value sum = e.load(sums, at);
                 if (!plan.overwrites)
                   sum = e.combine(e.toSum(e.load(output, at)), sum);
                 // A row without nonzeros has the identity of bytes.
                 if (plan.truths)
                   sum = arith::MinUIOp::create(e.b, sum, e.i32(1));
                 e.store(sum, output, at);
               });
             });
}

/// Adds the partials of shared row `i` in column `j` to the output.
static void combineElement(Emitter &e, const Bound &at, Value i, Value row,
                           Value j, Value columns) {
  Value from = e.toIndex(e.load(at.lookup(Role::CombineBegin), i));
  Value to =
      e.toIndex(e.load(at.lookup(Role::CombineBegin), e.add(i, e.index(1))));
  Value target = e.add(e.mul(row, columns), j);
  auto term = [&](Value p) {
    Value partial = e.toIndex(e.load(at.lookup(Role::CombinePartial), p));
    return e.load(at.lookup(Role::Partials), e.add(e.mul(partial, columns), j));
  };
  Values sum{e.plan.overwrites
                 ? term(from)
                 : e.toSum(e.load(at.lookup(Role::Output), target))};
  if (e.plan.overwrites)
    from = e.add(from, e.index(1));
  sum = e.loop(from, to, e.index(1), sum, [&](Value p, Values sum) {
    return Values{e.combine(sum[0], term(p))};
  });
  e.store(sum[0], at.lookup(Role::Output), target);
}

static Bound bind(Emitter &e, ArrayRef<Argument> arguments, ValueRange values) {
  Bound at;
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    at[argument.role] =
        argument.pointer ? viewOf(e.b, value) : e.toIndex(value);
  return at;
}

/// The rows [begin, end) that item `i` of the start kernel clears: a gap, or,
/// behind all of them, a shared row.
static std::pair<Value, Value> clearedRows(Emitter &e, const Bound &at,
                                           Value i) {
  auto load = [&](Role role, Value number) {
    return e.toIndex(e.load(at.lookup(role), number));
  };
  Value gaps = at.lookup(Role::Gaps);
  auto rows = scf::IfOp::create(
      e.b, e.compare(arith::CmpIPredicate::ult, i, gaps),
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(
            e.b, ValueRange{load(Role::GapBegin, i), load(Role::GapEnd, i)});
      },
      [&](OpBuilder &, Location) {
        Value row = load(Role::CombineRow, e.sub(i, gaps));
        scf::YieldOp::create(e.b, ValueRange{row, e.add(row, e.index(1))});
      });
  return {rows.getResult(0), rows.getResult(1)};
}

/// One column: a lane clears a gap of few rows, a warp the others.
static void clearVector(Emitter &e, const Bound &at, Value items) {
  auto clear = [&](Value from, Value to, Value step) {
    e.loop(from, to, step, [&](Value row) {
      e.store(e.identities().front(), at.lookup(Role::Output), row);
    });
  };
  auto [thread, threads] = gridThread(e);
  Value lanes = e.index(kLanes);
  Value lane = arith::RemUIOp::create(e.b, thread, lanes);
  // All lanes take part in each step.
  e.loop(e.sub(thread, lane), items, threads, [&](Value base) {
    Value mine = e.add(base, lane);
    Value valid = e.compare(arith::CmpIPredicate::ult, mine, items);
    // No structured binding: the body below takes both.
    const auto rows =
        clearedRows(e, at, e.select(valid, mine, e.sub(items, e.index(1))));
    Value begin = rows.first, end = rows.second;
    Value isLong =
        e.compare(arith::CmpIPredicate::ugt, e.sub(end, begin), lanes);
    Value isShort = arith::AndIOp::create(e.b, valid, e.negate(isLong));
    clear(begin, e.select(isShort, end, begin), e.index(1));
    Value others = e.ballot(arith::AndIOp::create(e.b, valid, isLong));
    e.eachLane(others, [&](Value from) {
      clear(e.add(e.broadcast(begin, from), lane), e.broadcast(end, from),
            lanes);
    });
  });
}

/// One warp clears the elements of a gap, or of a shared row.
static void clearRows(Emitter &e, const Bound &at, Value items) {
  auto [thread, threads] = gridThread(e);
  Value lanes = e.index(kLanes), columns = at.lookup(Role::ColumnCount);
  Value warp = arith::DivUIOp::create(e.b, thread, lanes);
  Value warps = arith::DivUIOp::create(e.b, threads, lanes);
  Value lane = arith::RemUIOp::create(e.b, thread, lanes);
  e.loop(warp, items, warps, [&](Value i) {
    auto [begin, end] = clearedRows(e, at, i);
    Value first = e.add(e.mul(begin, columns), lane);
    e.loop(first, e.mul(end, columns), lanes, [&](Value element) {
      e.store(e.identities().front(), at.lookup(Role::Output), element);
    });
  });
}

void emitStart(OpBuilder &builder, const KernelPlan &plan) {
  SmallVector<Argument> arguments = startArguments(plan);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange values) {
    Emitter e(b, b.getLoc(), plan, Variant());
    Bound at = bind(e, arguments, values);
    Value items = at.lookup(Role::Gaps);
    if (!plan.partials())
      items = e.add(items, at.lookup(Role::SharedRows));
    plan.oneColumn ? clearVector(e, at, items) : clearRows(e, at, items);
  };
  emitKernel(builder, plan, kStartName, arguments, body);
}

void emitCombine(OpBuilder &builder, const KernelPlan &plan) {
  SmallVector<Argument> arguments = combineArguments(plan);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange values) {
    Emitter e(b, b.getLoc(), plan, Variant());
    Bound at = bind(e, arguments, values);
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
