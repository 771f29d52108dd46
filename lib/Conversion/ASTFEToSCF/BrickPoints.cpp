//===- BrickPoints.cpp - what is known where in bricks --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrickPoints.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

BrickPoints::BrickPoints(ComputeBody &body, const BrickTables &tables,
                         const BrickShape &shape,
                         std::optional<unsigned> fiberMode)
    : rank(body.op.getPatternRank()), key(shape.key), fiberMode(fiberMode),
      flush(findFlush(body.outputMaps.front())), body(body), tables(tables) {
  for (unsigned mode = 0; mode < rank; ++mode) {
    bool used = usesMode(body.outputMaps.front(), mode);
    for (AffineMap map : body.inputMaps)
      used |= usesMode(map, mode);
    isUsed.push_back(used);
  }
}

bool BrickPoints::variesBySlot(AffineMap map) const {
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != key && mode != fiberMode && usesMode(map, mode))
      return true;
  return false;
}

bool BrickPoints::isKnownAtFiber(AffineMap map) const {
  return fiberMode && !map.isFunctionOfDim(0) && !variesBySlot(map);
}

FlushAt BrickPoints::findFlush(AffineMap output) const {
  bool onlyKey = true;
  for (unsigned mode = 0; mode < rank; ++mode)
    onlyKey &= mode == key || !usesMode(output, mode);
  if (onlyKey)
    return FlushAt::Segment;
  return isKnownAtFiber(output) ? FlushAt::Fiber : FlushAt::Slot;
}

/// The buffer from the brick's origin on, for local coordinates. Nothing asks
/// for its sizes.
Value BrickPoints::shifted(Value buffer, AffineMap map,
                           ArrayRef<Value> origin) {
  ImplicitLocOpBuilder &b = body.b;
  auto isMode = [&](unsigned r) {
    return map.getDimPosition(r) >= 1 && map.getDimPosition(r) <= rank;
  };
  auto results = llvm::seq(0u, map.getNumResults());
  if (llvm::none_of(results, isMode))
    return buffer;
  auto type = cast<MemRefType>(buffer.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  auto parts = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value start = parts.getOffset();
  SmallVector<OpFoldResult> sizes, steps;
  for (unsigned r : results) {
    sizes.push_back(type.isDynamicDim(r) ? OpFoldResult(parts.getSizes()[r])
                                         : b.getIndexAttr(type.getDimSize(r)));
    steps.push_back(ShapedType::isDynamic(strides[r])
                        ? OpFoldResult(parts.getStrides()[r])
                        : b.getIndexAttr(strides[r]));
    if (isMode(r))
      start = arith::AddIOp::create(
          b, start,
          arith::MulIOp::create(b, origin[map.getDimPosition(r) - 1],
                                parts.getStrides()[r]));
  }
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  auto moved = MemRefType::get(type.getShape(), type.getElementType(), layout,
                               type.getMemorySpace());
  return memref::ReinterpretCastOp::create(b, moved, buffer, start, sizes,
                                           steps);
}

void BrickPoints::shiftOperands(Value brick) {
  ImplicitLocOpBuilder &b = body.b;
  Value first = arith::MulIOp::create(b, brick, body.index(rank));
  SmallVector<Value> origin;
  for (unsigned mode = 0; mode < rank; ++mode) {
    Value at;
    if (isUsed[mode])
      at = loadIndex(b, tables.origin,
                     arith::AddIOp::create(b, first, body.index(mode)));
    origin.push_back(at);
  }
  for (auto [buffer, map] : llvm::zip(body.inputs, body.inputMaps))
    buffer = shifted(buffer, map, origin);
  for (auto [buffer, map] : llvm::zip(body.outputs, body.outputMaps))
    buffer = shifted(buffer, map, origin);
}

void BrickPoints::setMode(BrickPoint &point, unsigned mode, Value at) const {
  if (isUsed[mode])
    point[1 + mode] = loadIndex(body.b, tables.coordinates[mode], at);
}

void BrickPoints::setSlot(BrickPoint &point, Value slot) const {
  point[0] = slot;
  for (unsigned mode = 0; mode < rank; ++mode)
    if (mode != key && mode != fiberMode && isUsed[mode])
      point[1 + mode] = loadIndex(body.b, tables.slotCoordinates[mode], slot);
}
