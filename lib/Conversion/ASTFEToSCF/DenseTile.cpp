//===- DenseTile.cpp - rows with the same consecutive columns -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedLoops.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

static SegmentStart emitSpan(PackedKernel &kernel, const Span &span) {
  emitTile(kernel, span, /*implicit=*/true);
  return span.end();
}

const ClassEmitter host::kDenseTileEmitter{emitSpan};
