//===- BrickTables.cpp - the tables of bricks as loops read them ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickTables.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Runtime/ABI.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

Value BrickTables::table(ImplicitLocOpBuilder &b, int64_t which,
                         unsigned bits) const {
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getIntegerType(bits));
  return callRuntime(b, ("astfe_rt_brick_table_i" + Twine(bits)).str(), type,
                     {handle, key, rangeCount, integer(b, which)})
      .getResult(0);
}

BrickTables::BrickTables(ImplicitLocOpBuilder &b, Value handle, unsigned rank,
                         unsigned keyMode, bool bySlot)
    : rank(rank), bySlot(bySlot), handle(handle), key(integer(b, keyMode)) {
  auto ask = [&](StringRef function, ValueRange arguments) {
    return callRuntime(b, ("astfe_rt_brick_" + function).str(), b.getI64Type(),
                       arguments)
        .getResult(0);
  };
  auto toIndex = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  rangeCount =
      callRuntime(b, "astfe_rt_workers", b.getI64Type(), {}).getResult(0);
  ranges = toIndex(rangeCount);
  bricks = toIndex(ask("count", {handle, key}));
  fiberMode = toIndex(ask("fiber_mode", {handle, key}));
  bits = ask("bits", {handle, key});
  brickSlot = table(b, ASTFE_BRICK_SLOT, 64);
  origin = table(b, ASTFE_BRICK_ORIGIN, 64);
  rangeRow = table(b, ASTFE_RANGE_ROW, 64);
  rangeSegment = table(b, ASTFE_RANGE_SEGMENT, 64);
  rangeSlot = table(b, ASTFE_RANGE_SLOT, 64);
  rangeFiber = table(b, ASTFE_RANGE_FIBER, 64);
  brickFiber = table(b, ASTFE_BRICK_FIBER, 64);
  segmentLast = table(b, ASTFE_BRICK_SEGMENT_LAST, 16);
  segmentFiber = table(b, ASTFE_BRICK_SEGMENT_FIBER, 16);
  fiberLast = table(b, ASTFE_FIBER_LAST, 16);
}

Value host::doBrickRowsAscend(ImplicitLocOpBuilder &b, Value handle,
                              unsigned key) {
  Value ranges =
      callRuntime(b, "astfe_rt_workers", b.getI64Type(), {}).getResult(0);
  Value answer = callRuntime(b, "astfe_rt_brick_rows_ascend", b.getI64Type(),
                             {handle, integer(b, key), ranges})
                     .getResult(0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, answer,
                               integer(b, 0));
}

void BrickTables::forEachWidth(ImplicitLocOpBuilder &b,
                               function_ref<void(unsigned)> emit) {
  Value isNarrow =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, integer(b, 16));
  // Filled once it is in the function: runtime calls look for the module.
  auto choice = scf::IfOp::create(b, isNarrow, /*withElse=*/true);
  auto emitWidth = [&](scf::YieldOp end, unsigned width) {
    b.setInsertionPoint(end);
    auto ofModes = [&](int64_t first) {
      SmallVector<Value> tables;
      for (unsigned mode = 0; mode < rank; ++mode)
        tables.push_back(table(b, first + mode, width));
      return tables;
    };
    coordinates = ofModes(ASTFE_BRICK_COORDINATE);
    slotCoordinates = bySlot ? ofModes(ASTFE_SLOT_COORDINATE) : coordinates;
    emit(width);
  };
  OpBuilder::InsertionGuard guard(b);
  emitWidth(choice.thenYield(), 16);
  emitWidth(choice.elseYield(), 32);
}
