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

/// Lets computations read what a cast, which says extents, is of; a sparse
/// output has the type of what it has the pattern of. Whether nobody reads the
/// cast any more.
static bool readThrough(tensor::CastOp cast) {
  Value from = cast.getSource();
  if (!isSparse(from) ||
      sparse_tensor::getSparseTensorEncoding(from.getType()) !=
          sparse_tensor::getSparseTensorEncoding(cast.getType()))
    return false;
  cast->replaceUsesWithIf(ValueRange(from), [](OpOperand &use) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.isDpsInput(&use) &&
           llvm::none_of(op.getDpsInits(), isSparse);
  });
  return cast->use_empty();
}

namespace {
struct DropIdlePass : impl::DropIdlePassBase<DropIdlePass> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (auto idle = dyn_cast<linalg::LinalgOp>(op); idle && isIdle(idle))
        idle->replaceAllUsesWith(idle.getDpsInits());
      else if (auto cast = dyn_cast<tensor::CastOp>(op);
               !cast || !readThrough(cast))
        return;
      op->erase();
      ++numDropped;
    });
  }
};
} // namespace
} // namespace astfe
