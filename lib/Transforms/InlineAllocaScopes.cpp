//===- InlineAllocaScopes.cpp - loop bodies of several blocks -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_INLINEALLOCASCOPESPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Whether stack memory is allocated that lives as long as the scope.
static bool allocates(memref::AllocaScopeOp scope) {
  return scope.getBodyRegion()
      .walk<WalkOrder::PreOrder>([](Operation *op) {
        if (op->hasTrait<OpTrait::AutomaticAllocationScope>())
          return WalkResult::skip();
        // Descriptors of unranked buffers are put onto the stack later.
        const bool isUnranked = llvm::any_of(op->getResultTypes(),
                                             llvm::IsaPred<UnrankedMemRefType>);
        return isUnranked || isa<memref::AllocaOp, LLVM::AllocaOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Moves the body to where the scope is. Stack memory goes back at its end.
static void inlineScope(RewriterBase &rewriter, memref::AllocaScopeOp scope) {
  const bool restores = allocates(scope);
  Operation *end = scope.getBody()->getTerminator();
  SmallVector<Value> results(end->getOperands());
  rewriter.setInsertionPoint(scope);
  Value stack;
  if (restores)
    stack = LLVM::StackSaveOp::create(
        rewriter, scope.getLoc(),
        LLVM::LLVMPointerType::get(rewriter.getContext()));
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(scope.getBody(), scope);
  if (restores)
    LLVM::StackRestoreOp::create(rewriter, scope.getLoc(), stack);
  rewriter.replaceOp(scope, results);
}

namespace {
struct InlineAllocaScopesPass
    : impl::InlineAllocaScopesPassBase<InlineAllocaScopesPass> {
  void runOnOperation() override {
    SmallVector<memref::AllocaScopeOp> scopes;
    getOperation().walk(
        [&](memref::AllocaScopeOp scope) { scopes.push_back(scope); });
    IRRewriter rewriter(&getContext());
    for (memref::AllocaScopeOp scope : scopes)
      inlineScope(rewriter, scope);
    numInlined += unsigned(scopes.size());
  }
};
} // namespace
} // namespace astfe
