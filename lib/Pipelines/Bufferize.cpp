//===- Bufferize.cpp - tensors to buffers ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/Passes.h"
#include "AroundSparsifier.h"
#include "PlainModule.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "ASTFE/Pipelines/Passes.h.inc"

/// What upstream's sparsifier does with dense tensors, with its options.
static void buildShortWay(OpPassManager &pm) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.unknownTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  bufferize.allowUnknownOps = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
}

static void buildUpstream(OpPassManager &pm) {
  sparse_tensor::SparsifierOptions upstream;
  upstream.enableRuntimeLibrary = false;
  buildSparsifierToBuffers(pm, upstream);
}

namespace {
struct BufferizePass : impl::BufferizePassBase<BufferizePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    for (auto build : {buildShortWay, buildUpstream}) {
      OpPassManager pm(ModuleOp::getOperationName());
      build(pm);
      pm.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    OpPassManager pm(ModuleOp::getOperationName());
    if (isPlainModule(getOperation()))
      buildShortWay(pm);
    else
      buildUpstream(pm);
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace
} // namespace astfe
