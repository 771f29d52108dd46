//===- SlotSweep.h - computations in one pass over a row --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computations of a chain without dense dimensions work nonzero by nonzero:
// elementwise ones, and sums or maxima of a row. Several in a row are one pass,
// in vectors of nonzeros, as long as none reads what another one has reduced.
// Softmax takes three:
//
//   max (s)  |  e = exp(s - max), sum (e)  |  p = e / sum
//
// What is handed on inside of a pass stays in registers. What later ones read
// is in a worker's scratch, which has room for a vector behind the longest row:
// the last vector of a row is computed whole, and only what comes from outside
// or goes there is masked.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_SLOTSWEEP_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_SLOTSWEEP_H

#include "RowEmitters.h"

namespace astfe::host {

/// What a pass asks about the operands of its computations at one row.
struct SweepOperands {
  /// The buffer of a value of the chain; for what is held by key a scalar.
  llvm::function_ref<mlir::Value(mlir::Value)> bufferOf;
  /// A value of the chain is a worker's scratch, with room behind the row.
  llvm::function_ref<bool(mlir::Value)> isScratch;
  /// A later computation, which is not of the pass, reads the value.
  llvm::function_ref<bool(mlir::Value)> isReadLater;
  /// Takes what the row has made of a value that is held by key.
  llvm::function_ref<void(mlir::Value, mlir::Value)> setKey;
};

/// The computations of a pass, with their buffers from the row's first nonzero
/// on.
using SweepMembers = llvm::ArrayRef<std::unique_ptr<ComputeBody>>;

/// The computation works nonzero by nonzero.
bool isSwept(ComputeOp op, const ComputePlan &plan);

/// Runs the members over the nonzeros of a row.
void emitSweep(SweepMembers members, const RowRun &run, int64_t lanes,
               const SweepOperands &operands);

/// Lanes of a pass: those of the widest element that a chain has.
int64_t sweepLanes(FusedOp op, int64_t vectorBytes);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_SLOTSWEEP_H
