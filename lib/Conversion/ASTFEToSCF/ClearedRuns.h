//===- ClearedRuns.h - elements that are cleared side by side ---*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an output's elements lie side by side, rows that follow each other are
// one run, whatever the length of each: it is cleared by the widest vectors,
// and past the caches (StreamedRows.h) where these are too small (RunUse),
// unless rows are no whole lines and the run is short, or a run of short rows
// may be several gaps. A run that begins within a line begins with single
// elements.
//
//   rows 2 and 3 of 5   . . . . . . . . . . x x x x x x x x x x . . .
//   vectors of 4                            1 1 [ 4 ] [ 4 ]   from a line on
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_CLEAREDRUNS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_CLEAREDRUNS_H

#include "StreamedRows.h"

namespace astfe::host {

/// The elements of the output as one vector; null: they lie apart.
mlir::Value sideBySide(ComputeBody &body);

/// Calls `emit` with from, from + step, ..., below `to`.
void forEachStep(ComputeBody &body, mlir::Value from, mlir::Value to,
                 int64_t step, llvm::function_ref<void(mlir::Value)> emit);

/// Vectors of `lanes` of [begin, end), then single elements.
void forEachVector(ComputeBody &body, mlir::Value begin, mlir::Value end,
                   int64_t lanes,
                   llvm::function_ref<void(mlir::Value, int64_t)> emit);

/// Stores the identity in the elements [begin, end) of `flat`, at most `lanes`,
/// under a mask; nothing where there are none.
void clearUnderMask(ComputeBody &body, mlir::Value flat, mlir::Value begin,
                    mlir::Value end, int64_t lanes);

/// Clears rows of an output that lie side by side: of what its first dimension
/// numbers.
class RunCleaner {
public:
  /// By vectors of so many lanes, at least 2, or where masks are instructions
  /// of as many as fill a line.
  RunCleaner(ComputeBody &body, int64_t lanes, RunUse use);

  /// False: the elements lie apart.
  explicit operator bool() const { return bool(flat); }
  /// Stores the identity in the rows [first, end).
  void clear(mlir::Value first, mlir::Value end);
  /// Behind the last of them, before anybody else may read them.
  void finish();

private:
  mlir::Value elementsBefore(mlir::Value row);
  mlir::Value lineFrom(mlir::Value begin, mlir::Value end);
  mlir::Value paysPastCaches(mlir::Value rows, mlir::Value begin,
                             mlir::Value end);
  void clearCached(mlir::Value begin, mlir::Value end);
  void clearPastCaches(mlir::Value begin, mlir::Value end);

  ComputeBody &body;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Value flat;
  StreamedRows streamed;
  int64_t lanes, elementBytes = 1;
  RunUse use;
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_CLEAREDRUNS_H
