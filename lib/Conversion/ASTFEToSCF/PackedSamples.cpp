//===- PackedSamples.cpp - one element of the output a packed nonzero -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output is in packed order, as values are, or in that of the nonzeros
// (SampleTargets.h). Each nonzero is in one worker's spans, so that there is
// nothing to combine.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Core/Target/Constants.h"
#include "PackedLoops.h"
#include "SampleTargets.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Asks for the rows of dense operands that the row of a later segment names,
/// where rows come in any order: neighbours a processor follows by itself. A
/// segment waits for its own, which nothing else asks for.
static void fetchRowAhead(PackedKernel &kernel, const Span &span, Value g,
                          Value row) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  Value ahead = kernel.body.index(core::rules::kRunsAhead);
  Value last = arith::SubIOp::create(b, span.segmentsEnd, kernel.body.index(1));
  Value later = kernel.rowOf(
      arith::MinUIOp::create(b, arith::AddIOp::create(b, g, ahead), last));
  Value isApart = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, later,
                                        arith::AddIOp::create(b, row, ahead));
  auto fetch = scf::IfOp::create(b, isApart, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(fetch.thenYield());
  fetchSampledRow(kernel.body, later);
}

/// `areFar`, an i1: rows that segments name are asked for ahead; null: never.
static void emitSpan(PackedKernel &kernel, const Span &span, Value areFar) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  StoredColumns columns = columnsOfSpan(kernel, span);
  forEachSegment(kernel, span, span, [&](Value g, Value begin, Value end) {
    Value row = kernel.rowOf(g);
    if (areFar) {
      auto far = scf::IfOp::create(b, areFar, /*withElse=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(far.thenYield());
      fetchRowAhead(kernel, span, g, row);
    }
    emitSampledRow(kernel.body, {begin, end, row, columns}, kernel.shape);
  });
}

void host::emitPackedSamples(ComputeBody &body, Value handle, LaneShape shape) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard insertion(b);
  LayoutAttr layout = body.op.getPattern().getType().getLayout();
  openTargets(body, handle);
  PackedTables tables(b, handle, layout.getColumns());
  PackedKernel kernel{body, tables, shape, layout.getColumns(), {}, {}};
  body.isFar = denseRowsAreFar(
      body, {tables.columns, {}, {}}, kColumnDim, [&]() -> Value {
        return memref::DimOp::create(b, tables.columns, body.index(0));
      });
  // Dot products do not wait for each other: what the last cache has is there
  // in time.
  if (body.isFar)
    body.isFar = arith::AndIOp::create(
        b, body.isFar, denseRowsOutgrowCaches(body, kColumnDim));
  Value areFar = sampledRowsAreFar(body);
  Value one = body.index(1);
  Value workers = runtimeSize(b, "astfe_rt_pattern_workers", handle);
  auto emitWorker = [&](OpBuilder &, Location, ValueRange worker) {
    Value begin = loadIndex(b, tables.workerSpan, worker[0]);
    Value end = loadIndex(b, tables.workerSpan,
                          arith::AddIOp::create(b, worker[0], one));
    scf::ForOp::create(b, begin, end, one, ValueRange(),
                       [&](OpBuilder &, Location, Value s, ValueRange) {
                         emitSpan(kernel, Span(b, tables, s), areFar);
                         scf::YieldOp::create(b);
                       });
  };
  scf::ParallelOp::create(b, body.index(0), workers, one, emitWorker);
  tables.eraseUnread();
}
