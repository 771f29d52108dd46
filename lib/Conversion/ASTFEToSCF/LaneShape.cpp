//===- LaneShape.cpp - vectors and tiles of a computation -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "RowEmitters.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// Columns that the kernel attribute says a tile has; 0 without one.
static int64_t columnTileOf(ComputeOp op) {
  KernelAttr kernel = op.getKernelAttr();
  return kernel ? kernel.getColumnTile() : 0;
}

/// Vectors of a known number of columns, of at most `widest` lanes. Up to half
/// a widest vector take one vector, if need be under a mask; more, but not all
/// of it, take two of half its lanes, which overlap: as wide a vector under a
/// mask is no faster where the hardware halves it, and needs the mask.
static LaneShape knownShape(int64_t columns, int64_t widest) {
  LaneShape shape;
  int64_t needed = std::max<int64_t>(1, llvm::PowerOf2Ceil(uint64_t(columns)));
  shape.lanes = std::min(needed, widest);
  if (columns < needed && needed == widest) {
    shape.lanes = widest / 2;
    shape.lastLanes = shape.lanes;
  }
  // Where the number of columns is unknown each partial tile costs code, so
  // there are half as many.
  shape.maxVectors = std::clamp<int64_t>(llvm::divideCeil(columns, shape.lanes),
                                         1, core::rules::kChains);
  return shape;
}

/// Elements along the lanes of some operand lie apart: each is a load of its
/// own.
static bool hasLanesApart(ComputeBody &body) {
  auto isApart = [](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && !type.isLastDimUnitStride();
  };
  return llvm::any_of(body.inputs, isApart) ||
         llvm::any_of(body.outputs, isApart);
}

int64_t host::widestLanes(ComputeBody &body, int64_t vectorBytes) {
  return std::max<int64_t>(2, vectorBytes * 8 / body.laneBits());
}

LaneShape host::laneShape(ComputeBody &body, int64_t vectorBytes) {
  LaneShape shape;
  shape.lanes = widestLanes(body, vectorBytes);
  int64_t tile = columnTileOf(body.op) * (body.plan.pairs ? 2 : 1);
  if (tile)
    shape.lanes = std::min(shape.lanes, std::max<int64_t>(2, tile));
  Value columns = denseColumns(body);
  APInt constant;
  if (columns && matchPattern(columns, m_ConstantInt(&constant)))
    shape = knownShape(constant.getSExtValue(), shape.lanes);
  if (tile)
    shape.maxVectors =
        std::min(shape.maxVectors, std::max<int64_t>(1, tile / shape.lanes));
  if (hasLanesApart(body))
    shape.maxVectors = std::min(shape.maxVectors, core::rules::kVectorsApart);
  return shape;
}
