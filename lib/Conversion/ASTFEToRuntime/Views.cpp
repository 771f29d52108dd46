//===- Views.cpp - views as buffers ---------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;
using namespace astfe;

/// The buffers of a tensor, as they are where `op` runs.
static FailureOr<Value> viewBefore(ComputeOp op, PackOp pack) {
  Value tensor = pack.getTensor();
  FailureOr<CompressedMatrix> matrix =
      CompressedMatrix::get(pack, tensor.getType());
  if (failed(matrix))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto [positions, coordinates] = getCompressedBuffers(b, tensor);
  return ViewOp::create(b, op.getPattern().getType(), positions, coordinates,
                        getExtent(b, tensor, 0), getExtent(b, tensor, 1),
                        matrix->byColumns)
      .getResult();
}

/// Not writable: the tensor still owns the memory.
static Value valuesBefore(ComputeOp op, ValuesOp values) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value buffer = sparse_tensor::ToValuesOp::create(b, values.getTensor());
  return bufferization::ToTensorOp::create(b, values.getResult().getType(),
                                           buffer, /*restrict=*/true);
}

static LogicalResult lowerViews(ComputeOp op) {
  if (op.getPattern().getDefiningOp<ViewOp>())
    return success();
  auto pack = op.getPattern().getDefiningOp<PackOp>();
  if (!pack)
    return op.emitOpError("expected a view that astfe.pack makes in the same "
                          "function");
  FailureOr<Value> view = viewBefore(op, pack);
  if (failed(view))
    return failure();
  for (OpOperand &input : op.getInputsMutable())
    if (auto values = input.get().getDefiningOp<ValuesOp>())
      input.set(valuesBefore(op, values));
  op.getPatternMutable().assign(*view);
  return success();
}

LogicalResult astfe::lowerViews(ModuleOp module) {
  WalkResult result = module.walk([](ComputeOp op) {
    bool isView = op.getPattern().getType().getLayout().isView();
    return isView && failed(::lowerViews(op)) ? WalkResult::interrupt()
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
