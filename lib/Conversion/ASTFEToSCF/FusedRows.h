//===- FusedRows.h - the rows of a chain ------------------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOSCF_FUSEDROWS_H
#define ASTFE_LIB_CONVERSION_ASTFETOSCF_FUSEDROWS_H

#include "LowerCompute.h"
#include "SlotSweep.h"
#include "ViewLoops.h"

namespace astfe::host {

/// A row while the chain runs over it, or a piece of one: its nonzeros are
/// [0, length) of arrays that begin at its first one.
struct ChainRow {
  mlir::Value row, begin, length, coordinates;
  mlir::Value last;       ///< nonzero of the matrix
  mlir::Value piece = {}; ///< of the row; null: the row is whole
};

/// Members of a chain that run over a piece of a row before all pieces have to
/// be done.
struct ChainStep {
  mlir::SmallVector<mlir::Operation *> members;
  /// What it reduces.
  mlir::SmallVector<ComputeOp> reductions;
};

/// Which rows are cut; none without values.
struct CutRule {
  mlir::Value least; ///< nonzeros of such a row
  mlir::Value some;  ///< i1: there is one
};

class FusedRows {
public:
  FusedRows(mlir::ImplicitLocOpBuilder &builder, FusedOp op, ViewOp view,
            const HostKernelOptions &options);

  mlir::LogicalResult plan();
  void emit();

private:
  void forEachWholeRow(ComputeBody &body, const CutRule &cut);
  ChainRow openRow(mlir::Value row, mlir::Value begin, mlir::Value length);
  void emitMembers(mlir::ArrayRef<mlir::Operation *> members,
                   const ChainRow &at);
  void allocateScratch(mlir::Value length);
  void freeScratch();
  void emitCompute(ComputeOp compute, const ChainRow &at);
  ComputeBody bodyAt(ComputeOp compute, const ChainRow &at);
  void addToSweep(ComputeOp compute, const ChainRow &at);
  void endSweep(const ChainRow &at);
  bool isReadBesides(mlir::Value value, SweepMembers members);
  void emitInto(ComputeBody &body, const RowRun &run, LaneShape shape,
                mlir::Value &local);
  ComputeBody bodyOf(ComputeOp compute,
                     mlir::function_ref<mlir::Value(mlir::Value)> bufferOf);
  mlir::Value fits();
  void lookAhead();
  mlir::Value longestRow(mlir::Value first, mlir::Value last);
  mlir::Value fromSlot(mlir::Value buffer, mlir::Value begin,
                       mlir::Value length);
  RowRun runOf(const ChainRow &at);
  bool isKeyLocal(mlir::Value value) const;
  bool isScratch(mlir::Value value) const;
  bool isPartial(mlir::Value value) const;

  // CutRows.cpp
  CutRule cutRule();
  void emitCutRows(const CutRule &cut);
  void emitCutRow(const ChainRow &row);
  mlir::SmallVector<ChainStep> stepsOf();
  void emitStep(const ChainStep &step, const ChainRow &row, mlir::Value pieces);
  ChainRow openPiece(const ChainRow &row, mlir::Value piece);
  mlir::Value partialsOf(ComputeOp compute, mlir::Value pieces);
  void combine(ComputeOp compute, const ChainRow &row, mlir::Value partials,
               mlir::Value pieces);

  mlir::ImplicitLocOpBuilder &b;
  FusedOp op;
  ViewOp source;
  ViewStorage view;
  const HostKernelOptions &options;
  mlir::DenseMap<mlir::Operation *, ComputePlan> plans;
  mlir::SmallVector<mlir::Operation *> members; ///< that run, in order
  /// Of arguments and locals; of a local by key: its value.
  mlir::DenseMap<mlir::Value, mlir::Value> buffers;
  /// What pieces of a row reduce: buffers have a row for each piece.
  mlir::DenseSet<mlir::Value> partial;
  /// i1: rows that a computation gathers are fetched ahead.
  mlir::DenseMap<mlir::Operation *, mlir::Value> areFar;
  mlir::Value last;                       ///< nonzero of the matrix
  mlir::SmallVector<mlir::Value> scratch; ///< of this worker
  int64_t lanes;                          ///< of passes over nonzeros
  /// The pass that is being collected, and what it reduces.
  mlir::SmallVector<std::unique_ptr<ComputeBody>> sweep;
  mlir::DenseSet<mlir::Value> reduced;
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_FUSEDROWS_H
