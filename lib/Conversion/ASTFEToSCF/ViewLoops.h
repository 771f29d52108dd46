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

/// Sums without dense columns into elements that coordinates name: pieces of
/// the walked dimension, with sums of their own (ViewPieces.cpp).
void emitViewPieces(ComputeBody &body, const ViewStorage &view,
                    int64_t vectorBytes);

/// The buffers of a view.
ViewStorage openView(ViewOp view);

/// Vectors of a strip of dense columns, at most.
using core::rules::kStripVectors;

/// scf.parallel over strips of dense columns: each worker walks all nonzeros
/// and updates its strip of the output, so that no two write the same element.
void emitViewColumns(ComputeBody &body, const ViewStorage &view,
                     LaneShape shape);

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_VIEWLOOPS_H
