//===- StreamedRows.cpp - rows of the output past the caches --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedRows.h"
#include "ASTFE/Core/Target/Constants.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Bytes of an operand's elements; a constant where its shape is one.
static Value bytesOf(ComputeBody &body, Value operand) {
  ImplicitLocOpBuilder &b = body.b;
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return body.index(0);
  Type element = type.getElementType();
  const int64_t bits =
      element.isIndex() ? 64 : partType(element).getIntOrFloatBitWidth();
  const int64_t parts = isa<ComplexType>(element) ? 2 : 1;
  Value bytes = body.index(parts * llvm::divideCeil(bits, 8));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    bytes = b.createOrFold<arith::MulIOp>(
        bytes, b.createOrFold<memref::DimOp>(operand, dim));
  return bytes;
}

/// i1: the output's lines of one product are in no cache in the next one. Both
/// touch all operands, values and dense ones, and of the last cache a process
/// can count on half.
static Value outgrowsCaches(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  Value all = bytesOf(body, body.outputs.front());
  for (Value input : body.inputs)
    all = b.createOrFold<arith::AddIOp>(all, bytesOf(body, input));
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ugt, all,
                                       body.index(core::rules::kCacheBytes[2]));
}

/// A row of the output is a multiple of lines, or may be one at run time.
static bool mayBeLines(Value columns, int64_t element) {
  std::optional<int64_t> known = getConstantIntValue(columns);
  return !known || *known * element % core::rules::kLineBytes == 0;
}

/// A word of the function's stack.
static Value stackWord(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  OpBuilder::InsertionGuard guard(b);
  auto *scope =
      body.op->getParentWithTrait<OpTrait::AutomaticAllocationScope>();
  b.setInsertionPointToStart(&scope->getRegion(0).front());
  return memref::AllocaOp::create(b, MemRefType::get({}, b.getI32Type()));
}

StreamedRows host::streamedRows(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  Value columns = denseColumns(body), output = body.outputs.front();
  auto type = cast<MemRefType>(output.getType());
  const int64_t bits = type.getElementTypeBitWidth();
  if (!body.op.getOverwrite() || body.samples() || !columns || bits % 8 ||
      type.getRank() != 2 || !type.isLastDimUnitStride() ||
      !mayBeLines(columns, bits / 8))
    return {};
  Value outgrows = outgrowsCaches(body);
  if (isConstantIntValue(outgrows, 0))
    return {};
  auto parts = memref::ExtractStridedMetadataOp::create(b, output);
  auto bytes = [&](Value elements) {
    return arith::MulIOp::create(b, elements, body.index(bits / 8));
  };
  Value start = arith::AddIOp::create(
      b,
      memref::ExtractAlignedPointerAsIndexOp::create(b, parts.getBaseBuffer()),
      bytes(parts.getOffset()));
  // Address, distance and length of rows have no bit below a line's.
  Value low = arith::OrIOp::create(b, start, bytes(parts.getStrides()[0]));
  low = arith::OrIOp::create(b, low, bytes(columns));
  low = arith::AndIOp::create(b, low, body.index(core::rules::kLineBytes - 1));
  Value isLines =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, low, body.index(0));
  StreamedRows rows;
  rows.isOn = arith::AndIOp::create(b, outgrows, isLines);
  if (body.isFar)
    rows.isOn = arith::AndIOp::create(b, rows.isOn, notOf(b, body.isFar));
  rows.word = stackWord(body);
  return rows;
}

/// i1: lines of the output alone are in no cache once it has been cleared.
static Value outputOutgrowsCaches(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ugt,
                                       bytesOf(body, body.outputs.front()),
                                       body.index(core::rules::kCacheBytes[3]));
}

StreamedRows host::streamedRun(ComputeBody &body, Value flat, RunUse use) {
  ImplicitLocOpBuilder &b = body.b;
  const int64_t bits = body.elementType(flat).getIntOrFloatBitWidth();
  if (!llvm::isPowerOf2_64(bits) || bits < 8)
    return {};
  Value outgrows =
      use == RunUse::Gap ? outgrowsCaches(body) : outputOutgrowsCaches(body);
  if (isConstantIntValue(outgrows, 0))
    return {};
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, flat);
  Value below = arith::AndIOp::create(b, start, body.index(bits / 8 - 1));
  Value isAligned =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, below, body.index(0));
  StreamedRows run;
  run.isOn = arith::AndIOp::create(b, outgrows, isAligned);
  run.word = stackWord(body);
  return run;
}

Value host::streamedPiece(ComputeBody &body, const RowRun &run, Value begins) {
  if (!body.streamed || !begins)
    return body.streamed.isOn;
  ImplicitLocOpBuilder &b = body.b;
  Value length = arith::SubIOp::create(b, run.end, run.begin);
  Value isPiece =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ule, length,
                            body.index(core::rules::kPieceNonzeros));
  return arith::AndIOp::create(b, body.streamed.isOn, isPiece);
}

void host::drain(ComputeBody &body, const StreamedRows &streamed) {
  if (!streamed)
    return;
  ImplicitLocOpBuilder &b = body.b;
  scf::IfOp::create(b, streamed.isOn, [&](OpBuilder &, Location) {
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::assign, zero,
                                streamed.word, ValueRange());
    scf::YieldOp::create(b);
  });
}
