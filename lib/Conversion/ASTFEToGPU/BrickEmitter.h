//===- BrickEmitter.h - the device code of kernels over bricks --*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKEMITTER_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKEMITTER_H

#include "BrickKernel.h"
#include "Kernels.h"

namespace astfe::gpukernel {

/// A team's slots of a segment that 2^log teams share: every 2^log-th, from
/// its own number on. All of them where `log` is null.
struct TeamShare {
  mlir::Value log, within; ///< i32, as all slots are

  /// So many slots of the team, from the first to what is behind them.
  mlir::Value times(Emitter &e, mlir::Value number) const;
  mlir::Value first(Emitter &e, mlir::Value begin) const;
  /// Slots of the team, of so many behind its first place.
  mlir::Value count(Emitter &e, mlir::Value slots) const;
};

class BrickEmitter {
public:
  BrickEmitter(mlir::OpBuilder &builder, mlir::Location loc,
               const BrickPlan &plan, Variant variant)
      : e(builder, loc, plan.kernel, variant), plan(plan) {}

  void bind(llvm::ArrayRef<BrickArgument> arguments, mlir::ValueRange values);
  void emit();
  /// What combines the sums of parts of rows, behind that.
  void emitCombine();

private:
  using Value = mlir::Value;
  using AffineMap = mlir::AffineMap;
  /// A coordinate for each dimension of the iteration space, of type index.
  using Coordinates = llvm::SmallVector<Value, 8>;

  Value next(Value at) { return e.add(at, e.index(1)); }
  Value table(int64_t number, Value at) {
    return e.toIndex(e.load(tables.lookup(number), at));
  }
  void beginKernel();
  /// Where the point's element of an operand is.
  Value placeOf(AffineMap map, const Coordinates &point);
  /// A loop over [from, to), of which this team takes its own.
  void eachRow(Value from, Value to, llvm::function_ref<void(Value)> run);
  void eachTile(llvm::function_ref<void()> run);
  void eachOwned(Coordinates point, unsigned result, Value first, Value end,
                 llvm::function_ref<void(Value)> run);
  void openRange(Value range);
  Value partialOf(Value range);
  void emitRange(Value range);
  void openBrick(Value number);
  void emitBrick(Value range, Value number);
  void shareSegments(Value number);
  void emitSegment(Coordinates point, Value begin, Value end);
  void eachDense(Coordinates &point, unsigned dim,
                 llvm::function_ref<void()> run);
  Coordinates localsOf(Value slot);
  Value offsetOf(AffineMap map, const Coordinates &locals);
  void moveInputs(Coordinates point);
  Values operandsAt(Value slot);
  Values noSums();
  Values addStep(const Values &slots, const Values &isThere, Values sums);
  /// Sums this team's share of the slots [begin, end), in their order.
  Values sumOf(Value begin, Value end);
  /// The places of the parts of an element.
  Values partsAt(Value place, unsigned parts);
  /// Elements of this lane: those of its columns, or parts of a number.
  unsigned width() const;
  Values load(Value buffer, Value place);
  void store(const Values &values, Value buffer, Value place);
  void add(Value buffer, Value place, const Values &values);
  /// What a slot's operands are summed up as.
  Values contribute(const Values &operands);
  void update(const Coordinates &point, const Values &values);
  void whereActive(llvm::function_ref<void()> run);

  Emitter e;
  const BrickPlan &plan;
  llvm::DenseMap<int64_t, Value> tables;
  Values inputs;
  Value output, bricks, ranges;
  Value sums; ///< what is added to: the output, or a buffer of its own
  Coordinates extents;
  /// Of this lane, with lanes over a dimension; null: all are active.
  Value column, active;

  /// Slots (i32) and coordinates of a brick count from its first ones.
  struct {
    Value base; ///< index: its first slot
    Coordinates origin;
    Values coordinates; ///< by mode, from its first slot on
  } brick;
  Values moved; ///< inputs, to that slot of the segment's row

  // Of what a warp's teams do at a time.
  Value group;     ///< i32: of the segments, this team's
  TeamShare share; ///< of its slots
  Value writes;    ///< i1: the team writes its sum; null: it does

  // Where rows are cut.
  Value range; ///< i32
  Value isCut; ///< i1: the range is a part of a row
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKEMITTER_H
