//===- ViewShares.cpp - the rows that coordinates name, cut into parts ----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many nonzeros name a row is known to nobody before all are read. Some are
// looked at, and counted by runs of rows.
//
//===----------------------------------------------------------------------===//

#include "ViewLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Nonzeros that are looked at, and runs of rows.
static constexpr int64_t kSamples = core::rules::kPartSamples;

/// What OpenMP's function of this name says.
static Value askOpenMP(ComputeBody &body, StringRef name) {
  ImplicitLocOpBuilder &b = body.b;
  auto module = body.op->getParentOfType<ModuleOp>();
  Type type = b.getI32Type();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    func::FuncOp::create(b, name, b.getFunctionType({}, type)).setPrivate();
  }
  Value number = func::CallOp::create(b, name, type).getResult(0);
  return arith::IndexCastOp::create(b, b.getIndexType(), number);
}

/// The runtime counts no processors beside the caller's while others are busy,
/// so that nobody does several parts one after the other.
Value host::threadsThatRun(ComputeBody &body) {
  Value threads = askOpenMP(body, "omp_get_max_threads");
  Value processors = askOpenMP(body, "omp_get_num_procs");
  return arith::MinUIOp::create(body.b, threads, processors);
}

Value host::outputRowBytes(ComputeBody &body) {
  int64_t bytes = llvm::divideCeil(
      body.elementType(body.outputs.front()).getIntOrFloatBitWidth(), 8);
  return body.b.createOrFold<arith::MulIOp>(denseColumns(body),
                                            body.index(bytes));
}

Value host::worthwhileParts(ComputeBody &body, const ViewStorage &view) {
  ImplicitLocOpBuilder &b = body.b;
  Value bytes = arith::MulIOp::create(
      b, loadIndex(b, view.positions, view.major), outputRowBytes(body));
  Value visits = arith::MulIOp::create(
      b, arith::MaxUIOp::create(b, view.major, body.index(1)),
      body.index(core::rules::kPartBytes));
  return arith::MaxUIOp::create(b, arith::DivUIOp::create(b, bytes, visits),
                                body.index(1));
}

Value host::firstNotBelow(ComputeBody &body, const ViewStorage &view,
                          Value begin, Value end, Value row) {
  ImplicitLocOpBuilder &b = body.b;
  Type stored = body.elementType(view.coordinates), index = b.getIndexType();
  const int64_t lanes =
      core::rules::kLineBytes * 8 /
      (stored.isIndex() ? 64 : stored.getIntOrFloatBitWidth());
  Value wanted = stored.isIndex()
                     ? row
                     : arith::IndexCastUIOp::create(b, stored, row).getResult();
  auto areBelow = [&](Value coordinates, Value limit) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, coordinates,
                                 limit);
  };
  auto lengthOf = [&](ValueRange range) -> Value {
    return arith::SubIOp::create(b, range[1], range[0]);
  };
  auto isLong = [&](OpBuilder &, Location, ValueRange range) {
    Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::ugt,
                                       lengthOf(range), body.index(lanes));
    scf::ConditionOp::create(b, more, range);
  };
  auto halve = [&](OpBuilder &, Location, ValueRange range) {
    Value half = arith::ShRUIOp::create(b, lengthOf(range), body.index(1));
    Value middle = arith::AddIOp::create(b, range[0], half);
    Value isBelow =
        areBelow(memref::LoadOp::create(b, view.coordinates, middle), wanted);
    Value low = arith::SelectOp::create(b, isBelow, middle, range[0]);
    Value high = arith::SelectOp::create(b, isBelow, range[1], middle);
    scf::YieldOp::create(b, ValueRange{low, high});
  };
  auto range = scf::WhileOp::create(b, TypeRange{index, index},
                                    ValueRange{begin, end}, isLong, halve);
  // Of a vector that is left, those below are counted, without a branch.
  auto typeOf = [&](Type element) { return VectorType::get({lanes}, element); };
  Value limit = vector::BroadcastOp::create(b, typeOf(stored), wanted);
  Value mask = vector::CreateMaskOp::create(b, typeOf(b.getI1Type()),
                                            lengthOf(range.getResults()));
  Value first = range.getResult(0);
  Value some = vector::MaskedLoadOp::create(b, typeOf(stored), view.coordinates,
                                            first, mask, limit);
  Value count = vector::ReductionOp::create(
      b, vector::CombiningKind::ADD,
      arith::ExtUIOp::create(b, typeOf(b.getI32Type()), areBelow(some, limit)));
  return arith::AddIOp::create(b, first,
                               arith::IndexCastUIOp::create(b, index, count));
}

