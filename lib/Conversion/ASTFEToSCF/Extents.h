//===- Extents.h - do the operands of a computation fit together ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that are known differ only in IR that the verifier refuses. Those known
// at run time are compared there, before the first element is touched.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_EXTENTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_EXTENTS_H

#include "RowEmitters.h"

namespace astfe::host {

/// Sizes of the pattern: stored entries, and the extent of each mode.
struct PatternExtents {
  mlir::Value entries;
  mlir::SmallVector<mlir::Value> modes;
};

/// i1: every operand dimension that an iteration dimension runs over has the
/// length of that dimension, and vectors of values hold every entry.
mlir::Value extentsFit(ComputeBody &body, const PatternExtents &pattern);

/// An scf.if around what follows; its other branch reports to the runtime that
/// the extents differ. The builder is left inside.
mlir::scf::IfOp openIfFits(ComputeBody &body, mlir::Value fits);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_EXTENTS_H
