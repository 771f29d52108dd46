//===- ScalarLoop.h - any computation, one point at a time ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_SCALARLOOP_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_SCALARLOOP_H

#include "ViewLoops.h"

namespace astfe::host {

/// All dense points of one nonzero, whose n, row and column are in `point`. An
/// output by nonzeros is written at `target`; null: at n.
void emitNonzeroPoints(ComputeBody &body, llvm::ArrayRef<mlir::Value> point,
                       mlir::Value target = {});

/// The combiner's identity in every element of an output.
void clearOutput(ComputeBody &body, unsigned output);

/// Emits `emit`, which adds to the outputs, between what they begin and end
/// with: where they are overwritten, the combiner's identity, and sums of
/// halves in f32, which a pattern lends (a view, whose handle is null, has them
/// allocated), rounded once.
void emitBetween(ComputeBody &body, mlir::Value handle,
                 llvm::function_ref<void()> emit);

/// A serial loop over the nonzeros of a view.
void emitViewScalars(ComputeBody &body, const ViewStorage &view);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_SCALARLOOP_H