//===----------------------------------------------------------------------===//
// Shares of the rows
//===----------------------------------------------------------------------===//

/// A table of the samples before each run of rows.
RowShares::RowShares(ComputeBody &body, const ViewStorage &view, Value rows,
                     Value parts)
    : body(body), rows(rows), parts(parts) {
  ImplicitLocOpBuilder &b = body.b;
  before = memref::AllocaOp::create(
      b, MemRefType::get({kSamples + 1}, b.getIndexType()));
  countSamples(view);
}

void RowShares::countSamples(const ViewStorage &view) {
  ImplicitLocOpBuilder &b = body.b;
  Value zero = body.index(0), one = body.index(1), all = body.index(kSamples);
  auto loop = [&](Value begin, Value end, function_ref<void(Value)> emit) {
    scf::ForOp::create(b, begin, end, one, ValueRange(),
                       [&](OpBuilder &, Location, Value i, ValueRange) {
                         emit(i);
                         scf::YieldOp::create(b);
                       });
  };
  auto add = [&](Value at, Value value) {
    Value old = memref::LoadOp::create(b, before, at);
    memref::StoreOp::create(b, arith::AddIOp::create(b, old, value), before,
                            at);
  };
  loop(zero, body.index(kSamples + 1),
       [&](Value i) { memref::StoreOp::create(b, zero, before, i); });
  Type real = b.getF64Type(), word = b.getI64Type();
  auto toReal = [&](Value value) -> Value {
    return arith::SIToFPOp::create(b, real,
                                   arith::IndexCastOp::create(b, word, value));
  };
  Value scale = arith::DivFOp::create(b, toReal(all), toReal(rows));
  Value nonzeros = loadIndex(b, view.positions, view.major);
  loop(zero, all, [&](Value i) {
    Value n =
        arith::DivUIOp::create(b, arith::MulIOp::create(b, nonzeros, i), all);
    Value row = loadIndex(b, view.coordinates, n);
    Value run = arith::IndexCastOp::create(
        b, b.getIndexType(),
        arith::FPToSIOp::create(b, word,
                                arith::MulFOp::create(b, toReal(row), scale)));
    run = arith::MinUIOp::create(b, arith::AddIOp::create(b, run, one), all);
    add(run, one);
  });
  loop(one, body.index(kSamples + 1), [&](Value i) {
    add(i, memref::LoadOp::create(
               b, before, ValueRange(arith::SubIOp::create(b, i, one))));
  });
}

/// The row before which are as many samples as in all parts before; within a
/// run of rows they are taken to lie evenly.
Value RowShares::begin(Value part) {
  ImplicitLocOpBuilder &b = body.b;
  Value zero = body.index(0), one = body.index(1), all = body.index(kSamples);
  auto estimate = [&]() -> Value {
    Value wanted =
        arith::DivUIOp::create(b, arith::MulIOp::create(b, all, part), parts);
    auto count = [&](OpBuilder &, Location, Value i, ValueRange runs) {
      Value isBefore =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                memref::LoadOp::create(b, before, i), wanted);
      Value more = arith::AddIOp::create(b, runs[0], one);
      scf::YieldOp::create(
          b, arith::SelectOp::create(b, isBefore, more, runs[0]).getResult());
    };
    Value run = scf::ForOp::create(b, one, all, one, zero, count).getResult(0);
    Value first = memref::LoadOp::create(b, before, run);
    Value last = memref::LoadOp::create(
        b, before, ValueRange(arith::AddIOp::create(b, run, one)));
    Value samples = arith::SubIOp::create(b, last, first);
    Value taken =
        arith::AddIOp::create(b, arith::MulIOp::create(b, run, samples),
                              arith::SubIOp::create(b, wanted, first));
    return arith::DivUIOp::create(b, arith::MulIOp::create(b, taken, rows),
                                  arith::MulIOp::create(b, samples, all));
  };
  auto isAt = [&](Value end) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, end);
  };
  auto choose = [&](Value condition, Value value,
                    function_ref<Value()> otherwise) -> Value {
    return scf::IfOp::create(
               b, condition,
               [&](OpBuilder &, Location) { scf::YieldOp::create(b, value); },
               [&](OpBuilder &, Location) {
                 scf::YieldOp::create(b, otherwise());
               })
        .getResult(0);
  };
  return choose(isAt(zero), zero,
                [&] { return choose(isAt(parts), rows, estimate); });
}
