//===- DenseTile.cpp - DenseTile -> FmaTile -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All rows of a tile have the same `width` consecutive columns. Four rows at a
// time share what is loaded of the dense operands: four accumulators a lane,
// one dense load per column and four values that all lanes read from one
// address.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;

namespace astfe::gpukernel {

/// Rows that share a load.
static constexpr int64_t kRows = 4;

static void emitRows(Emitter &e, const Segments &segments, Value segment,
                     Value width, int64_t rows) {
  SmallVector<Value> firsts, marks, rowIds;
  for (int64_t r = 0; r < rows; ++r) {
    Value at = r ? e.add(segment, e.i32(r)) : segment;
    firsts.push_back(segments.bounds(at).first);
    marks.push_back(segments.mark(at));
    rowIds.push_back(segments.row(at));
  }
  Values identity = e.identities(), inits;
  for (int64_t r = 0; r < rows; ++r)
    llvm::append_range(inits, identity);
  unsigned n = e.vector();
  Values sums =
      e.loop(e.i32(0), width, e.i32(1), inits, [&](Value t, Values sums) {
        Values next;
        for (int64_t r = 0; r < rows; ++r) {
          Value slot = e.add(firsts[r], e.toIndex(t));
          Point point =
              e.load(slot, segments.column(slot, firsts[r]), rowIds[r]);
          Values own(sums.begin() + r * n, sums.begin() + (r + 1) * n);
          llvm::append_range(next, e.accumulate(point, own));
        }
        return next;
      });
  for (int64_t r = 0; r < rows; ++r)
    e.flush(marks[r], Values(sums.begin() + r * n, sums.begin() + (r + 1) * n));
}

void Emitter::emitDenseTile(const Segments &segments, Value width) {
  Value whole =
      add(segments.first, bitAnd(sub(segments.last, segments.first), -kRows));
  loop(segments.first, whole, i32(kRows), [&](Value segment) {
    emitRows(*this, segments, segment, width, kRows);
  });
  loop(whole, segments.last, i32(1),
       [&](Value segment) { emitRows(*this, segments, segment, width, 1); });
}

} // namespace astfe::gpukernel
