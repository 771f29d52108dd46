//===- DropIdle.cpp - ops that change nothing -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

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

namespace {
struct DropIdlePass : impl::DropIdlePassBase<DropIdlePass> {
  void runOnOperation() override {
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isIdle(op))
        return;
      op->replaceAllUsesWith(op.getDpsInits());
      op->erase();
      ++numDropped;
    });
  }
};
} // namespace
} // namespace astfe
