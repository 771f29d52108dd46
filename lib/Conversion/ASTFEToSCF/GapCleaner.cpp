//===- GapCleaner.cpp - rows of the output without nonzeros ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GapCleaner.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

GapCleaner::GapCleaner(PackedKernel &kernel)
    : kernel(kernel), body(kernel.body), b(body.b) {
  if (denseColumns(body))
    runs.emplace(body, kernel.shape.lanes);
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

/// i32: of those that the span's worker writes alone; -1 where there are none.
/// The others are written when all workers are done.
Value GapCleaner::lastRow(const Span &span) {
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  return scf::ForOp::create(
             b, span.segment, span.segmentsEnd, body.index(1), none,
             [&](OpBuilder &, Location, Value g, ValueRange last) {
               Value row =
                   memref::LoadOp::create(b, kernel.tables.segmentRow, g);
               Value most = arith::MaxSIOp::create(b, last.front(), row);
               scf::YieldOp::create(b, most);
             })
      .getResult(0);
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
