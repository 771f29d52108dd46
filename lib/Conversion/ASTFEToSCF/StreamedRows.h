//===- StreamedRows.h - rows of the output past the caches ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store first takes its line into the cache, although the line is written
// whole. Where a product's operands and output outgrow the last cache, the line
// comes from memory, and drives out rows of the dense operand. Stores past the
// caches (x86: movnt) write whole lines and read nothing (U. Drepper: What
// every programmer should know about memory, 2007, section 6.1). The last cache
// is shared with whatever else runs, and a process counts on half of it
// (docs/Log.md has the ablation). Such stores are for C = A B only, for rows
// that are written once, and where rows of the dense operand are near: where
// they are fetched ahead, reads are most of the traffic and take the buffers
// that such stores need too. Rows that no nonzero writes go past the caches
// wherever the operands are, and so do outputs that are cleared and added to
// afterwards, if they alone are larger than the last cache.
//
// Example: 200,000 rows of 128 columns of f32 are 102 MB; written past the
// caches they cost 102 MB of traffic, otherwise 204.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_STREAMEDROWS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_STREAMEDROWS_H

#include "RowEmitters.h"

namespace astfe::host {

/// For a row computation that overwrites its output; asked before its loops,
/// when body.isFar is known.
StreamedRows streamedRows(ComputeBody &body);

/// What becomes of elements that are cleared.
enum class RunUse {
  Gap, ///< nothing writes them in this product, unless gaps are joined
  Sums ///< nonzeros are added to them, or to rows in between
};

/// For elements that are cleared side by side, of which any may begin a line;
/// null where types say that all operands fit the caches.
StreamedRows streamedRun(ComputeBody &body, mlir::Value flat, RunUse use);

/// i1: sums of this run of nonzeros go past the caches: its row is written
/// once, since there is one piece of it (forEachPiece; `begins` as it says).
/// Null where rows never do.
mlir::Value streamedPiece(ComputeBody &body, const RowRun &run,
                          mlir::Value begins);

/// Behind a worker's last row: makes its stores visible before it says that it
/// is done, since stores past the caches are ordered by locked instructions
/// only. llvm.fence would do, but upstream takes it for an op that may allocate
/// on the stack, and refuses the loops around it.
void drain(ComputeBody &body, const StreamedRows &streamed);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_STREAMEDROWS_H
