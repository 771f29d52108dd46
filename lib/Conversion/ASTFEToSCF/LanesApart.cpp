//===- LanesApart.cpp - lanes that lie apart in memory --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LanesApart.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

static Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

bool host::areApart(Value buffer) {
  return !cast<MemRefType>(buffer.getType()).isLastDimUnitStride();
}

/// at, with the last index so many further on.
static SmallVector<Value> laneOf(ImplicitLocOpBuilder &b, ValueRange at,
                                 int64_t lane) {
  SmallVector<Value> indices(at);
  indices.back() = arith::AddIOp::create(b, indices.back(), constant(b, lane));
  return indices;
}

namespace {
/// Lanes that lie apart, as gather and scatter take them: elements side by side
/// from the first lane on, and where among them each lane's is.
struct LanesApart {
  Value elements, first, steps;

  LanesApart(ImplicitLocOpBuilder &b, VectorType type, Value buffer,
             ValueRange at);
};
} // namespace

LanesApart::LanesApart(ImplicitLocOpBuilder &b, VectorType type, Value buffer,
                       ValueRange at) {
  auto parts = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value start = parts.getOffset();
  for (auto [index, stride] : llvm::zip(at, parts.getStrides()))
    start = arith::AddIOp::create(b, start,
                                  arith::MulIOp::create(b, index, stride));
  auto strided = cast<MemRefType>(buffer.getType());
  auto side = MemRefType::get(
      {ShapedType::kDynamic}, strided.getElementType(),
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}),
      strided.getMemorySpace());
  Value stride = parts.getStrides().back();
  first = constant(b, 0);
  Value extent =
      arith::MulIOp::create(b, stride, constant(b, type.getDimSize(0)));
  elements = memref::ReinterpretCastOp::create(
      b, side, parts.getBaseBuffer(), OpFoldResult(start),
      ArrayRef<OpFoldResult>{extent},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  auto numbers = VectorType::get(type.getShape(), b.getIndexType());
  SmallVector<Attribute> lanes;
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane)
    lanes.push_back(b.getIndexAttr(lane));
  steps = arith::MulIOp::create(
      b, vector::BroadcastOp::create(b, numbers, stride),
      arith::ConstantOp::create(b, DenseElementsAttr::get(numbers, lanes)));
}

/// Every second element from [at] on: the lower half of the lanes is in a
/// vector that begins there, the upper half in one that ends with the last lane
/// that is wanted, so that nothing behind it is read.
static Value loadEverySecond(ImplicitLocOpBuilder &b, VectorType type,
                             Value buffer, ValueRange at) {
  const int64_t count = type.getDimSize(0);
  LanesApart lanes(b, type, buffer, at);
  Value lower = vector::LoadOp::create(b, type, lanes.elements, constant(b, 0));
  Value upper =
      vector::LoadOp::create(b, type, lanes.elements, constant(b, count - 1));
  SmallVector<int64_t> picked;
  for (int64_t lane = 0; lane < count; ++lane)
    picked.push_back(2 * lane < count ? 2 * lane : 2 * lane + 1);
  return vector::ShuffleOp::create(b, lower, upper, picked);
}

/// Element by element: gathers are no faster, and microcode on some machines.
/// Lanes that are not under the mask may lie beyond the buffer.
Value host::loadApart(ImplicitLocOpBuilder &b, VectorType type, Value buffer,
                      ValueRange at, Value mask) {
  if (mask) {
    LanesApart lanes(b, type, buffer, at);
    return vector::GatherOp::create(
        b, type, lanes.elements, lanes.first, lanes.steps, mask,
        arith::ConstantOp::create(b, b.getZeroAttr(type)));
  }
  auto strided = cast<MemRefType>(buffer.getType());
  if (type.getDimSize(0) % 2 == 0 &&
      strided.getStridesAndOffset().first.back() == 2)
    return loadEverySecond(b, type, buffer, at);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane)
    elements.push_back(memref::LoadOp::create(b, buffer, laneOf(b, at, lane)));
  return vector::FromElementsOp::create(b, type, elements);
}

void host::storeApart(ImplicitLocOpBuilder &b, Value value, Value buffer,
                      ValueRange at, Value mask) {
  auto type = cast<VectorType>(value.getType());
  if (mask) {
    LanesApart lanes(b, type, buffer, at);
    vector::ScatterOp::create(b, Type(), lanes.elements, lanes.first,
                              lanes.steps, mask, value);
    return;
  }
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane)
    memref::StoreOp::create(b, vector::ExtractOp::create(b, value, lane),
                            buffer, laneOf(b, at, lane));
}
