//===- BrickOperands.h - values at points of bricks -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops over bricks do at a point: load inputs, make contributions of
// them, combine these into the output, and ask for rows that come some entries
// later. Everything is done for all vectors of a tile of the last dense
// dimension, or once on scalars without lanes.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKOPERANDS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKOPERANDS_H

#include "ASTFE/Core/Target/Constants.h"
#include "BrickPoints.h"
#include "RowEmitters.h"

namespace astfe::host {

/// Entries ahead whose rows of the operands are fetched: slots, and segments or
/// fibers, which have some slots each. Behind the brick's last one they name
/// rows that are fetched in vain.
using core::rules::kSlotsAhead, core::rules::kRunsAhead;

/// Inputs as they are loaded, for each vector of a tile.
using BrickArguments = mlir::SmallVector<mlir::SmallVector<mlir::Value>>;

class BrickOperands {
public:
  /// Rows are asked for ahead where they are `far`.
  BrickOperands(ComputeBody &body, const BrickPoints &points,
                const BrickShape &shape, bool far);

  /// The combiner's identity in each vector of the tile.
  mlir::SmallVector<mlir::Value> identities(const ColumnTile &tile);
  BrickArguments noArguments(const ColumnTile &tile) const;
  /// Loads the inputs that are wanted and not there; those without lanes once.
  void load(BrickArguments &arguments, BrickPoint point, const ColumnTile &tile,
            mlir::function_ref<bool(mlir::AffineMap)> wanted);

  /// Fibers' inputs are multiplied in after the sum over their slots.
  bool isFactored() const { return factored; }
  /// The body for each vector; where it is factored, what slots contribute.
  mlir::SmallVector<mlir::Value> contributions(const BrickArguments &arguments,
                                               const ColumnTile &tile);
  /// A fiber's sums times its own inputs.
  void multiplyByFiber(mlir::MutableArrayRef<mlir::Value> sums,
                       const BrickArguments &arguments, const ColumnTile &tile);

  mlir::SmallVector<mlir::Value> combineAll(mlir::ValueRange sums,
                                            mlir::ValueRange values);
  /// The output at the point (combiner)= sums: all are combined before any is
  /// stored, as vectors may overlap.
  void update(BrickPoint point, const ColumnTile &tile, mlir::ValueRange sums);
  /// The output at the point = sums.
  void store(BrickPoint point, const ColumnTile &tile, mlir::ValueRange sums);

  /// Asks for rows of the inputs that slots name, which lie anywhere.
  void fetchSlots(BrickPoint point, mlir::Value slot, const ColumnTile &tile);
  /// Asks for rows of the inputs that fibers name.
  void fetchFibers(BrickPoint point, mlir::Value fiber, const ColumnTile &tile);
  /// Asks for a row of the output.
  void fetchOutput(const BrickPoint &point, const ColumnTile &tile);

private:
  mlir::Value product(mlir::ArrayRef<mlir::Value> arguments, int64_t lanes,
                      mlir::function_ref<bool(unsigned)> isFactor);
  void write(BrickPoint point, const ColumnTile &tile, mlir::ValueRange sums,
             bool combines);
  void prefetch(mlir::Value buffer, mlir::AffineMap map, BrickPoint point,
                const ColumnTile &tile, bool isWrite);
  void prefetchInputs(const BrickPoint &point, const ColumnTile &tile,
                      mlir::function_ref<bool(mlir::AffineMap)> isFetched);
  bool hasLanes(mlir::AffineMap map) const {
    return shape.laneDim && map.isFunctionOfDim(*shape.laneDim);
  }
  /// Rows, or elements, of the input lie anywhere.
  bool liesAnywhere(mlir::AffineMap map) const;

  ComputeBody &body;
  mlir::ImplicitLocOpBuilder &b;
  const BrickPoints &points;
  const BrickShape &shape;
  const bool far;
  bool factored;
};

/// i1: the operands with lanes are more than the second cache holds; without
/// lanes, the inputs whose elements lie anywhere; null where there are none.
/// Where they are not, to ask for rows takes longer than it saves.
mlir::Value areBrickRowsFar(ComputeBody &body, const BrickShape &shape);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_BRICKOPERANDS_H
