//===- GapCleaner.h - rows of the output without nonzeros -------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker clears its gaps (Core/Pack/Packed.h) along with its rows: before a
// span those that begin up to the last of the span's rows, the others at the
// end. So a row of a gap is cleared before it is written, in whatever order the
// spans have their rows; and where these ascend, as they do in the order of
// rows, lines that a gap and a row share are written while a cache has them.
//
//   gaps 2..4 and 7..9; spans of rows 0 1 4, of rows 5 6 and of rows 9 10
//   clears 2..4, writes 0 1 4, writes 5 6, clears 7..9, writes 9 10
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_GAPCLEANER_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_GAPCLEANER_H

#include "ClearedRuns.h"
#include "PackedLoops.h"

namespace astfe::host {

class GapCleaner {
public:
  explicit GapCleaner(PackedKernel &kernel);

  /// The first gap of a worker, whose gaps the others are.
  mlir::Value begin(mlir::Value worker);
  /// Clears the gaps from `next` on that begin up to the last row of `span`.
  /// Returns the first one that it does not.
  mlir::Value clearBefore(const Span &span, mlir::Value next);
  /// Clears all from `next` on.
  void clearFrom(mlir::Value next);

private:
  void clear(mlir::Value gap);
  void clearElements(mlir::Value begin, mlir::Value end);
  mlir::Value lastRow(const Span &span);
  mlir::Value clearUpTo(mlir::Value row, mlir::Value next);

  PackedKernel &kernel;
  ComputeBody &body;
  mlir::ImplicitLocOpBuilder &b;
  std::optional<RunCleaner> runs; ///< of rows with several elements
  /// The output's elements, if a row is one; null: they lie apart.
  mlir::Value flat;
  mlir::Value end; ///< of the worker's gaps
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_GAPCLEANER_H
