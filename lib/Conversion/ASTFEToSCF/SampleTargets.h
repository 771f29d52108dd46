//===- SampleTargets.h - where samples of packed nonzeros go --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel computes samples in slots. Where they are to be in the order of the
// nonzeros (Conversion/AtNonzeros.h), and slots are in another one, a table of
// the runtime says where each goes (Core/Pack/SlotNonzeros.h):
//
//   if in order       output[n .. n + 4] = samples
//   else, for each l  output[nonzero[n + l]] = samples[l]
//
// Kernels of samples have no class that fills slots up
// (Analysis/ComputePlan.h), so that each slot holds a nonzero.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_SAMPLETARGETS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_SAMPLETARGETS_H

#include "ComputeBody.h"

namespace astfe::host {

/// Sets the targets of a computation that asks for them, and goes on where the
/// runtime could make the table.
void openTargets(ComputeBody &body, mlir::Value handle);
/// Where the sample of slot `n` goes, an index; negative where the slot holds
/// no nonzero.
mlir::Value targetOf(ComputeBody &body, mlir::Value n);
/// Stores samples of the slots from `n` on, a scalar or lanes, at their
/// targets.
void storeAtTargets(ComputeBody &body, mlir::Value samples, mlir::Value n);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_SAMPLETARGETS_H
