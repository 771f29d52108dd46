//===- ComputeShape.cpp - which emitter a computation gets ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeShape.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The body runs on vectors as it is: elementwise ops and constants. They run
/// in lanes under a mask too, where nothing may trap.
static bool isElementwise(ComputeOp op) {
  return llvm::all_of(
      op.getBody().front().without_terminator(), [](Operation &inner) {
        return inner.getNumRegions() == 0 && isSpeculatable(&inner) &&
               (OpTrait::hasElementwiseMappableTraits(&inner) ||
                inner.hasTrait<OpTrait::ConstantLike>());
      });
}

/// Elements that the hardware has vectors of.
static bool isVectorElement(Type type) {
  return VectorType::isValidElementType(type) && type.isIntOrFloat() &&
         type.getIntOrFloatBitWidth() >= 8;
}

/// `laneDims` are only the last index of an operand whose elements lie side by
/// side.
static bool lanesFit(AffineMap map, Value buffer, ArrayRef<unsigned> laneDims) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!isVectorElement(type.getElementType()))
    return false;
  for (unsigned r = 0; r < map.getNumResults(); ++r) {
    if (!llvm::is_contained(laneDims, map.getDimPosition(r)))
      continue;
    if (r + 1 != map.getNumResults() || !type.isLastDimUnitStride())
      return false;
  }
  return true;
}

/// The output is row `major` of one or two dimensions.
static bool isRowOf(ComputeBody &body, unsigned major) {
  AffineMap map = body.outputMaps.front();
  if (map.getNumResults() == 0 || map.getDimPosition(0) != major)
    return false;
  if (body.dims() == kDenseDim)
    return map.getNumResults() == 1;
  return map.getNumResults() == 2 && map.getDimPosition(1) == kDenseDim;
}

/// Why the emitters with lanes have no code for the operands or the body.
static StringRef whyNoLanes(ComputeBody &body, unsigned minorDim) {
  if (body.outputs.size() != 1)
    return "there is more than one output";
  if (body.dims() > kDenseDim + 1)
    return "there is more than one dense dimension";
  if (!isElementwise(body.op))
    return "the body is not elementwise, or may trap";
  SmallVector<unsigned> laneDims{kNonzeroDim, minorDim};
  if (body.dims() > kDenseDim)
    laneDims = {kDenseDim};
  for (auto [map, buffer] : llvm::zip(body.inputMaps, body.inputs))
    if (!lanesFit(map, buffer, laneDims))
      return "an input has no vectors along the lanes";
  if (!lanesFit(body.outputMaps.front(), body.outputs.front(), {kDenseDim}))
    return "the output has no vectors along the lanes";
  return {};
}

ShapeChoice host::classify(ComputeBody &body, unsigned majorDim) {
  unsigned minorDim = majorDim == kRowDim ? kColumnDim : kRowDim;
  if (StringRef why = whyNoLanes(body, minorDim); !why.empty())
    return {ComputeShape::Scalar, why};
  if (isRowOf(body, majorDim))
    return {ComputeShape::Rows, {}};
  if (!isRowOf(body, minorDim))
    return {ComputeShape::Scalar, "the output is not indexed by rows"};
  if (body.dims() == kDenseDim)
    return {ComputeShape::Scalar,
            "the output is indexed by the stored coordinates and has no dense "
            "columns that workers could share"};
  return {ComputeShape::Columns, {}};
}

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
  // Eight chains of multiply-adds hide their latency; where the number of
  // columns is unknown each partial tile costs code, so four.
  shape.maxVectors =
      std::clamp<int64_t>(llvm::divideCeil(columns, shape.lanes), 1, 8);
  return shape;
}

LaneShape host::laneShape(ComputeBody &body, int64_t vectorBytes) {
  int64_t bits = body.elementType(body.outputs.front()).getIntOrFloatBitWidth();
  LaneShape shape;
  shape.lanes = std::max<int64_t>(2, vectorBytes * 8 / bits);
  int64_t tile = columnTileOf(body.op);
  if (tile)
    shape.lanes = std::min(shape.lanes, std::max<int64_t>(2, tile));
  Value columns = denseColumns(body);
  APInt constant;
  if (columns && matchPattern(columns, m_ConstantInt(&constant)))
    shape = knownShape(constant.getSExtValue(), shape.lanes);
  if (tile)
    shape.maxVectors =
        std::min(shape.maxVectors, std::max<int64_t>(1, tile / shape.lanes));
  return shape;
}
