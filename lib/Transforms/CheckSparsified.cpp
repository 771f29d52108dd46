//===- CheckSparsified.cpp - what upstream's sparsification left ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "IndexOperands.h"
#include "RaiseMatch.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_CHECKSPARSIFIEDPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Why ASTFE has no code for it.
static std::string whyNotRaised(linalg::LinalgOp op) {
  std::string whyNot;
  if (matchSparseProduct(IndexOperands(op).inner(), RaiseTarget(), whyNot))
    return "its result is used in other ways";
  return whyNot;
}

namespace {
struct CheckSparsifiedPass
    : impl::CheckSparsifiedPassBase<CheckSparsifiedPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    SmallVector<linalg::LinalgOp> left;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (hasSparseOperand(op) && !isOpTriviallyDead(op))
        left.push_back(op);
    });
    for (linalg::LinalgOp op : left)
      op->emitOpError("expected a computation that upstream's sparsification "
                      "knows, or that is raised, which it was not: ")
          << whyNotRaised(op);
    if (!left.empty())
      signalPassFailure();
  }
};
} // namespace
} // namespace astfe
