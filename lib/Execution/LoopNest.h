//===- LoopNest.h - operands of an op, addressed by iteration -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_EXECUTION_LOOPNEST_H
#define ASTFE_LIB_EXECUTION_LOOPNEST_H

#include "ASTFE/Execution/Interpreter.h"
#include "ScalarProgram.h"
#include "mlir/IR/AffineMap.h"

namespace astfe {

/// Loops over a rectangle, and arrays whose element at an iteration is a dot
/// product of strides with the iteration's index.
class LoopNest {
public:
  LoopNest(mlir::Operation *op, unsigned loops)
      : op(op), extents(loops, kUnknown) {}

  /// Says what loop `loop` runs over; an error where an array said otherwise.
  mlir::LogicalResult setExtent(unsigned loop, int64_t extent);
  /// Adds an operand; its map must pick loops, each at most once.
  mlir::LogicalResult bind(mlir::AffineMap map, DenseArray &array);
  /// Every loop has an extent.
  mlir::LogicalResult check() const;

  int64_t extent(unsigned loop) const { return extents[loop]; }
  Number load(unsigned operand, mlir::ArrayRef<int64_t> index) const;
  void store(unsigned operand, mlir::ArrayRef<int64_t> index, Number number);
  /// Calls `body` for each index of `loops`, the last one fastest; the others
  /// keep what `index` says.
  void forEach(mlir::ArrayRef<unsigned> loops, std::vector<int64_t> &index,
               llvm::function_ref<void()> body) const;
  /// The same for the loops from `first` on.
  void forEach(unsigned first, std::vector<int64_t> &index,
               llvm::function_ref<void()> body) const;

private:
  static constexpr int64_t kUnknown = -1;
  struct Operand {
    DenseArray *array;
    std::vector<int64_t> strides; ///< per loop
  };
  size_t offset(const Operand &operand, mlir::ArrayRef<int64_t> index) const;

  mlir::Operation *op;
  std::vector<int64_t> extents;
  std::vector<Operand> operands;
};

} // namespace astfe

#endif // ASTFE_LIB_EXECUTION_LOOPNEST_H
