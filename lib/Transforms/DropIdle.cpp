//===- DropIdle.cpp - ops that change nothing -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_DROPIDLEPASS
#include "ASTFE/Transforms/Passes.h.inc"

static bool isSparse(Value value) {
  return bool(sparse_tensor::getSparseTensorEncoding(value.getType()));
}

/// The op hands a dense output on as it was, and reads a sparse operand.
static bool isIdle(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      isSparse(op.getDpsInits().front()) ||
      llvm::none_of(op.getDpsInputs(), isSparse))
    return false;
  Block *body = op.getBlock();
  return body->getTerminator()->getOperand(0) == body->getArguments().back();
}

/// The sparse tensor that an op hands on with extents that types say, or as a
/// dense one of the same shape; null where it is no such op.
static Value sameTensor(Operation *op) {
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    Value from = cast.getSource();
    return isSparse(from) &&
                   sparse_tensor::getSparseTensorEncoding(from.getType()) ==
                       sparse_tensor::getSparseTensorEncoding(cast.getType())
               ? from
               : Value();
  }
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  return expand && isSparse(expand.getSrc()) && !isSparse(expand.getResult()) &&
                 expand.getSrcType().getRank() ==
                     expand.getResultType().getRank()
             ? expand.getSrc()
             : Value();
}

/// Lets computations read that tensor, and whoever asks for extents; a sparse
/// output has the type of what it has the pattern of. Whether nobody reads the
/// result of `op` any more.
static bool readThrough(Operation *op) {
  Value from = sameTensor(op);
  if (!from)
    return false;
  // What reads another sparse operand beside a reshaped one is left to
  // upstream, as it was.
  const bool isReshape = isa<tensor::ExpandShapeOp>(op);
  auto leaves = [&](linalg::LinalgOp reader) {
    return isReshape && llvm::any_of(reader.getDpsInputs(), isSparse);
  };
  op->replaceUsesWithIf(ValueRange(from), [&](OpOperand &use) {
    if (isa<tensor::DimOp>(use.getOwner()))
      return true;
    auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return reader && reader.isDpsInput(&use) && !leaves(reader) &&
           llvm::none_of(reader.getDpsInits(), isSparse);
  });
  return op->use_empty();
}

namespace {
struct DropIdlePass : impl::DropIdlePassBase<DropIdlePass> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto idle = dyn_cast<linalg::LinalgOp>(op); idle && isIdle(idle))
        idle->replaceAllUsesWith(idle.getDpsInits());
      else if (!readThrough(op))
        return;
      op->erase();
      ++numDropped;
    });
  }
};
} // namespace
} // namespace astfe
