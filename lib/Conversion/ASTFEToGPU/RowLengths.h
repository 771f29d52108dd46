//===- RowLengths.h - what the host knows of a view's rows ------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that decides before a launch whether rows of a view are cut
// (RowPieces.h): where the positions are in its memory, it looks for the
// longest row; in that of a device it cannot.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWLENGTHS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWLENGTHS_H

#include "HostBuilder.h"

namespace astfe::gpukernel {

/// How rows are cut; index.
struct RowCut {
  mlir::Value piece;  ///< nonzeros of a piece
  mlir::Value least;  ///< of the shortest row that is cut
  mlir::Value pieces; ///< of the view
};

class RowLengths {
public:
  using Value = mlir::Value;

  /// Of so many rows (index) in the host's memory, for so many warps (i64).
  static RowLengths read(HostBuilder &host, Value positions, Value rows,
                         Value workers);
  /// In a device's memory, where coordinates have so many places (index).
  static RowLengths unread(HostBuilder &host, Value places, Value workers);

  /// Pieces have a warp's share of the nonzeros, but `smallest` at least, and
  /// rows are cut that have as many as `least` pieces.
  RowCut cut(HostBuilder &host, int64_t smallest, int64_t least) const;
  /// Emits `cut` where a row may be long, else `whole`.
  void whereLong(HostBuilder &host, const RowCut &how,
                 llvm::function_ref<void()> cut,
                 llvm::function_ref<void()> whole) const;

private:
  Value longest; ///< index; null where it is not known
  Value count;   ///< index: nonzeros, or more
  Value share;   ///< index: of a warp
};

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_ROWLENGTHS_H
