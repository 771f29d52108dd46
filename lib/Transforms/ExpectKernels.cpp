//===- ExpectKernels.cpp - refuses programs without any kernel ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever asks for kernels and gets none has made a mistake, or hopes for what
// ASTFE cannot do. Saying nothing would let the host run everything.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "IndexOperands.h"
#include "RaiseMatch.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_EXPECTKERNELSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Computations become kernels later; a module may also bring its own.
static bool hasKernel(Operation *module) {
  return module
      ->walk([](Operation *op) {
        return isa<ComputeOp, gpu::GPUModuleOp, gpu::BinaryOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// An error at each op on sparse tensors, which says why it was left; the
/// number of them.
static unsigned explainOps(Operation *module) {
  unsigned count = 0;
  module->walk([&](linalg::LinalgOp op) {
    if (!hasSparseOperand(op))
      return;
    std::string whyNot;
    if (matchSparseProduct(IndexOperands(op).inner(), {PlanTarget::GPU, false},
                           whyNot))
      whyNot = "it was not raised";
    op->emitOpError("expected a computation that a kernel is made of, but it "
                    "is left to the host: ")
        << whyNot;
    ++count;
  });
  return count;
}

namespace {
struct ExpectKernelsPass : impl::ExpectKernelsPassBase<ExpectKernelsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (hasKernel(getOperation()))
      return;
    if (!explainOps(getOperation()))
      emitError(getOperation().getLoc())
          << "expected a computation on a sparse tensor to make a kernel of "
             "but got none";
    signalPassFailure();
  }
};
} // namespace
} // namespace astfe
