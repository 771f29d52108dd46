//===- BrickTables.h - the tables of bricks as loops read them ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local coordinates have 16 or 32 bits, which is known when the program runs:
// there is code for each. They may be loaded a few entries behind the last.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKTABLES_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKTABLES_H

#include "ComputeBody.h"

namespace astfe::host {

/// Borrowed from the runtime, for one key (Runtime/ABI.h).
struct BrickTables {
  mlir::Value ranges, bricks; ///< their numbers
  mlir::Value fiberMode;      ///< -1 without fibers
  mlir::Value brickSlot, origin, rangeRow, rangeSegment, rangeSlot, rangeFiber,
      brickFiber, segmentLast, segmentFiber, fiberLast;
  /// By mode: of the key by segment, of the fibers' mode by fiber, of others by
  /// slot.
  mlir::SmallVector<mlir::Value> coordinates;
  /// Those by slot, whatever fibers there are; as above where nobody walks
  /// slots then.
  mlir::SmallVector<mlir::Value> slotCoordinates;

  /// Of a handle; each worker has a range.
  BrickTables(mlir::ImplicitLocOpBuilder &b, mlir::Value handle, unsigned rank,
              unsigned key, bool bySlot);

  /// Emits `emit(bits)` once for coordinates of 16 and once for those of 32
  /// bits.
  void forEachWidth(mlir::ImplicitLocOpBuilder &b,
                    llvm::function_ref<void(unsigned)> emit);

private:
  mlir::Value table(mlir::ImplicitLocOpBuilder &b, int64_t which,
                    unsigned bits) const;

  const unsigned rank;
  const bool bySlot;
  const mlir::Value handle;
  mlir::Value key, rangeCount, bits;
};

/// i1: each row of the key comes once, and they ascend.
mlir::Value doBrickRowsAscend(mlir::ImplicitLocOpBuilder &b, mlir::Value handle,
                              unsigned key);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKTABLES_H
