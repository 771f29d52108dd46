//===- GapCleaner.cpp - rows of the output without nonzeros ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GapCleaner.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

GapCleaner::GapCleaner(PackedKernel &kernel)
    : kernel(kernel), body(kernel.body), b(body.b) {
  if (outputColumns(body))
    runs.emplace(body, kernel.shape.lanes, RunUse::Gap);
  else
    flat = sideBySide(body);
}

/// Most gaps are one element, which has no mask, or a vector or less, of which
/// the last is masked: there is no loop over elements. Where masks are branches
/// there is.
void GapCleaner::clearElements(Value begin, Value end) {
  const int64_t lanes = kernel.shape.lanes;
  if (!body.wideMasks)
    return forEachVector(body, begin, end, lanes, [&](Value at, int64_t count) {
      body.store(body.identity(0, count == 1 ? 0 : count), flat, at, {});
    });
  body.store(body.identity(0, 0), flat, begin, {});
  Value second = arith::AddIOp::create(b, begin, body.index(1));
  forEachStep(body, second, end, lanes,
              [&](Value row) { clearUnderMask(body, flat, row, end, lanes); });
}

void GapCleaner::clear(Value gap) {
  Value from = loadIndex(b, kernel.tables.gapBegin, gap);
  Value to = loadIndex(b, kernel.tables.gapEnd, gap);
  if (runs && *runs)
    return runs->clear(from, to);
  if (flat && kernel.shape.lanes > 1)
    return clearElements(from, to);
  forEachStep(body, from, to, 1, [&](Value row) {
    clearRow(body, body.outputs.front(), row, kernel.shape);
  });
}

Value GapCleaner::begin(Value worker) {
  end = loadIndex(b, kernel.tables.workerGap,
                  arith::AddIOp::create(b, worker, body.index(1)));
  return loadIndex(b, kernel.tables.workerGap, worker);
}

/// The greatest of values [begin, end) of a table of i32 and of `most`: of
/// `lanes` at once, from values that each lane has, or of single ones.
static Value greatest(ComputeBody &body, Value table, Value begin, Value end,
                      int64_t lanes, Value most) {
  ImplicitLocOpBuilder &b = body.b;
  auto step = [&](OpBuilder &, Location, Value at, ValueRange last) {
    Value next = lanes > 1 ? vector::LoadOp::create(
                                 b, cast<VectorType>(most.getType()), table, at)
                                 .getResult()
                           : memref::LoadOp::create(b, table, at).getResult();
    Value more = arith::MaxSIOp::create(b, last.front(), next);
    scf::YieldOp::create(b, more);
  };
  return scf::ForOp::create(b, begin, end, body.index(lanes), most, step)
      .getResult(0);
}

/// i32: of those that the span's worker writes alone; -1 where there are none.
/// The others are written when all workers are done. Each span is asked in each
/// product, so that its rows are looked at in vectors.
Value GapCleaner::lastRow(const Span &span) {
  Value table = kernel.tables.segmentRow, begin = span.segment;
  const int64_t lanes = kernel.shape.lanes;
  Value most = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  if (lanes > 1) {
    Value middle = endOfWholes(body, begin, span.segmentsEnd, lanes);
    auto type = VectorType::get({lanes}, b.getI32Type());
    Value each = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, b.getI32IntegerAttr(-1).getValue()));
    Value all = greatest(body, table, begin, middle, lanes, each);
    most = vector::ReductionOp::create(b, vector::CombiningKind::MAXSI, all);
    begin = middle;
  }
  return greatest(body, table, begin, span.segmentsEnd, 1, most);
}

Value GapCleaner::clearUpTo(Value row, Value next) {
  Type index = b.getIndexType();
  auto isDue = [&](Value gap) {
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, gap, end);
    auto due = scf::IfOp::create(
        b, isThere,
        [&](OpBuilder &, Location) {
          Value from = memref::LoadOp::create(b, kernel.tables.gapBegin, gap);
          Value is =
              arith::CmpIOp::create(b, arith::CmpIPredicate::sle, from, row);
          scf::YieldOp::create(b, is);
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, isThere); });
    return due.getResult(0);
  };
  auto loop = scf::WhileOp::create(
      b, TypeRange(index), ValueRange(next),
      [&](OpBuilder &, Location, ValueRange gap) {
        scf::ConditionOp::create(b, isDue(gap.front()), gap);
      },
      [&](OpBuilder &, Location, ValueRange gap) {
        clear(gap.front());
        Value later = arith::AddIOp::create(b, gap.front(), body.index(1));
        scf::YieldOp::create(b, later);
      });
  return loop.getResult(0);
}

Value GapCleaner::clearBefore(const Span &span, Value next) {
  Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, next, end);
  auto cleared = scf::IfOp::create(
      b, some,
      [&](OpBuilder &, Location) {
        Value row = lastRow(span);
        scf::YieldOp::create(b, clearUpTo(row, next));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, next); });
  return cleared.getResult(0);
}

void GapCleaner::clearFrom(Value next) {
  forEachStep(body, next, end, 1, [&](Value gap) { clear(gap); });
  if (runs)
    runs->finish();
}
