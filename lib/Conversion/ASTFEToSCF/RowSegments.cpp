//===- RowSegments.cpp - row after row ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One accumulator a column, one flush a row.
//
//===----------------------------------------------------------------------===//

#include "PackedLoops.h"
#include "StreamedRows.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

void host::emitSegmentRow(PackedKernel &kernel, const StoredColumns &columns,
                          Value g, Value begin, Value end) {
  RowRun run{begin, end, kernel.rowOf(g), columns};
  if (outputColumns(kernel.body) && kernel.shape.maxVectors >= kFetchedVectors)
    run.fetched = kernel.fetchedRow(g);
  emitRow(kernel.body, run, kernel.shape,
          [&](const ColumnTile &tile, ValueRange sums, Value begins) {
            kernel.flush(g, tile, sums, begins,
                         streamedPiece(kernel.body, run, begins));
          });
}

StoredColumns host::columnsOfSpan(PackedKernel &kernel, const Span &span) {
  StoredColumns columns = span.stored(kernel.tables, kernel.columnBits);
  if (kernel.body.isFar)
    columns.last = arith::SubIOp::create(kernel.body.b, span.slotsEnd,
                                         kernel.body.index(1));
  return columns;
}

void host::emitRows(PackedKernel &kernel, const Span &span,
                    const SegmentStart &from) {
  StoredColumns columns = columnsOfSpan(kernel, span);
  forEachSegment(kernel, span, from, [&](Value g, Value begin, Value end) {
    emitSegmentRow(kernel, columns, g, begin, end);
  });
}

/// Where other classes leave rows, one copy of the code runs these and those.
static SegmentStart emitSpan(PackedKernel &kernel, const Span &span) {
  if (kernel.sharesRows)
    return span;
  emitRows(kernel, span, span);
  return span.end();
}

const ClassEmitter host::kRowSegmentsEmitter{emitSpan};
