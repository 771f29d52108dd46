//===- Bufferize.cpp - tensors to buffers ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/Passes.h"
#include "ASTFE/Transforms/Passes.h"
#include "AroundSparsifier.h"
#include "PlainModule.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_BUFFERIZEPASS
#include "ASTFE/Pipelines/Passes.h.inc"

namespace {
struct BufferizePass : EitherWay<impl::BufferizePassBase<BufferizePass>> {
  /// What upstream's sparsifier does with dense tensors, with its options.
  void buildShortWay(OpPassManager &pm) const override {
    bufferization::OneShotBufferizePassOptions bufferize;
    bufferize.bufferizeFunctionBoundaries = true;
    bufferize.functionBoundaryTypeConversion =
        bufferization::LayoutMapOption::IdentityLayoutMap;
    bufferize.unknownTypeConversion =
        bufferization::LayoutMapOption::IdentityLayoutMap;
    bufferize.allowUnknownOps = true;
    pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  }

  void buildUpstream(OpPassManager &pm) const override {
    sparse_tensor::SparsifierOptions upstream;
    upstream.enableRuntimeLibrary = false;
    buildSparsifierToBuffers(
        pm, upstream,
        [](OpPassManager &pm) { pm.addPass(createDropIdlePass()); },
        /*keepsEpilogues=*/true);
  }
};
} // namespace
} // namespace astfe
