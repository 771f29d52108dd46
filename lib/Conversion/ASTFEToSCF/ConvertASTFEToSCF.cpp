//===- ConvertASTFEToSCF.cpp - the dialect to host loops ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/Passes.h"
#include "LowerCompute.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_CONVERTASTFETOSCFPASS
#include "ASTFE/Conversion/Passes.h.inc"

/// Whether an op other than a computation is a loop or may be part of one:
/// several blocks, or a call of what the module has.
static bool mayLoop(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return function.getBody().getBlocks().size() > 1;
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    auto callee = dyn_cast_or_null<CallableOpInterface>(call.resolveCallable());
    return !callee || callee.getCallableRegion();
  }
  return op->getNumRegions() != 0 && !isa<ModuleOp>(op);
}

/// Whether computations are all that will become loops.
static bool hasNoOtherLoops(ModuleOp module) {
  auto result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<ComputeOp>(op))
      return WalkResult::skip();
    return mayLoop(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Lowers one computation and merges what is equal in its loops. Around them
/// may be what upstream's bufferization must see as it is.
static FailureOr<host::LoopKind>
lowerOne(IRRewriter &rewriter, ComputeOp op,
         const host::HostKernelOptions &options) {
  Block *block = op->getBlock();
  Operation *before = op->getPrevNode(), *after = op->getNextNode();
  FailureOr<host::LoopKind> kind = host::lowerCompute(rewriter, op, options);
  if (failed(kind))
    return failure();
  DominanceInfo dominance;
  Operation *lowered = before ? before->getNextNode() : &block->front();
  for (; lowered != after; lowered = lowered->getNextNode())
    eliminateCommonSubExpressions(rewriter, dominance, lowered);
  return kind;
}

namespace {
/// Computations by what their loops work on.
struct Lowered {
  unsigned vectors = 0, scalars = 0;
};
} // namespace

/// Lowers every computation of the module.
static FailureOr<Lowered>
lowerComputes(ModuleOp module, const host::HostKernelOptions &options) {
  IRRewriter rewriter(module.getContext());
  SmallVector<ComputeOp> computes;
  module.walk([&](ComputeOp op) { computes.push_back(op); });
  const bool noOthers = hasNoOtherLoops(module);
  Lowered lowered;
  for (ComputeOp op : computes) {
    FailureOr<host::LoopKind> kind = lowerOne(rewriter, op, options);
    if (failed(kind))
      return failure();
    ++(*kind == host::LoopKind::Vectors ? lowered.vectors : lowered.scalars);
  }
  if (noOthers && lowered.vectors != 0 && lowered.scalars == 0)
    module->setAttr(kVectorizedAttr, rewriter.getUnitAttr());
  return lowered;
}

namespace {
struct ConvertASTFEToSCFPass
    : CheckedOptions<impl::ConvertASTFEToSCFPassBase<ConvertASTFEToSCFPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    if (llvm::is_contained({16, 32, 64}, vectorBytes))
      return core::Success();
    return optionError("vector-bytes", "16, 32 or 64",
                       std::to_string(vectorBytes));
  }

  void runOnOperation() override {
    if (failed(lowerInspectors(getOperation())))
      return signalPassFailure();
    FailureOr<Lowered> lowered =
        lowerComputes(getOperation(), {fma, vectorBytes, checkExtents});
    if (failed(lowered))
      return signalPassFailure();
    numVectorized += lowered->vectors;
    numScalar += lowered->scalars;
    foldHandles(getOperation());
  }
};
} // namespace
} // namespace astfe
