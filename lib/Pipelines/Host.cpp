//===- Host.cpp - pipelines for the host ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Pipelines/Passes.h"
#include "ASTFE/Pipelines/Pipelines.h"
#include "ASTFE/Transforms/Passes.h"
#include "AroundSparsifier.h"
#include "Register.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SparseTensor/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace astfe {

/// What upstream's sparsifier leaves of our OpenMP loops.
static void finishOpenMP(OpPassManager &pm) {
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void buildBuffersStage(OpPassManager &pm) {
  pm.addPass(createConvertASTFEToRuntimePass());
  pm.addPass(createForwardBuffersPass());
  pm.addPass(createCopyCarriedPass());
  pm.addPass(createBufferizePass());
  pm.addPass(createFreeTemporariesPass());
}

void buildHostLoopsStage(OpPassManager &pm, const ToCPUOptions &options) {
  pm.addPass(createExposeBuffersPass());
  buildBuffersStage(pm);
  TileDensePassOptions dense;
  dense.fma = options.fma;
  dense.vectorBytes = options.vectorBytes;
  pm.addPass(createTileDensePass(dense));
  buildLowerToLoopsStage(
      pm, {options.fma, options.openmp, options.vectorBytes, options.traits()});
}

void buildFinishHostStage(OpPassManager &pm) {
  pm.addPass(createFinishHostPass());
  finishOpenMP(pm);
  pm.addPass(createHoistFieldsPass());
}

void buildLowerToCPUStage(OpPassManager &pm, const ToCPUOptions &options) {
  buildHostLoopsStage(pm, options);
  buildFinishHostStage(pm);
}

void buildToCPUPipeline(OpPassManager &pm, const ToCPUOptions &options) {
  RaiseStage raise;
  raise.packs = options.wantsPacked();
  raise.fusesChains = options.fuse;
  buildRaiseStage(pm, raise);
  buildPartitionStage(pm, options);
  buildSelectStage(pm, options);
  buildLowerToCPUStage(pm, options);
}

void buildSparsifierPipeline(OpPassManager &pm,
                             const SparsifierPipelineOptions &options) {
  buildSparsifierToBuffers(pm, options, [&](OpPassManager &pm) {
    pm.addPass(createDropIdlePass());
    // What upstream does first makes one op of a product that is sampled.
    pm.addPass(createPreSparsificationRewritePass());
    RaiseStage raise;
    raise.packs = options.wantsPacked() || options.expectedRuns > 1;
    raise.fusesChains = options.fuse;
    raise.sparseOutputs = !options.enableRuntimeLibrary;
    // Nobody frees what upstream's pipeline allocates in between.
    raise.rowSums = false;
    buildRaisePreparedStage(pm, raise);
    const int64_t runs = options.expectedRuns;
    buildPartitionStage(pm, options, runs,
                        runs > 1 ? runs : core::rules::kExpectedRuns);
    buildSelectStage(pm, options, runs);
    pm.addPass(createConvertASTFEToRuntimePass());
    pm.addPass(createCopyCarriedPass());
    if (options.enableRuntimeLibrary)
      pm.addPass(createCheckElementsPass());
  });
  // Nothing is bufferized then, for upstream's tests.
  if (options.testBufferizationAnalysisOnly)
    return;
  // Like upstream's code, ours needs no library: views are not checked.
  buildLowerToLoopsStage(pm, {options.fma, options.openmp, /*vectorBytes=*/64,
                              options.traits(), /*checkExtents=*/false});
  buildSparsifierFromBuffers(pm, options);
  if (options.openmp)
    finishOpenMP(pm);
}

/// Kernels chosen for a GPU are not the host's.
static core::Status checkHost(const StageOptions &options) {
  if (options.chip.empty())
    return checkStages(options);
  return core::Error{"expected no option 'chip' for the host but got '" +
                     options.chip.getValue() + "'"};
}

static core::Status checkToCPU(const ToCPUOptions &options) {
  return checkHost(options);
}

static core::Status checkSparsifier(const SparsifierPipelineOptions &options) {
  return allOf({checkAtLeast("expected-runs", 1, options.expectedRuns),
                checkHost(options)});
}

void registerHostPipelines() {
  registerPipeline<ToCPUOptions>(
      "astfe-to-cpu",
      "Sparse linear algebra to the LLVM dialect for the host, with vectors, "
      "OpenMP and entries that C can call",
      buildToCPUPipeline, checkToCPU);
  registerPipeline<SparsifierPipelineOptions>(
      "astfe-sparsifier",
      "Upstream's sparsifier with ASTFE's code for what ASTFE matches; takes "
      "upstream's options and ASTFE's",
      buildSparsifierPipeline, checkSparsifier);
}

} // namespace astfe
