//===- BrickPoints.h - what is known where in bricks ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In loops over bricks the coordinates of a point become known one after the
// other: the key's at the segment, the fibers' mode's at the fiber, all others
// at the slot. An operand whose map asks for no more than the first of these is
// loaded there, and an output is flushed there. Coordinates are local to the
// brick, so operands are shifted to its origin.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKPOINTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKPOINTS_H

#include "BrickLoops.h"
#include "BrickTables.h"

namespace astfe::host {

/// A coordinate for each dimension; null where it is not known yet.
using BrickPoint = mlir::SmallVector<mlir::Value, 8>;

/// Where an output's coordinates are known.
enum class FlushAt { Segment, Fiber, Slot };

class BrickPoints {
public:
  BrickPoints(ComputeBody &body, const BrickTables &tables,
              const BrickShape &shape, std::optional<unsigned> fiberMode);

  bool usesMode(mlir::AffineMap map, unsigned mode) const {
    return map.isFunctionOfDim(1 + mode);
  }
  /// Whether a mode indexes it that is neither the key nor the fibers'.
  bool variesBySlot(mlir::AffineMap map) const;
  /// Whether a fiber's slots have one element of it.
  bool isKnownAtFiber(mlir::AffineMap map) const;

  /// From here on operands are read and written by coordinates local to the
  /// brick.
  void shiftOperands(mlir::Value brick);
  /// The coordinate of a segment of the key, or of a fiber; nothing where no
  /// operand is indexed by the mode.
  void setMode(BrickPoint &point, unsigned mode, mlir::Value at) const;
  /// All coordinates that only a slot says.
  void setSlot(BrickPoint &point, mlir::Value slot) const;

  const unsigned rank;
  const unsigned key;
  const std::optional<unsigned> fiberMode;
  const FlushAt flush;

private:
  FlushAt findFlush(mlir::AffineMap output) const;
  mlir::Value shifted(mlir::Value buffer, mlir::AffineMap map,
                      mlir::ArrayRef<mlir::Value> origin);

  ComputeBody &body;
  const BrickTables &tables;
  /// Modes that operands are indexed by.
  mlir::SmallVector<bool> isUsed;
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKPOINTS_H
