//===- Arguments.h - the ordered arguments of a kernel --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One list, read by the kernel, by the host code that launches it and by kernel
// files: docs/Runtime.md, "Kernel arguments".
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CONVERSION_ASTFETOGPU_ARGUMENTS_H
#define ASTFE_LIB_CONVERSION_ASTFETOGPU_ARGUMENTS_H

#include "KernelPlan.h"

namespace astfe::gpukernel {

enum class Role {
  WorkerSpan,
  SpanSlot,
  SpanSegment,
  SpanColumn,
  SpanClass,
  SpanWidth,
  SegmentRow,
  SegmentTarget, ///< of a deterministic layout
  SegmentEnd,
  Columns,
  Positions,   ///< of a view
  Coordinates, ///< of a view
  Input,
  Output,
  Partials,
  Workers,
  Rows, ///< of a view
  ColumnCount,
  Stride, ///< elements of a row of an input that both modes index
  CombineRow,
  CombineBegin,
  CombinePartial,
  SharedRows,   ///< rows that the combine kernel finishes
  Count,        ///< elements that the fill kernel sets
  SegmentFirst, ///< of a kernel that overwrites
  Marks,        ///< entries of SegmentFirst: 0 where all are first
  GapBegin,
  GapEnd,
  Gaps,     ///< runs of rows that the start kernel clears
  Scalar,   ///< what the body reads from outside
  RowTeams, ///< of a view: log2 of the teams that its mean row keeps busy
  Least,    ///< nonzeros of a view's row from which on it is cut
  Piece,    ///< nonzeros of a piece
  PieceRow, ///< of each piece, the long row that begins there, or -1
};

struct Argument {
  Role role;
  mlir::Type type;    ///< element of a pointer, or the scalar's type
  unsigned input = 0; ///< for Role::Input, Role::Stride and Role::Scalar
  bool pointer = true;
};

/// Of the main kernel, in order.
llvm::SmallVector<Argument> mainArguments(const KernelPlan &plan);
/// Of the main kernel of a view with rows that are cut, and of the one that
/// combines what their pieces have summed up.
llvm::SmallVector<Argument> cutArguments(const KernelPlan &plan);
llvm::SmallVector<Argument> combineRowsArguments(const KernelPlan &plan);
/// Of the kernel that combines private partials.
llvm::SmallVector<Argument> combineArguments(const KernelPlan &plan);
/// Of the kernel that sets the rows that no segment stores to the combiner's
/// identity: gaps, and rows that atomics add to.
llvm::SmallVector<Argument> startArguments(const KernelPlan &plan);
/// Of the kernel that stores sums that were apart from the output.
llvm::SmallVector<Argument> storeArguments(const KernelPlan &plan);
/// Of the kernel that sets the partials to the combiner's identity.
llvm::SmallVector<Argument> fillArguments(const KernelPlan &plan);

/// The role as kernel files spell it: "span_slot", "values", "dense:1".
std::string roleName(const Argument &argument, const KernelPlan &plan);

/// The runtime's number of a table (enum AstfeTable), or -1.
int64_t tableOf(const Argument &argument);

} // namespace astfe::gpukernel

#endif // ASTFE_LIB_CONVERSION_ASTFETOGPU_ARGUMENTS_H
