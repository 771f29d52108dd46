//===- BrickSlices.cpp - bricks that are arranged piece by piece ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickSlices.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

static Value toNumber(ImplicitLocOpBuilder &b, Value index) {
  return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
}

Value BrickSlice::isFirst() const {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                               integer(b, 0));
}

Value BrickSlice::isLast() const {
  Value next = arith::AddIOp::create(b, number, integer(b, 1));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, count);
}

static bool hasSlots(AffineMap map) { return map.isFunctionOfDim(0); }

/// The one stride of a vector.
static Value strideOf(ImplicitLocOpBuilder &b, Value buffer) {
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  if (!ShapedType::isDynamic(strides.front()))
    return arith::ConstantIndexOp::create(b, strides.front());
  return memref::ExtractStridedMetadataOp::create(b, buffer)
      .getStrides()
      .front();
}

static Value offsetOf(ImplicitLocOpBuilder &b, Value buffer) {
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  if (!ShapedType::isDynamic(offset))
    return arith::ConstantIndexOp::create(b, offset);
  return memref::ExtractStridedMetadataOp::create(b, buffer).getOffset();
}

Value host::valueBytesOfSlot(ComputeBody &body) {
  ImplicitLocOpBuilder &b = body.b;
  Value sum = integer(b, 0);
  for (auto [buffer, map] : llvm::zip(body.inputs, body.inputMaps)) {
    if (!hasSlots(map))
      continue;
    const Type element = cast<MemRefType>(buffer.getType()).getElementType();
    Value bytes = b.createOrFold<arith::MulIOp>(
        toNumber(b, strideOf(b, buffer)), integer(b, bytesInMemory(element)));
    sum = b.createOrFold<arith::AddIOp>(sum, bytes);
  }
  return sum;
}

/// The slice's values in place of `buffer`, of the same type. Nothing asks for
/// their number.
static Value sliceOf(ImplicitLocOpBuilder &b, Value slice, Value key,
                     Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  assert(type.getRank() == 1 && "a slot has one value");
  Value offset = offsetOf(b, buffer), stride = strideOf(b, buffer);
  Value bytes = integer(b, bytesInMemory(type.getElementType()));
  Value address =
      toNumber(b, memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
  Value found =
      callRuntime(b, "astfe_rt_brick_slice_values",
                  MemRefType::get({ShapedType::kDynamic}, b.getI8Type()),
                  {slice, key, address, bytes, toNumber(b, offset),
                   toNumber(b, stride)})
          .getResult(0);
  Value size = memref::DimOp::create(b, buffer, 0);
  Value all = b.createOrFold<arith::AddIOp>(
      offset, b.createOrFold<arith::MulIOp>(size, stride));
  auto flat = MemRefType::get({ShapedType::kDynamic}, type.getElementType());
  Value values = memref::ViewOp::create(
      b, flat, found, arith::ConstantIndexOp::create(b, 0), all);
  if (type == flat)
    return values;
  auto known = [&](int64_t constant, Value value) {
    return ShapedType::isDynamic(constant)
               ? OpFoldResult(value)
               : OpFoldResult(b.getIndexAttr(constant));
  };
  auto [strides, first] = type.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(
      b, type, values, known(first, offset),
      ArrayRef<OpFoldResult>{known(type.getDimSize(0), size)},
      ArrayRef<OpFoldResult>{known(strides.front(), stride)});
}

void host::forEachSlice(ComputeBody &body, Value handle, Value slices,
                        unsigned keyMode,
                        function_ref<void(const BrickSlice &)> emit) {
  ImplicitLocOpBuilder &b = body.b;
  Value key = integer(b, keyMode);
  Value end = arith::IndexCastOp::create(b, b.getIndexType(), slices);
  // Filled once it is in the function: runtime calls look for the module.
  auto loop = scf::ForOp::create(b, body.index(0), end, body.index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value place = toNumber(b, loop.getInductionVar());
  Value slice = callRuntime(b, "astfe_rt_brick_slice",
                            LLVM::LLVMPointerType::get(b.getContext()),
                            {handle, key, place, slices})
                    .getResult(0);
  const SmallVector<Value> inputs = body.inputs;
  for (auto [buffer, map] : llvm::zip(body.inputs, body.inputMaps))
    if (hasSlots(map))
      buffer = sliceOf(b, slice, key, buffer);
  Value fits = callRuntime(b, "astfe_rt_bricks_fit", b.getI64Type(),
                           {slice, integer(b, body.op.getPatternRank()), key})
                   .getResult(0);
  auto isThere = scf::IfOp::create(
      b,
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, fits, integer(b, 0)),
      /*withElse=*/false);
  {
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPoint(isThere.thenYield());
    emit({slice, place, slices, b});
  }
  body.inputs = inputs;
  callRuntime(b, "astfe_rt_release", TypeRange(), slice);
}
