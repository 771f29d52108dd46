//===- LaneAddress.cpp - vectors at constant distances of an address ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneAddress.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Elements from the buffer's aligned pointer to [at]. Strides that the type
/// says are constants, which the buffer's own are not where it is an argument.
static Value distanceOf(ImplicitLocOpBuilder &b,
                        memref::ExtractStridedMetadataOp parts, MemRefType type,
                        ValueRange at) {
  auto [strides, offset] = type.getStridesAndOffset();
  auto known = [&](int64_t number, Value given) -> Value {
    if (ShapedType::isDynamic(number))
      return given;
    return arith::ConstantIndexOp::create(b, number);
  };
  Value distance = known(offset, parts.getOffset());
  for (auto [index, stride, given] :
       llvm::zip_equal(at, strides, parts.getStrides()))
    distance = b.createOrFold<arith::AddIOp>(
        b.createOrFold<arith::MulIOp>(index, known(stride, given)), distance);
  return distance;
}

LaneAddress host::laneAddress(ImplicitLocOpBuilder &b, Value buffer,
                              ValueRange at) {
  LaneAddress plain{buffer, SmallVector<Value>(at)};
  auto type = dyn_cast<MemRefType>(buffer.getType());
  auto sum =
      at.empty() ? arith::AddIOp() : at.back().getDefiningOp<arith::AddIOp>();
  if (!sum || !type || !type.isLastDimUnitStride())
    return plain;
  std::optional<int64_t> constant = getConstantIntValue(sum.getRhs());
  if (!constant || *constant < 0)
    return plain;
  SmallVector<Value> first(at);
  first.back() = sum.getLhs();
  auto parts = memref::ExtractStridedMetadataOp::create(b, buffer);
  auto side = MemRefType::get(
      {ShapedType::kDynamic}, type.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}),
      type.getMemorySpace());
  Value rest = arith::SubIOp::create(
      b, memref::DimOp::create(b, buffer, type.getRank() - 1), first.back());
  Value from = memref::ReinterpretCastOp::create(
      b, side, parts.getBaseBuffer(),
      OpFoldResult(distanceOf(b, parts, type, first)),
      ArrayRef<OpFoldResult>{rest}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  return {from, {sum.getRhs()}};
}
