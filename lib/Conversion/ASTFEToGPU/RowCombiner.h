//===- RowCombiner.h - partial results of rows on a GPU ---------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several warps have of a row, added up by a block:
//
//   columns   a power of two of a warp's lanes, at most all; the other lanes
//             have partial results that follow
//   warps     every fourth group of partial results each
//   grid.y    strides over the tiles of columns
//
// The sums of lanes meet by shuffles, those of warps in shared memory. The
// order depends on the number of columns and of partial results alone: the same
// bits each time.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWCOMBINER_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWCOMBINER_H

#include "Kernels.h"

namespace astfe::gpukernel {

class RowCombiner {
public:
  using Value = mlir::Value;

  /// Of rows with so many columns (i32) in `e.partials`; made where the kernel
  /// begins.
  RowCombiner(Emitter &e, Value columns);

  /// Adds up the rows of partial results `partialOf(0)`, ... (i32, of i32) of
  /// one row, `count` (i32) of them, and calls `write` with each column (i32)
  /// and its sum, in one lane. All threads of the block take part.
  void emit(Value count, llvm::function_ref<Value(Value)> partialOf,
            llvm::function_ref<void(Value, Value)> write);
  /// Stores a sum as the element of the output at a place (index), or adds it.
  void store(Value sum, Value place);

  Value columns; ///< i32

private:
  Value load(Value partial, Value column);
  Value sumOf(Value count, Value column,
              llvm::function_ref<Value(Value)> partialOf);
  Value overWarp(Value sum);
  void finish(Value column, Value sum,
              llvm::function_ref<void(Value, Value)> write);

  Emitter &e;
  Value log, width;    ///< i32: columns at a time
  Value others;        ///< i32: lanes that share one
  Value column, group; ///< i32: of this lane
  Value sums;          ///< shared: one of each thread
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWCOMBINER_H
