//===- FinishHost.cpp - host loops to the LLVM dialect --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/Passes.h"
#include "AroundSparsifier.h"
#include "PlainModule.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_FINISHHOSTPASS
#include "ASTFE/Pipelines/Passes.h.inc"

namespace {
struct FinishHostPass : EitherWay<impl::FinishHostPassBase<FinishHostPass>> {
  void buildShortWay(OpPassManager &pm) const override {
    // Removes the scopes that convert-scf-to-openmp leaves, which must hold a
    // single block. What another round would find, LLVM finds.
    GreedyRewriteConfig once;
    once.setMaxIterations(1).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    pm.addNestedPass<func::FuncOp>(createCanonicalizerPass(once));
    pm.addNestedPass<func::FuncOp>(createCSEPass());
    pm.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass());
    pm.addPass(createSCFToControlFlowPass());
    ConvertVectorToLLVMPassOptions vectors;
    vectors.reassociateFPReductions = true;
    vectors.x86Vector = true;
    pm.addPass(createConvertVectorToLLVMPass(vectors));
    pm.addPass(createConvertToLLVMPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
  }

  void buildUpstream(OpPassManager &pm) const override {
    sparse_tensor::SparsifierOptions upstream;
    upstream.enableRuntimeLibrary = false;
    upstream.reassociateFPReductions = true;
    upstream.x86Vector = true;
    buildSparsifierFromBuffers(pm, upstream);
  }
};
} // namespace
} // namespace astfe
