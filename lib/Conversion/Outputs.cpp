//===- Outputs.cpp - the buffers that computations write ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Outputs.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

/// A loop around `op` that `value` comes into from outside: each trip reads it.
static bool entersLoop(Value value, Operation *op) {
  Region *home = value.getParentRegion();
  for (Region *region = op->getParentRegion(); region && region != home;
       region = region->getParentRegion())
    if (isa<LoopLikeOpInterface>(region->getParentOp()))
      return true;
  return false;
}

/// The use reads the tensor, if at all, before `op` runs, and leaves no alias.
static bool isOver(OpOperand &use, Operation *op) {
  Operation *user = use.getOwner();
  if (isa<tensor::DimOp>(user))
    return true;
  Operation *at = user->getBlock()->findAncestorOpInBlock(*op);
  if (!at || at == user || !user->isBeforeInBlock(at))
    return false;
  return isa<bufferization::AllocTensorOp>(user) ||
         llvm::none_of(user->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// Whether something needs what is in the buffer of `output` beside `op`: uses
/// of the value, and of what its makers wrote in place.
static bool isReused(OpOperand &output, Operation *op) {
  if (entersLoop(output.get(), op))
    return true;
  OpOperand *use = &output;
  while (use) {
    Value value = use->get();
    if (!llvm::all_of(value.getUses(), [&](OpOperand &other) {
          return &other == use || isOver(other, op);
        }))
      return true;
    auto maker = value.getDefiningOp<DestinationStyleOpInterface>();
    use = maker ? maker.getTiedOpOperand(cast<OpResult>(value)) : nullptr;
  }
  return false;
}

/// A tensor to write instead of `value`; with its elements if they are read.
static Value cloneOutput(RewriterBase &rewriter, Operation *op, bool overwrites,
                         Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Value> sizes;
  for (int64_t r = 0; overwrites && r < type.getRank(); ++r)
    if (type.isDynamicDim(r))
      sizes.push_back(tensor::DimOp::create(rewriter, op->getLoc(), value, r));
  return bufferization::AllocTensorOp::create(
      rewriter, op->getLoc(), type, sizes, overwrites ? Value() : value);
}

static void copyReused(RewriterBase &rewriter, DestinationStyleOpInterface op,
                       function_ref<bool(unsigned)> overwrites) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (auto [i, output] : llvm::enumerate(op.getDpsInitsMutable()))
    if (isa<RankedTensorType>(output.get().getType()) && isReused(output, op))
      output.set(
          cloneOutput(rewriter, op, overwrites(unsigned(i)), output.get()));
}

void astfe::copyReusedOutputs(RewriterBase &rewriter, ComputeOp op) {
  copyReused(rewriter, op, [&](unsigned) { return op.getOverwrite(); });
}

void astfe::copyReusedOutputs(RewriterBase &rewriter, FusedOp op) {
  copyReused(rewriter, op, [&](unsigned i) { return op.overwrites(i); });
}

Value astfe::resultTensor(OpBuilder &b, Location loc, Value buffer,
                          Value init) {
  Value result =
      bufferization::ToTensorOp::create(b, loc, init.getType(), buffer,
                                        /*restrict=*/true, /*writable=*/true);
  Operation *parent = b.getInsertionBlock()->getParentOp();
  if (!isa<LoopLikeOpInterface>(parent) &&
      !parent->getParentOfType<LoopLikeOpInterface>())
    return result;
  return bufferization::MaterializeInDestinationOp::create(
             b, loc, init.getType(), result, init)
      .getResult();
}
