//===- RowTiles.cpp - rows with the same columns, anywhere --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedLoops.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Rows that fill no block are left, where there is code for rows anyway.
static SegmentStart emitSpan(PackedKernel &kernel, const Span &span) {
  if (kernel.sharesRows)
    return emitTileBlocks(kernel, span);
  emitTile(kernel, span, /*implicit=*/false);
  return span.end();
}

const ClassEmitter host::kRowTilesEmitter{emitSpan, /*leavesRows=*/true};
