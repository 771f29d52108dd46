//===- ViewLoops.h - walking the caller's own arrays ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_VIEWLOOPS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_VIEWLOOPS_H

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"

namespace astfe::host {

/// CSR or CSC storage of the caller.
struct ViewStorage {
  mlir::Value positions, coordinates; ///< buffers
  mlir::Value major;                  ///< rows of CSR, columns of CSC
  unsigned majorDim = kRowDim;        ///< kColumnDim for CSC
  mlir::Value last = {};              ///< nonzero, where rows are fetched ahead

  unsigned minorDim() const {
    return majorDim == kRowDim ? kColumnDim : kRowDim;
  }
};

/// scf.parallel over runs of rows with equal shares of the nonzeros, found by
/// binary search over the positions; rows are never cut.
void emitViewRows(ComputeBody &body, ViewStorage view, LaneShape shape);

/// What runs of rows suit; null: nothing of the kind.
struct RunTraits {
  /// i1: work is left out, and runs that follow each other go to different
  /// threads.
  mlir::Value isUneven = {};
  /// Nonzeros that many runs have at least.
  mlir::Value nonzeros = {};
};

/// scf.parallel over runs of equal work, rows without nonzeros among them;
/// `emitRows` gets the whole rows [first, last) of a run.
void forEachRunOfRows(
    ComputeBody &body, const ViewStorage &view,
    llvm::function_ref<void(mlir::Value first, mlir::Value last)> emitRows,
    const RunTraits &traits = {});

/// A row, or a whole one's nonzeros, that nobody else computes.
void emitOwnRow(ComputeBody &body, const RowRun &run, LaneShape shape);

/// Rows and nonzeros before `row`, to which both are work where each row is
/// written. Rises from row to row, so that each row is in one share.
mlir::Value workBefore(ComputeBody &body, const ViewStorage &view,
                       mlir::Value row);
/// The rows [first, last) of a share of all work.
std::pair<mlir::Value, mlir::Value>
rowsOfShare(ComputeBody &body, const ViewStorage &view, mlir::Value work,
            mlir::Value share, mlir::Value shares);

/// Sums into elements that coordinates name, or into rows of `shape`: pieces of
/// the walked dimension, with sums of their own (ViewPieces.cpp); with dense
/// columns parts of the rows, where those take less time.
void emitViewPieces(ComputeBody &body, const ViewStorage &view,
                    int64_t vectorBytes, LaneShape shape = {});

/// Sums into rows that coordinates name, by scf.parallel over parts of these
/// rows (ViewParts.cpp). The widest vectors have `lanes`.
void emitViewParts(ComputeBody &body, const ViewStorage &view, LaneShape shape,
                   int64_t lanes);

/// Where nonzeros add to: the columns of a tile, in rows from `first` on; null:
/// all.
struct ScatterTarget {
  mlir::Value buffer;
  ColumnTile tile;
  mlir::Value first = {};
};

/// Nonzeros [begin, end) of one of the walked dimension, which add to the rows
/// that their coordinates name. `before` gets each of them.
void emitScatteredRow(ComputeBody &body, const ViewStorage &view,
                      const ColumnTile &tile, const ScatterTarget &to,
                      mlir::Value major, mlir::Value begin, mlir::Value end,
                      llvm::function_ref<void(mlir::Value)> before = {});

//===----------------------------------------------------------------------===//
// Parts of the rows that coordinates name (ViewShares.cpp)
//===----------------------------------------------------------------------===//

/// How many threads a parallel loop has.
mlir::Value threadsThatRun(ComputeBody &body);
/// Of the output's dense columns.
mlir::Value outputRowBytes(ComputeBody &body);
/// Parts that update core::rules::kPartBytes for each of the walked dimension,
/// on average; 1 at least.
mlir::Value worthwhileParts(ComputeBody &body, const ViewStorage &view);
/// Of the nonzeros [begin, end), whose coordinates ascend, the first that names
/// no row before `row`; else `end`.
mlir::Value firstNotBelow(ComputeBody &body, const ViewStorage &view,
                          mlir::Value begin, mlir::Value end, mlir::Value row);

/// Parts of the rows with about equal numbers of nonzeros. Each worker counts
/// for itself, in a table on its stack.
class RowShares {
public:
  RowShares(ComputeBody &body, const ViewStorage &view, mlir::Value rows,
            mlir::Value parts);
  /// The first row of a part; of the one behind the last, how many there are.
  mlir::Value begin(mlir::Value part);

private:
  void countSamples(const ViewStorage &view);

  ComputeBody &body;
  mlir::Value rows, parts;
  mlir::Value before; ///< table
};

/// The buffers of a view.
ViewStorage openView(ViewOp view);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_VIEWLOOPS_H
