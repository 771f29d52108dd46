//===- PackedTables.cpp - tables and spans --------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Runtime/ABI.h"
#include "PackedLoops.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value host::packedTable(ImplicitLocOpBuilder &b, Value handle, int64_t which,
                        unsigned bits) {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getIntegerType(bits));
  Value number = integer(b, which);
  return callRuntime(b, ("astfe_rt_table_i" + Twine(bits)).str(), type,
                     {handle, number})
      .getResult(0);
}

/// The table in place of one of the pattern's.
static int64_t sumTable(int64_t which, SumsOf sums) {
  if (sums == SumsOf::Pattern)
    return which;
  const bool bySlot = sums == SumsOf::Slots;
  switch (which) {
  case ASTFE_SEGMENT_TARGET:
    return bySlot ? ASTFE_SLOT_SUM_TARGET : ASTFE_SUM_TARGET;
  case ASTFE_COMBINE_ROW:
    return bySlot ? ASTFE_SLOT_SUM_ROW : ASTFE_SUM_ROW;
  case ASTFE_COMBINE_BEGIN:
    return bySlot ? ASTFE_SLOT_SUM_BEGIN : ASTFE_SUM_BEGIN;
  default:
    return bySlot ? ASTFE_SLOT_SUM_PARTIAL : ASTFE_SUM_PARTIAL;
  }
}

PackedTables::PackedTables(ImplicitLocOpBuilder &b, Value handle,
                           unsigned columnBits, SumsOf sums)
    : workerSpan(packedTable(b, handle, ASTFE_WORKER_SPAN, 64)),
      spanSlot(packedTable(b, handle, ASTFE_SPAN_SLOT, 64)),
      spanSegment(packedTable(b, handle, ASTFE_SPAN_SEGMENT, 64)),
      spanColumn(packedTable(b, handle, ASTFE_SPAN_COLUMN, 64)),
      spanClass(packedTable(b, handle, ASTFE_SPAN_CLASS, 32)),
      spanWidth(packedTable(b, handle, ASTFE_SPAN_WIDTH, 32)),
      segmentRow(packedTable(b, handle, ASTFE_SEGMENT_ROW, 32)),
      segmentTarget(
          packedTable(b, handle, sumTable(ASTFE_SEGMENT_TARGET, sums), 32)),
      segmentEnd(packedTable(b, handle, ASTFE_SEGMENT_END, 32)),
      columns(packedTable(b, handle, ASTFE_COLUMNS, columnBits)),
      combineRow(packedTable(b, handle, sumTable(ASTFE_COMBINE_ROW, sums), 32)),
      combineBegin(
          packedTable(b, handle, sumTable(ASTFE_COMBINE_BEGIN, sums), 64)),
      combinePartial(
          packedTable(b, handle, sumTable(ASTFE_COMBINE_PARTIAL, sums), 32)),
      segmentFirst(packedTable(b, handle, ASTFE_SEGMENT_FIRST, 8)),
      workerGap(packedTable(b, handle, ASTFE_WORKER_GAP, 64)),
      gapBegin(packedTable(b, handle, ASTFE_GAP_BEGIN, 32)),
      gapEnd(packedTable(b, handle, ASTFE_GAP_END, 32)) {}

Value PackedTables::areThere(ImplicitLocOpBuilder &b) const {
  auto countOf = [&](Value table) {
    return memref::DimOp::create(b, table, 0);
  };
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                               countOf(segmentTarget), countOf(segmentRow));
}

/// Erases the loads of elements that nobody asked for, and `op` where no user
/// is left.
static void eraseUnread(Operation *op) {
  for (Operation *user : llvm::to_vector(op->getUsers()))
    if (isa<memref::LoadOp, arith::IndexCastUIOp>(user))
      eraseUnread(user);
  if (op->use_empty())
    op->erase();
}

void PackedTables::eraseUnread() const {
  for (Value table : {workerSpan, spanSlot, spanSegment, spanColumn, spanClass,
                      spanWidth, segmentRow, segmentTarget, segmentEnd, columns,
                      combineRow, combineBegin, combinePartial, segmentFirst,
                      workerGap, gapBegin, gapEnd})
    ::eraseUnread(table.getDefiningOp());
}

Span::Span(ImplicitLocOpBuilder &b, const PackedTables &tables, Value span) {
  Value next =
      arith::AddIOp::create(b, span, arith::ConstantIndexOp::create(b, 1));
  slot = loadIndex(b, tables.spanSlot, span);
  slotsEnd = loadIndex(b, tables.spanSlot, next);
  segment = loadIndex(b, tables.spanSegment, span);
  segmentsEnd = loadIndex(b, tables.spanSegment, next);
  column = loadIndex(b, tables.spanColumn, span);
  kind = loadIndex(b, tables.spanClass, span);
  width = loadIndex(b, tables.spanWidth, span);
}

SegmentStart Span::end() const { return {segmentsEnd, slotsEnd}; }

SegmentStart::SegmentStart(const Span &span)
    : segment(span.segment), slot(span.slot) {}

StoredColumns Span::stored(const PackedTables &tables,
                           unsigned columnBits) const {
  // 32 bits are the column itself, fewer are relative to the span's first.
  return {tables.columns, columnBits == 32 ? Value() : column, {}};
}

Value host::rowAt(ImplicitLocOpBuilder &b, Value stored) {
  Value sign = arith::ShRSIOp::create(
      b, stored, arith::ConstantOp::create(b, b.getI32IntegerAttr(31)));
  return arith::IndexCastUIOp::create(b, b.getIndexType(),
                                      arith::XOrIOp::create(b, stored, sign));
}

Value PackedKernel::rowOf(Value g) {
  return rowAt(body.b, memref::LoadOp::create(body.b, tables.segmentRow, g));
}

Value PackedKernel::fetchedRow(Value g) {
  ImplicitLocOpBuilder &b = body.b;
  Value target = memref::LoadOp::create(b, tables.segmentTarget, g);
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  return arith::IndexCastUIOp::create(b, b.getIndexType(),
                                      arith::MaxSIOp::create(b, target, zero));
}

Value PackedKernel::isFirst(Value g) {
  if (!allFirst)
    return {};
  ImplicitLocOpBuilder &b = body.b;
  auto choice = scf::IfOp::create(
      b, allFirst,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, allFirst); },
      [&](OpBuilder &, Location) {
        Value mark = memref::LoadOp::create(b, tables.segmentFirst, g);
        Value none = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
        scf::YieldOp::create(
            b, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, mark, none)
                   .getResult());
      });
  return choice.getResult(0);
}

void host::forEachSegment(PackedKernel &kernel, const Span &span,
                          const SegmentStart &from,
                          function_ref<void(Value, Value, Value)> emit) {
  ImplicitLocOpBuilder &b = kernel.body.b;
  auto step = [&](OpBuilder &, Location, Value g, ValueRange begin) {
    Value end = arith::AddIOp::create(
        b, span.slot, loadIndex(b, kernel.tables.segmentEnd, g));
    emit(g, begin[0], end);
    scf::YieldOp::create(b, end);
  };
  scf::ForOp::create(b, from.segment, span.segmentsEnd, kernel.body.index(1),
                     from.slot, step);
}
