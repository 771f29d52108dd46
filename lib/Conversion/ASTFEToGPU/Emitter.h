//===- Emitter.h - device code shared by the emitters ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel runs one worker on one warp. A lane owns `vector` consecutive
// columns of a tile of 32 * vector, or, for one column, some of the nonzeros.
// Loads of columns and values are coalesced: lane l takes nonzero k + l, and
// all lanes then walk the 32 nonzeros together, each broadcast by a shuffle.
// What travels is not the column but the offset of its row of the dense
// operand, in vectors: one multiplication per 32 nonzeros, one shuffle and one
// wide multiply-add per nonzero and lane.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_EMITTER_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_EMITTER_H

#include "Arguments.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace astfe::gpukernel {

using Values = llvm::SmallVector<mlir::Value>;

/// Lanes of a warp; warps of a block; the whole block.
constexpr int64_t kLanes = 32;
constexpr int64_t kBlockWarps = 4;
constexpr int64_t kBlockThreads = kLanes * kBlockWarps;

/// One nonzero as a lane sees it.
struct Point {
  mlir::Value row;    ///< index
  mlir::Value offset; ///< i32 in vectors, or the i32 column if wide
  Values scalars;     ///< per input; null unless Operand::perNonzero
};

/// A run of segments with one row each. `mark` says where the sum goes: the
/// row, or negative for a shared one (~row, or ~partial of a deterministic
/// layout).
struct Segments {
  mlir::Value first, last; ///< i32 ordinals, [first, last)
  /// First slot (index) and length (i32) of a segment.
  std::function<std::pair<mlir::Value, mlir::Value>(mlir::Value)> bounds;
  std::function<mlir::Value(mlir::Value)> mark; ///< i32
  std::function<mlir::Value(mlir::Value)> row;  ///< index
  mlir::Value base;  ///< index: first slot of the run
  mlir::Value slots; ///< i32: slots of the run
  /// The i32 column of a slot (index) of a segment that begins at the other.
  std::function<mlir::Value(mlir::Value, mlir::Value)> column;
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, const KernelPlan &plan,
          Variant variant)
      : b(loc, builder), plan(plan), variant(variant) {}

  mlir::ImplicitLocOpBuilder b;
  const KernelPlan &plan;
  Variant variant;

  mlir::Value lane;        ///< i32
  mlir::Value columnCount; ///< i32; null for one column
  mlir::Value column;      ///< index: first column of this lane (clamped)
  mlir::Value active;      ///< i1: this lane has columns; null: always
  llvm::DenseMap<Role, mlir::Value> tables;
  Values inputs; ///< 1-D views, by input
  mlir::Value output, partials;

  // Arithmetic on i32 and index, and structured control flow.
  mlir::Value i32(int64_t value);
  mlir::Value index(int64_t value);
  mlir::Value toIndex(mlir::Value value); ///< of a non-negative integer
  mlir::Value toI32(mlir::Value value);   ///< of an index or integer
  mlir::Value add(mlir::Value a, mlir::Value c);
  mlir::Value sub(mlir::Value a, mlir::Value c);
  mlir::Value mul(mlir::Value a, mlir::Value c);
  mlir::Value min(mlir::Value a, mlir::Value c);
  mlir::Value bitAnd(mlir::Value a, int64_t mask);
  mlir::Value compare(mlir::arith::CmpIPredicate p, mlir::Value a,
                      mlir::Value c);
  mlir::Value select(mlir::Value cond, mlir::Value a, mlir::Value c);
  mlir::Value load(mlir::Value memref, mlir::Value at);
  mlir::Value table(Role role, mlir::Value at);
  mlir::Value broadcast(mlir::Value value, mlir::Value fromLane);
  Values loop(mlir::Value from, mlir::Value to, mlir::Value step, Values inits,
              llvm::function_ref<Values(mlir::Value, Values)> body);
  /// The same for an inner loop that is unrolled here already: neither LLVM nor
  /// ptxas unrolls it further, which would spill.
  Values unrolledLoop(mlir::Value from, mlir::Value to, mlir::Value step,
                      Values inits,
                      llvm::function_ref<Values(mlir::Value, Values)> body);
  void loop(mlir::Value from, mlir::Value to, mlir::Value step,
            llvm::function_ref<void(mlir::Value)> body);
  Values branch(mlir::Value cond, Values otherwise,
                llvm::function_ref<Values()> then);
  void branch(mlir::Value cond, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr);

  // Nonzeros (Point.cpp).
  unsigned vector() const { return variant.vector; }
  /// The point of the nonzero in `slot`, loaded by this lane for itself.
  Point load(mlir::Value slot, mlir::Value column, mlir::Value row);
  /// A point of which only the column is known.
  Point place(mlir::Value column);
  /// The point that `fromLane` holds, with this lane's columns.
  Point broadcast(const Point &point, mlir::Value fromLane);
  Point broadcastScalars(const Point &point, mlir::Value fromLane);
  /// Adds the contributions of `points` to the accumulators; all loads first.
  Values accumulate(llvm::ArrayRef<Point> points, Values accumulators);
  Values identities();
  mlir::Value combine(mlir::Value a, mlir::Value c);

  /// Combines accumulators into the row that `mark` names (Flush.cpp).
  /// `together`: other lanes of the warp may hold the same row, so that a plain
  /// update will not do.
  void flush(mlir::Value mark, const Values &accumulators,
             bool together = false);
  /// ~mark for a shared row, else mark; index.
  mlir::Value unmark(mlir::Value mark);

  // Productions, one file each.
  void emitColumnTile(const Segments &segments);
  void emitOneColumn(const Segments &segments);
  void emitScattered(const Segments &segments);
  void emitScatteredLanes(const Segments &segments);
  void emitDenseTile(const Segments &segments, mlir::Value width);
  /// All lanes see what the others wrote.
  void synchronizeWarp();

private:
  Values operands(const Point &point);
  Values contribute(const Values &operands, unsigned element);
  Values rowSum(const Segments &segments, mlir::Value first, mlir::Value length,
                mlir::Value row);
  mlir::Value rowOffset(mlir::Value row);
  void update(mlir::Value memref, mlir::Value row, const Values &accumulators);
  void updateAtomically(mlir::Value row, const Values &accumulators);
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_EMITTER_H
