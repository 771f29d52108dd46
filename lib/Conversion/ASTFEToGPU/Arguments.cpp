//===- Arguments.cpp - the ordered arguments of a kernel ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "ASTFE/Runtime/ABI.h"

using namespace mlir;

namespace astfe::gpukernel {

static void addTables(const KernelPlan &plan, SmallVector<Argument> &result) {
  MLIRContext *context = plan.element.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  if (plan.view()) {
    result.push_back({Role::Positions, plan.position});
    result.push_back({Role::Coordinates, plan.coordinate});
    return;
  }
  for (Role role :
       {Role::WorkerSpan, Role::SpanSlot, Role::SpanSegment, Role::SpanColumn})
    result.push_back({role, i64});
  for (Role role :
       {Role::SpanClass, Role::SpanWidth, Role::SegmentRow, Role::SegmentEnd})
    result.push_back({role, i32});
  if (plan.partials())
    result.push_back({Role::SegmentTarget, i32});
  result.push_back(
      {Role::Columns, IntegerType::get(context, plan.layout.columnBits)});
  if (plan.overwrites)
    result.push_back({Role::SegmentFirst, IntegerType::get(context, 8)});
}

static Argument scalar(Role role, const KernelPlan &plan) {
  Argument argument{role, IntegerType::get(plan.element.getContext(), 32)};
  argument.pointer = false;
  return argument;
}

static Argument pieceRow(const KernelPlan &plan) {
  return {Role::PieceRow, IntegerType::get(plan.element.getContext(), 32)};
}

SmallVector<Argument> mainArguments(const KernelPlan &plan) {
  SmallVector<Argument> result;
  addTables(plan, result);
  for (unsigned i = 0; i < plan.inputs.size(); ++i)
    result.push_back({Role::Input, plan.inputs[i].element, i});
  if (!plan.sumsApart())
    result.push_back({Role::Output, plan.stored});
  if (plan.partials() || plan.sumsApart())
    result.push_back({Role::Partials, plan.element});
  if (plan.overwrites && !plan.view())
    result.push_back(scalar(Role::Marks, plan));
  result.push_back(scalar(Role::Workers, plan));
  if (plan.view())
    result.push_back(scalar(Role::Rows, plan));
  if (plan.hasRowTeams())
    result.push_back(scalar(Role::RowTeams, plan));
  if (!plan.oneColumn)
    result.push_back(scalar(Role::ColumnCount, plan));
  for (unsigned i = 0; i < plan.inputs.size(); ++i)
    if (plan.inputs[i].cell) {
      result.push_back(scalar(Role::Stride, plan));
      result.back().input = i;
    }
  for (unsigned i = 0; i < plan.scalars.size(); ++i)
    result.push_back({Role::Scalar, plan.stored, i, /*pointer=*/false});
  return result;
}

SmallVector<Argument> cutArguments(const KernelPlan &plan) {
  SmallVector<Argument> result = mainArguments(plan);
  result.push_back({Role::Partials, plan.element});
  result.push_back(pieceRow(plan));
  result.push_back(scalar(Role::Least, plan));
  result.push_back(scalar(Role::Piece, plan));
  return result;
}

SmallVector<Argument> combineRowsArguments(const KernelPlan &plan) {
  SmallVector<Argument> result{{Role::Positions, plan.position},
                               {Role::Partials, plan.element},
                               pieceRow(plan),
                               {Role::Output, plan.stored},
                               scalar(Role::Rows, plan),
                               scalar(Role::Least, plan),
                               scalar(Role::Piece, plan)};
  if (!plan.oneColumn)
    result.push_back(scalar(Role::ColumnCount, plan));
  return result;
}

SmallVector<Argument> combineArguments(const KernelPlan &plan) {
  MLIRContext *context = plan.element.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  SmallVector<Argument> result{
      {Role::CombineRow, i32},     {Role::CombineBegin, i64},
      {Role::CombinePartial, i32}, {Role::Partials, plan.element},
      {Role::Output, plan.stored}, scalar(Role::SharedRows, plan)};
  if (!plan.oneColumn)
    result.push_back(scalar(Role::ColumnCount, plan));
  return result;
}

SmallVector<Argument> startArguments(const KernelPlan &plan) {
  Type i32 = IntegerType::get(plan.element.getContext(), 32);
  SmallVector<Argument> result{
      {Role::GapBegin, i32},    {Role::GapEnd, i32},
      {Role::CombineRow, i32},  {Role::Output, plan.stored},
      scalar(Role::Gaps, plan), scalar(Role::SharedRows, plan)};
  if (!plan.oneColumn)
    result.push_back(scalar(Role::ColumnCount, plan));
  return result;
}

static Argument elementCount(const KernelPlan &plan) {
  Argument count{Role::Count, IntegerType::get(plan.element.getContext(), 64)};
  count.pointer = false;
  return count;
}

SmallVector<Argument> fillArguments(const KernelPlan &plan) {
  return {{Role::Partials, plan.element}, elementCount(plan)};
}

SmallVector<Argument> storeArguments(const KernelPlan &plan) {
  return {{Role::Partials, plan.element},
          {Role::Output, plan.stored},
          elementCount(plan)};
}

std::string roleName(const Argument &argument, const KernelPlan &plan) {
  switch (argument.role) {
  case Role::WorkerSpan:
    return "worker_span";
  case Role::SpanSlot:
    return "span_slot";
  case Role::SpanSegment:
    return "span_segment";
  case Role::SpanColumn:
    return "span_column";
  case Role::SpanClass:
    return "span_class";
  case Role::SpanWidth:
    return "span_width";
  case Role::SegmentRow:
    return "segment_row";
  case Role::SegmentTarget:
    return "segment_target";
  case Role::SegmentEnd:
    return "segment_end";
  case Role::Columns:
    return "columns";
  case Role::Positions:
    return "positions";
  case Role::Coordinates:
    return "coordinates";
  case Role::Input:
    return plan.inputs[argument.input].values
               ? "values"
               : "dense:" + std::to_string(argument.input);
  case Role::Output:
    return "output";
  case Role::Partials:
    return "partials";
  case Role::Workers:
    return "workers";
  case Role::Rows:
    return "rows";
  case Role::RowTeams:
    return "row_teams";
  case Role::ColumnCount:
    return "column_count";
  case Role::Stride:
    return "stride:" + std::to_string(argument.input);
  case Role::CombineRow:
    return "combine_row";
  case Role::CombineBegin:
    return "combine_begin";
  case Role::CombinePartial:
    return "combine_partial";
  case Role::SharedRows:
    return "shared_rows";
  case Role::Count:
    return "count";
  case Role::SegmentFirst:
    return "segment_first";
  case Role::Marks:
    return "marks";
  case Role::GapBegin:
    return "gap_begin";
  case Role::GapEnd:
    return "gap_end";
  case Role::Gaps:
    return "gaps";
  case Role::Least:
    return "least";
  case Role::Piece:
    return "piece";
  case Role::PieceRow:
    return "piece_row";
  case Role::Scalar:
    return "scalar:" + std::to_string(argument.input);
  }
  llvm_unreachable("every role has a name");
}

int64_t tableOf(const Argument &argument) {
  switch (argument.role) {
  case Role::WorkerSpan:
    return ASTFE_WORKER_SPAN;
  case Role::SpanSlot:
    return ASTFE_SPAN_SLOT;
  case Role::SpanSegment:
    return ASTFE_SPAN_SEGMENT;
  case Role::SpanColumn:
    return ASTFE_SPAN_COLUMN;
  case Role::SpanClass:
    return ASTFE_SPAN_CLASS;
  case Role::SpanWidth:
    return ASTFE_SPAN_WIDTH;
  case Role::SegmentRow:
    return ASTFE_SEGMENT_ROW;
  case Role::SegmentTarget:
    return ASTFE_SEGMENT_TARGET;
  case Role::SegmentEnd:
    return ASTFE_SEGMENT_END;
  case Role::Columns:
    return ASTFE_COLUMNS;
  case Role::CombineRow:
    return ASTFE_COMBINE_ROW;
  case Role::CombineBegin:
    return ASTFE_COMBINE_BEGIN;
  case Role::CombinePartial:
    return ASTFE_COMBINE_PARTIAL;
  case Role::SegmentFirst:
    return ASTFE_SEGMENT_FIRST;
  case Role::GapBegin:
    return ASTFE_GAP_BEGIN;
  case Role::GapEnd:
    return ASTFE_GAP_END;
  default:
    return -1;
  }
}

} // namespace astfe::gpukernel
