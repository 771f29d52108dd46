//===- Views.cpp - views as buffers ---------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/StoredLevels.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace astfe;

/// The buffers of a tensor, as they are where `op` runs.
static FailureOr<Value> viewBefore(Operation *op, PackOp pack) {
  Value tensor = pack.getTensor();
  std::optional<CompressedMatrix> matrix =
      CompressedMatrix::of(tensor.getType());
  if (!matrix)
    return pack.emitOpError("expected a CSR or CSC matrix to view but got ")
           << tensor.getType();
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto [positions, coordinates] = getCompressedBuffers(b, tensor);
  return ViewOp::create(b, pack.getResult().getType(), positions, coordinates,
                        getExtent(b, tensor, 0), getExtent(b, tensor, 1),
                        matrix->byColumns)
      .getResult();
}

/// Not writable: the tensor still owns the memory.
static Value valuesBefore(Operation *op, ValuesOp values) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value buffer = sparse_tensor::ToValuesOp::create(b, values.getTensor());
  return bufferization::ToTensorOp::create(b, values.getResult().getType(),
                                           buffer, /*restrict=*/true);
}

/// Of a computation or a chain of them.
template <typename OpTy>
static LogicalResult lowerViews(OpTy op) {
  if (op.getPattern().template getDefiningOp<ViewOp>())
    return success();
  auto pack = op.getPattern().template getDefiningOp<PackOp>();
  if (!pack)
    return op.emitOpError("expected a view that astfe.pack makes in the same "
                          "function");
  FailureOr<Value> view = viewBefore(op, pack);
  if (failed(view))
    return failure();
  for (OpOperand &input : op.getInputsMutable())
    if (auto values = input.get().template getDefiningOp<ValuesOp>())
      input.set(valuesBefore(op, values));
  op.getPatternMutable().assign(*view);
  return success();
}

/// Lets a computation whose output is only copied to an argument write it.
static void writeDestination(Value values) {
  auto compute = values.getDefiningOp<ComputeOp>();
  if (!compute || !compute.getOverwrite() || !values.hasOneUse())
    return;
  auto copy = dyn_cast<bufferization::MaterializeInDestinationOp>(
      *values.getUsers().begin());
  Value empty = compute.getOutputs().front();
  if (!copy || copy.getSource() != values || !copy->getNumResults() ||
      !isa<BlockArgument>(copy.getDest()) || !copy.getDest().hasOneUse() ||
      !empty.getDefiningOp<tensor::EmptyOp>())
    return;
  compute.getOutputsMutable()[0].set(copy.getDest());
  copy.getResult().replaceAllUsesWith(values);
  copy.erase();
  if (empty.use_empty())
    empty.getDefiningOp()->erase();
}

/// Reads values that were put into the pattern of a view from where they are:
/// they are in the order of the tensor, which need not be made for them.
static void forwardValues(UnpackOp op) {
  if (!op.getPattern().getType().getLayout().isView())
    return;
  for (Operation *user : llvm::to_vector(op->getUsers())) {
    auto stored = dyn_cast<sparse_tensor::ToValuesOp>(user);
    if (!stored)
      continue;
    for (Operation *reader : llvm::to_vector(stored->getUsers()))
      if (auto tensor = dyn_cast<bufferization::ToTensorOp>(reader);
          tensor && tensor.getType() == op.getValues().getType()) {
        tensor.getResult().replaceAllUsesWith(op.getValues());
        tensor.erase();
      }
    if (!stored->use_empty()) {
      ImplicitLocOpBuilder b(stored.getLoc(), stored);
      auto type = cast<MemRefType>(stored.getType());
      stored.getResult().replaceAllUsesWith(
          bufferization::ToBufferOp::create(b, type, op.getValues()));
    }
    stored.erase();
  }
  if (!op->use_empty())
    return;
  Value values = op.getValues();
  op.erase();
  writeDestination(values);
}

/// Nothing for a computation in a chain: the chain has the pattern.
static LogicalResult lowerViews(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    return lowerViews<FusedOp>(fused);
  auto compute = dyn_cast<ComputeOp>(op);
  bool isView = compute && compute.getPattern().getType().getLayout().isView();
  if (!isView || isa<FusedOp>(compute->getParentOp()))
    return success();
  return lowerViews<ComputeOp>(compute);
}

LogicalResult astfe::lowerViews(ModuleOp module) {
  SmallVector<UnpackOp> unpacked;
  module.walk([&](UnpackOp op) { unpacked.push_back(op); });
  llvm::for_each(unpacked, forwardValues);
  WalkResult result = module.walk([](Operation *op) {
    return failed(::lowerViews(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // What only computations read is gone; nobody else reads a view.
  auto eraseUnused = [&](auto type) {
    module.walk([](decltype(type) op) {
      if (op->use_empty())
        op->erase();
    });
  };
  eraseUnused(ValuesOp());
  eraseUnused(PackOp());
  return success();
}
