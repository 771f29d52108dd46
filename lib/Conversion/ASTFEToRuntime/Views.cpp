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
