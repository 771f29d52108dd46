//===- Scattered.cpp - nonzero after nonzero ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedLoops.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

void host::emitNonzero(PackedKernel &kernel, const StoredColumns &columns,
                       Value g, Value n, Value begins) {
  ComputeBody &body = kernel.body;
  RowRun run{n, n, kernel.rowOf(g), columns};
  LaneShape shape = kernel.shape;
  auto flush = [&](const ColumnTile &tile, ValueRange sums, Value begins) {
    kernel.flush(g, tile, sums, begins);
  };
  flushNoColumns(body, flush);
  auto emitTile = [&](ColumnTile tile) {
    fetchAhead(body, run, tile, n, 1);
    SmallVector<Value> sums =
        tileContributions(body, run, tile, n, columns.at(body.b, n));
    for (Value &sum : sums)
      sum = body.begun(0, sum);
    flushTile(body, tile, sums, begins, flush);
  };
  Value dense = denseColumns(body);
  // A copy of the code for each number of vectors is not worth it here.
  if (dense && !matchPattern(dense, m_Constant()))
    shape.maxVectors = 1;
  if (dense)
    forEachTileOfStrip(body, shape, emitTile);
  else
    emitTile(ColumnTile());
}

static SegmentStart emitSpan(PackedKernel &kernel, const Span &span) {
  StoredColumns columns = columnsOfSpan(kernel, span);
  forEachSegment(kernel, span, span, [&](Value g, Value n, Value) {
    emitNonzero(kernel, columns, g, n);
  });
  return span.end();
}

const ClassEmitter host::kScatteredEmitter{emitSpan};
