//===- PackedScalars.cpp - any computation over a packed pattern ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel.h"
#include "PackedLoops.h"
#include "ScalarLoop.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The column of slot `n`: implicit in dense tiles.
static Value columnOf(PackedKernel &kernel, const Span &span, Value begin,
                      Value n) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Columns stored = span.stored(kernel.tables, kernel.columnBits);
  Columns implicit{{}, span.column, begin};
  Value isTile = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq, span.kind,
      kernel.body.index(int64_t(core::SegmentClass::DenseTile)));
  return arith::SelectOp::create(b, isTile, implicit.at(b, n), stored.at(b, n));
}

static void emitSegment(PackedKernel &kernel, const Span &span, Value g,
                        Value begin, Value end) {
  ComputeBody &body = kernel.body;
  ImplicitLocOpBuilder &b = body.b;
  SmallVector<Value> point(body.dims());
  point[kRowDim] = kernel.rowOf(g);
  auto emitSlot = [&](OpBuilder &, Location, Value n, ValueRange) {
    point[kNonzeroDim] = n;
    point[kColumnDim] = columnOf(kernel, span, begin, n);
    emitNonzeroPoints(body, point);
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, begin, end, body.index(1), ValueRange(), emitSlot);
}

void host::emitPackedScalars(ComputeBody &body, Value handle) {
  ImplicitLocOpBuilder &b = body.b;
  LayoutAttr layout = body.op.getPattern().getType().getLayout();
  PackedTables tables(b, handle, layout.getColumns());
  PackedKernel kernel{body, tables, LaneShape(), layout.getColumns(), {}};
  Value spans = memref::DimOp::create(b, tables.spanClass, body.index(0));
  auto emitSpan = [&](OpBuilder &, Location, Value s, ValueRange) {
    Span span(b, tables, s);
    forEachSegment(kernel, span, [&](Value g, Value begin, Value end) {
      emitSegment(kernel, span, g, begin, end);
    });
    scf::YieldOp::create(b);
  };
  scf::ForOp::create(b, body.index(0), spans, body.index(1), ValueRange(),
                     emitSpan);
}
