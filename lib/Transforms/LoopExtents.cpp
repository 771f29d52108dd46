//===- LoopExtents.cpp - how often the loops of an op run -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopExtents.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {

/// A tensor of the same shape that was there before: fills may go.
static Value shapedAlike(Value tensor) {
  while (auto made = tensor.getDefiningOp<DestinationStyleOpInterface>())
    tensor = made.getTiedOpOperand(cast<OpResult>(tensor))->get();
  return tensor;
}

SmallVector<OpFoldResult> extentsOf(OpBuilder &b, linalg::LinalgOp op,
                                    unsigned loop) {
  OpFoldResult known;
  SmallVector<OpFoldResult> dense, sparse;
  for (OpOperand &operand : op->getOpOperands()) {
    auto place = placeOf(op.getMatchingIndexingMap(&operand), loop);
    if (!place)
      continue;
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (!type.isDynamicDim(*place)) {
      known = b.getIndexAttr(type.getDimSize(*place));
      continue;
    }
    Value asked = b.createOrFold<tensor::DimOp>(
        op.getLoc(), shapedAlike(operand.get()), *place);
    (sparse_tensor::getSparseTensorEncoding(type) ? sparse : dense)
        .push_back(asked);
  }
  SmallVector<OpFoldResult> extents;
  if (known)
    extents.push_back(known);
  llvm::append_range(extents, dense);
  llvm::append_range(extents, sparse);
  return extents;
}

} // namespace astfe
