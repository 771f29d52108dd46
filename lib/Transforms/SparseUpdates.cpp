//===- SparseUpdates.cpp - sparse tensors changed in place ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseUpdates.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensorType.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace astfe {

static bool changesPermuted(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op.getOutputs().front().getType());
  return type && sparse_tensor::getSparseTensorEncoding(type) &&
         !sparse_tensor::SparseTensorType(type).isIdentity() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         !op.getRegionOutputArgs().front().use_empty();
}

static void updateIntoNew(linalg::GenericOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value old = op.getOutputs().front();
  auto type = cast<RankedTensorType>(old.getType());
  SmallVector<Value> sizes;
  for (auto [k, extent] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(extent))
      sizes.push_back(tensor::DimOp::create(b, loc, old, k));
  Value fresh = tensor::EmptyOp::create(b, loc, type, sizes);
  SmallVector<Value> inputs(op.getInputs());
  inputs.push_back(old);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.push_back(maps.back());
  auto copy = linalg::GenericOp::create(b, loc, type, inputs, fresh, maps,
                                        op.getIteratorTypesArray());
  copy.getRegion().takeBody(op.getRegion());
  // What was the output is the last input now.
  copy.getBody()->addArgument(type.getElementType(), loc);
  op.getResult(0).replaceAllUsesWith(copy.getResult(0));
  op.erase();
}

/// The op changes what a loop carries, which it hands to the next iteration.
static bool changesCarried(linalg::GenericOp op) {
  auto carried = dyn_cast<BlockArgument>(op.getOutputs().front());
  if (!carried || !isa<LoopLikeOpInterface>(carried.getOwner()->getParentOp()))
    return false;
  return llvm::any_of(op.getResult(0).getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

LogicalResult updateIntoNewTensors(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) {
    if (changesPermuted(op))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops) {
    if (changesCarried(op))
      return op.emitOpError("expected a sparse tensor that a loop carries and "
                            "changes to have its dimensions in their order as "
                            "levels but got ")
             << op.getOutputs().front().getType();
    updateIntoNew(op);
  }
  return success();
}

} // namespace astfe
