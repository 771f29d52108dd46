//===- PackedScalars.cpp - any computation over a packed pattern ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "PackedLoops.h"
#include "SampleTargets.h"
#include "ScalarLoop.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The column of slot `n`: implicit in dense tiles.
static Value columnOf(PackedKernel &kernel, const Span &span, Value begin,
                      Value n) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  StoredColumns stored = span.stored(kernel.tables, kernel.columnBits);
  StoredColumns implicit{{}, span.column, begin};
  Value isTile = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, span.kind,
      kernel.body.index(int64_t(core::SegmentClass::DenseTile)));
  return arith::SelectOp::create(b, isTile, implicit.at(b, n), stored.at(b, n));
}

/// Slot `n` of segment `g`, whose first slot is `begin`.
static void emitSlot(PackedKernel &kernel, const Span &span, Value g,
                     Value begin, Value n) {
  SmallVector<Value> point(kernel.body.dims());
  point[kRowDim] = kernel.rowOf(g);
  point[kNonzeroDim] = n;
  point[kColumnDim] = columnOf(kernel, span, begin, n);
  emitNonzeroPoints(kernel.body, point,
                    kernel.body.targets ? targetOf(kernel.body, n) : Value());
}

static void emitSpan(PackedKernel &kernel, const Span &span) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  forEachSegment(kernel, span, span, [&](Value g, Value begin, Value end) {
    scf::ForOp::create(b, begin, end, kernel.body.index(1), ValueRange(),
                       [&](OpBuilder &, Location, Value n, ValueRange) {
                         emitSlot(kernel, span, g, begin, n);
                         scf::YieldOp::create(b);
                       });
  });
}

/// A span that may hold slices.
static void emitSpanOrSlices(PackedKernel &kernel, const Span &span) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Value sliced = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, span.kind,
      kernel.body.index(int64_t(core::SegmentClass::RowSlices)));
  scf::IfOp::create(
      b, sliced,
      [&](OpBuilder &, Location) {
        forEachSliceSlot(kernel, span, [&](Value g, Value n, Value) {
          emitSlot(kernel, span, g, n, n);
        });
        scf::YieldOp::create(b);
      },
      [&](OpBuilder &, Location) {
        emitSpan(kernel, span);
        scf::YieldOp::create(b);
      });
}

void host::emitPackedScalars(ComputeBody &body, Value handle) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard insertion(b);
  LayoutAttr layout = body.op.getPattern().getType().getLayout();
  openTargets(body, handle);
  PackedTables tables(b, handle, layout.getColumns());
  PackedKernel kernel{body, tables, LaneShape(), layout.getColumns(), {}, {}};
  Value spans = memref::DimOp::create(b, tables.spanClass, body.index(0));
  core::ClassSet classes = compiledClasses(body.op);
  auto emit = classes.contains(core::SegmentClass::RowSlices) ? emitSpanOrSlices
                                                              : emitSpan;
  auto emitOne = [&](OpBuilder &, Location, Value s, ValueRange) {
    emit(kernel, Span(b, tables, s));
    scf::YieldOp::create(b);
  };
  emitBetween(body, handle, [&] {
    scf::ForOp::create(b, body.index(0), spans, body.index(1), ValueRange(),
                       emitOne);
  });
}
