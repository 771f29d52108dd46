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

/// All dense points of one nonzero, whose n, row and column are in `point`.
void emitNonzeroPoints(ComputeBody &body, llvm::ArrayRef<mlir::Value> point);

/// The combiner's identity in every element of every output.
void clearOutputs(ComputeBody &body);

/// A serial loop over the nonzeros of a view.
void emitViewScalars(ComputeBody &body, const ViewStorage &view);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_SCALARLOOP_H
