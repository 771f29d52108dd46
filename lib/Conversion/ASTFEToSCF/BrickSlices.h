//===- BrickSlices.h - bricks that are arranged piece by piece ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product over bricks goes in slices (Core/Bricks/BrickSlices.h), of which
// there is one, the bricks themselves, where the key's copy is there. The
// runtime makes a slice, and the values in its order; both are gone at its end.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKSLICES_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKSLICES_H

#include "ComputeBody.h"

namespace astfe::host {

struct BrickSlice {
  mlir::Value handle; ///< of the slice's bricks
  mlir::Value number, count;
  mlir::ImplicitLocOpBuilder &b;

  mlir::Value isFirst() const; ///< i1
  mlir::Value isLast() const;  ///< i1
};

/// i64: bytes of the values of a slot, of all inputs.
mlir::Value valueBytesOfSlot(ComputeBody &body);

/// Emits `emit` in a loop over so many slices (i64), where the body's inputs
/// that have an element for each slot are those of the slice.
void forEachSlice(ComputeBody &body, mlir::Value handle, mlir::Value slices,
                  unsigned key,
                  llvm::function_ref<void(const BrickSlice &)> emit);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKSLICES_H
