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
  /// i1: these are the row's first nonzeros; null: all of them.
  mlir::Value begins = {};
};

/// Members of a chain that run over a piece of a row before all pieces have to
/// be done.
struct ChainStep {
  mlir::SmallVector<mlir::Operation *> members;
  /// What it reduces.
  mlir::SmallVector<ComputeOp> reductions;
};

/// A buffer of which each nonzero reads a row, and the dimension of it that
/// columns of the matrix run along.
struct GatheredRows {
  mlir::Value buffer;
  unsigned along;
};

/// Members of a chain that all rows of a block run over before the next ones
/// (RowBlocks.cpp).
struct ChainStage {
  mlir::SmallVector<mlir::Operation *> members;
  mlir::SmallVector<GatheredRows> gathered;
};

/// Rows [first, end) that run stage by stage.
struct RowBlock {
  mlir::Value first, end;
};

/// A row of a block: its number there, its nonzeros, and its slots in what has
/// room for all nonzeros of a block.
struct BlockRow {
  mlir::Value row, number, begin, length, offset, slots;
};

/// How large blocks are, and the panels of columns of their stages
/// (RowPanels.cpp).
struct ColumnPanels {
  mlir::Value slots; ///< of a block, about
  mlir::SmallVector<mlir::Value> widths; ///< columns, for each stage
};

/// A local of a key that stages `first` to `last` use.
struct KeptLocal {
  mlir::Value local;
  mlir::Type element; ///< of what is computed with
  unsigned first, last;
  mlir::Value rows; ///< a buffer with an element for each row of a block
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
  /// How rows run, once there is a plan.
  std::string text() const;

private:
  void emitWholeRows(mlir::Value first, mlir::Value last, const CutRule &cut);
  void ifWhole(mlir::Value length, const CutRule &cut,
               llvm::function_ref<void()> emit);
  mlir::Value lengthOf(mlir::Value row, mlir::Value begin);
  mlir::Value longestWhole(mlir::Value first, mlir::Value last,
                           const CutRule &cut);
  ChainRow openRow(mlir::Value row, mlir::Value begin, mlir::Value length);
  void emitMembers(mlir::ArrayRef<mlir::Operation *> members,
                   const ChainRow &at);
  void shareScratch();
  void allocateScratch(mlir::Value slots);
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

  mlir::Value index(int64_t value);

  // RowBlocks.cpp
  mlir::SmallVector<GatheredRows> gatheredBy(mlir::Operation *member) const;
  bool usesSumsOf(const ChainStage &stage, mlir::Operation *member) const;
  mlir::SmallVector<ChainStage> stagesOf() const;
  bool runsInStages() const;
  void findKept();
  void loadKept(unsigned stage, mlir::Value at);
  void storeKept(unsigned stage, mlir::Value at);
  mlir::Value slotsOf(mlir::Value length);
  mlir::Value wholeSlots(mlir::Value length, const CutRule &cut);
  mlir::Value endOfBlock(mlir::Value first, mlir::Value last,
                         const CutRule &cut);
  void forEachRowOf(const RowBlock &block, const CutRule &cut,
                    llvm::function_ref<void(const BlockRow &)> emit);
  ChainRow openPart(const BlockRow &row, mlir::Value from, mlir::Value to);
  void emitStage(unsigned stage, const RowBlock &block, const CutRule &cut);
  void allocateBlock(mlir::Value first, mlir::Value last, const CutRule &cut);
  void emitBlocks(mlir::Value first, mlir::Value last, const CutRule &cut);

  // RowPanels.cpp
  mlir::Value gatheredBytes(const ChainStage &stage);
  mlir::Value meanReach();
  int64_t farSlots(int64_t cacheBytes);
  bool takesPanels(const ChainStage &stage);
  void choosePanels();
  mlir::Value searchColumn(const BlockRow &row, mlir::Value from,
                           mlir::Value limit);
  void emitPanels(unsigned stage, const RowBlock &block, const CutRule &cut);

  // CutRows.cpp
  CutRule cutRule();
  void emitCutRows(const CutRule &cut);
  void emitCutRow(const ChainRow &row);
  mlir::SmallVector<ChainStep> stepsOf() const;
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
  mlir::SmallVector<ChainStage> stages;         ///< of them
  mlir::SmallVector<KeptLocal> kept;            ///< from stage to stage
  ColumnPanels panels;
  mlir::Value columns; ///< that rows of the view have
  mlir::Value blockSlots; ///< of a block of this run, at least
  mlir::Value reached; ///< nonzeros of each row of a block that panels had
  /// Of arguments and locals; of a local by key: its value.
  mlir::DenseMap<mlir::Value, mlir::Value> buffers;
  /// What pieces of a row reduce: buffers have a row for each piece.
  mlir::DenseSet<mlir::Value> partial;
  /// i1: rows that a computation gathers are fetched ahead.
  mlir::DenseMap<mlir::Operation *, mlir::Value> areFar;
  mlir::Value last;    ///< nonzero of the matrix
  mlir::SmallVector<mlir::Value> scratch; ///< of this worker
  /// Of each local by nonzero the one whose buffer it has.
  llvm::MapVector<mlir::Value, mlir::Value> sharedWith;
  int64_t lanes;                          ///< of passes over nonzeros
  /// The pass that is being collected, and what it reduces.
  mlir::SmallVector<std::unique_ptr<ComputeBody>> sweep;
  mlir::DenseSet<mlir::Value> reduced;
};

} // namespace astfe::host

#endif // ASTFE_LIB_CONVERSION_ASTFETOSCF_FUSEDROWS_H
