//===- ComputeShape.cpp - which emitter a computation gets ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputeShape.h"

using namespace mlir;
using namespace astfe;
using namespace astfe::host;

/// The body runs on vectors as it is: elementwise ops and constants.
static bool isElementwise(ComputeOp op) {
  return llvm::all_of(op.getBody().front().without_terminator(),
                      [](Operation &inner) {
                        return inner.getNumRegions() == 0 &&
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

ComputeShape host::classify(ComputeBody &body, unsigned majorDim) {
  if (body.outputs.size() != 1 || body.dims() > kDenseDim + 1 ||
      body.dims() < kDenseDim || !isElementwise(body.op))
    return ComputeShape::Scalar;
  unsigned minorDim = majorDim == kRowDim ? kColumnDim : kRowDim;
  SmallVector<unsigned> laneDims{kNonzeroDim, minorDim};
  if (body.dims() > kDenseDim)
    laneDims = {kDenseDim};
  for (auto [map, buffer] : llvm::zip(body.inputMaps, body.inputs))
    if (!lanesFit(map, buffer, laneDims))
      return ComputeShape::Scalar;
  if (!lanesFit(body.outputMaps.front(), body.outputs.front(), {kDenseDim}))
    return ComputeShape::Scalar;
  if (isRowOf(body, majorDim))
    return ComputeShape::Rows;
  return body.dims() > kDenseDim && isRowOf(body, minorDim)
             ? ComputeShape::Columns
             : ComputeShape::Scalar;
}

LaneShape host::laneShape(ComputeBody &body, int64_t vectorBytes) {
  int64_t bits = body.elementType(body.outputs.front()).getIntOrFloatBitWidth();
  LaneShape shape;
  shape.lanes = std::max<int64_t>(2, vectorBytes * 8 / bits);
  // Eight chains of multiply-adds hide their latency; where the number of
  // columns is unknown each partial tile costs code, so four.
  Value columns = denseColumns(body);
  APInt known;
  if (columns && matchPattern(columns, m_ConstantInt(&known)))
    shape.maxVectors = std::clamp<int64_t>(
        llvm::divideCeil(known.getSExtValue(), shape.lanes), 1, 8);
  return shape;
}
