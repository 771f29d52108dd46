//===- ConvertASTFEToSCF.cpp - the dialect to host loops ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Conversion/ReportExtents.h"
#include "Extents.h"
#include "LowerFused.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
    if (isa<ComputeOp, FusedOp>(op))
      return WalkResult::skip();
    return mayLoop(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// The loops of a chain; what follows its rows is left to LLVM's vectorizer.
static FailureOr<host::LoopKind>
lowerToLoops(IRRewriter &rewriter, FusedOp op,
             const host::HostKernelOptions &options) {
  bool hasEpilogue = !op.getBody().getOps<linalg::GenericOp>().empty();
  if (failed(host::lowerFused(rewriter, op, options)))
    return failure();
  return hasEpilogue ? host::LoopKind::Scalars : host::LoopKind::Vectors;
}

static FailureOr<host::LoopKind>
lowerToLoops(IRRewriter &rewriter, ComputeOp op,
             const host::HostKernelOptions &options) {
  return host::lowerCompute(rewriter, op, options);
}

/// Lowers one computation, or chain, and merges what is equal in its loops.
/// Around them may be what upstream's bufferization must see as it is.
template <typename OpTy>
static FailureOr<host::LoopKind>
lowerOne(IRRewriter &rewriter, OpTy op,
         const host::HostKernelOptions &options) {
  Block *block = op->getBlock();
  Operation *before = op->getPrevNode(), *after = op->getNextNode();
  FailureOr<host::LoopKind> kind = lowerToLoops(rewriter, op, options);
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

static bool isSamePart(memref::SubViewOp a, memref::SubViewOp b) {
  return a.getSource() == b.getSource() &&
         a.getMixedOffsets() == b.getMixedOffsets() &&
         a.getMixedSizes() == b.getMixedSizes() &&
         a.getMixedStrides() == b.getMixedStrides();
}

/// Erases copies of outputs onto themselves, which bufferization leaves of
/// slices that are computed in place and inserted where they were.
static void eraseSelfCopies(ComputeOp op) {
  for (Value output : op.getOutputs()) {
    auto part = output.getDefiningOp<memref::SubViewOp>();
    if (!part)
      continue;
    for (Operation *user : llvm::make_early_inc_range(part->getUsers())) {
      auto copy = dyn_cast<memref::CopyOp>(user);
      auto into = copy ? copy.getTarget().getDefiningOp<memref::SubViewOp>()
                       : memref::SubViewOp();
      if (into && copy.getSource() == output && isSamePart(part, into))
        copy.erase();
    }
  }
}

/// Lowers every computation and chain of the module.
static FailureOr<Lowered>
lowerComputes(ModuleOp module, const host::HostKernelOptions &options) {
  IRRewriter rewriter(module.getContext());
  SmallVector<Operation *> computes;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ComputeOp, FusedOp>(op))
      return WalkResult::advance();
    computes.push_back(op);
    return WalkResult::skip();
  });
  const bool noOthers = hasNoOtherLoops(module);
  Lowered lowered;
  for (Operation *op : computes) {
    auto fused = dyn_cast<FusedOp>(op);
    if (!fused)
      eraseSelfCopies(cast<ComputeOp>(op));
    FailureOr<host::LoopKind> kind =
        fused ? lowerOne(rewriter, fused, options)
              : lowerOne(rewriter, cast<ComputeOp>(op), options);
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
    if (checkExtents)
      reportAsserted(getOperation());
    FailureOr<Lowered> lowered = lowerComputes(
        getOperation(), {fma, vectorBytes, checkExtents, fastGathers, farStrips,
                         wideMasks, serial});
    if (failed(lowered))
      return signalPassFailure();
    numVectorized += lowered->vectors;
    numScalar += lowered->scalars;
    foldHandles(getOperation());
  }
};
} // namespace
} // namespace astfe
