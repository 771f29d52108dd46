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
  Value elements, first, stride;

  LanesApart(ImplicitLocOpBuilder &b, VectorType type, Value buffer,
             ValueRange at);
  /// Where each lane is.
  Value steps(ImplicitLocOpBuilder &b, VectorType type, bool pairs) const;
  /// Where the pair is that begins with a lane.
  Value pairAt(ImplicitLocOpBuilder &b, int64_t lane) const {
    return b.createOrFold<arith::MulIOp>(stride, constant(b, lane));
  }
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
  stride = parts.getStrides().back();
  first = constant(b, 0);
  Value extent =
      arith::MulIOp::create(b, stride, constant(b, type.getDimSize(0)));
  elements = memref::ReinterpretCastOp::create(
      b, side, parts.getBaseBuffer(), OpFoldResult(start),
      ArrayRef<OpFoldResult>{extent},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value LanesApart::steps(ImplicitLocOpBuilder &b, VectorType type,
                        bool pairs) const {
  auto numbers = VectorType::get(type.getShape(), b.getIndexType());
  SmallVector<Attribute> apart, beside;
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane) {
    const int64_t second = pairs ? lane % 2 : 0;
    apart.push_back(b.getIndexAttr(lane - second));
    beside.push_back(b.getIndexAttr(second));
  }
  auto all = [&](ArrayRef<Attribute> lanes) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(numbers, lanes));
  };
  Value steps = arith::MulIOp::create(
      b, vector::BroadcastOp::create(b, numbers, stride), all(apart));
  return pairs ? arith::AddIOp::create(b, steps, all(beside)).getResult()
               : steps;
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

/// Pair by pair.
static Value loadPairs(ImplicitLocOpBuilder &b, VectorType type, Value buffer,
                       ValueRange at) {
  LanesApart lanes(b, type, buffer, at);
  auto pair = VectorType::get({2}, type.getElementType());
  Value all = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < type.getDimSize(0); lane += 2)
    all = vector::InsertStridedSliceOp::create(
        b,
        vector::LoadOp::create(b, pair, lanes.elements, lanes.pairAt(b, lane)),
        all, lane, 1);
  return all;
}

static void storePairs(ImplicitLocOpBuilder &b, Value value, Value buffer,
                       ValueRange at) {
  auto type = cast<VectorType>(value.getType());
  LanesApart lanes(b, type, buffer, at);
  for (int64_t lane = 0; lane < type.getDimSize(0); lane += 2)
    vector::StoreOp::create(
        b, vector::ExtractStridedSliceOp::create(b, value, lane, 2, 1),
        lanes.elements, lanes.pairAt(b, lane));
}

/// Element by element: gathers are no faster, and microcode on some machines.
/// Lanes that are not under the mask may lie beyond the buffer.
Value host::loadApart(ImplicitLocOpBuilder &b, VectorType type, Value buffer,
                      ValueRange at, Value mask, bool pairs) {
  if (mask) {
    LanesApart lanes(b, type, buffer, at);
    return vector::GatherOp::create(
        b, type, lanes.elements, lanes.first, lanes.steps(b, type, pairs), mask,
        arith::ConstantOp::create(b, b.getZeroAttr(type)));
  }
  if (pairs)
    return loadPairs(b, type, buffer, at);
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
                      ValueRange at, Value mask, bool pairs) {
  auto type = cast<VectorType>(value.getType());
  if (mask) {
    LanesApart lanes(b, type, buffer, at);
    vector::ScatterOp::create(b, Type(), lanes.elements, lanes.first,
                              lanes.steps(b, type, pairs), mask, value);
    return;
  }
  if (pairs)
    return storePairs(b, value, buffer, at);
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane)
    memref::StoreOp::create(b, vector::ExtractOp::create(b, value, lane),
                            buffer, laneOf(b, at, lane));
}
