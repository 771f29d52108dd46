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

class BrickEmitter {
public:
  BrickEmitter(mlir::OpBuilder &builder, mlir::Location loc,
               const BrickPlan &plan)
      : e(builder, loc, plan.kernel, Variant()), plan(plan) {}

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
  /// A loop over [from, to), of which this lane takes its share of 32 where
  /// lanes have rows of their own.
  void eachRow(Value from, Value to, llvm::function_ref<void(Value)> run);
  void eachTile(llvm::function_ref<void()> run);
  void eachOwned(Coordinates point, unsigned result, Value first, Value end,
                 llvm::function_ref<void(Value)> run);
  void openRange(Value range);
  void emitRange(Value range);
  void emitBrick(Value range, Value brick);
  void emitSharedRow(Coordinates point, const Coordinates &origin, Value begin,
                     Value end);
  void emitSegment(Coordinates point, const Coordinates &origin, Value begin,
                   Value end);
  void eachDense(Coordinates &point, unsigned dim,
                 llvm::function_ref<void()> run);
  Coordinates localsOf(Value slot);
  Value offsetOf(AffineMap map, const Coordinates &locals);
  Values operandsAt(Coordinates point, const Coordinates &origin, Value slot);
  Values noSums();
  Values addStep(const Coordinates &point, const Coordinates &origin,
                 const Values &slots, const Values &isThere, Values sums);
  /// Sums the slots from begin on before `end`, in their order.
  Values sumOf(const Coordinates &point, const Coordinates &origin, Value begin,
               Value end);
  /// The slots begin, begin + stride, ... by steps of one form.
  Values sumOfEach(const Coordinates &point, const Coordinates &origin,
                   Value begin, Value end, int64_t stride);
  Value overWarp(Value sum);
  /// The places of the parts of an element.
  Values partsAt(Value place, unsigned parts);
  /// What a slot's operands are summed up as, by parts.
  Values contribute(const Values &operands);
  void add(Value buffer, Value place, Value value);
  void update(const Coordinates &point, const Values &values);
  void whereActive(llvm::function_ref<void()> run);
  void whereLeading(llvm::function_ref<void()> run);

  Emitter e;
  const BrickPlan &plan;
  llvm::DenseMap<int64_t, Value> tables;
  Values inputs;
  Value output, bricks, ranges;
  Value sums; ///< what is added to: the output, or a buffer of its own
  Coordinates extents;
  Value column, active; ///< of this lane, with lanes over a dimension

  // Where rows are cut.
  Value isCut;   ///< i1: the range is a part of a row
  Value partial; ///< index: this lane's element of its sums
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_BRICKEMITTER_H
