//===- AroundSparsifier.cpp - upstream's sparsifier in two halves ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AroundSparsifier.h"
#include "ASTFE/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace astfe;
using sparse_tensor::SparsifierOptions;

namespace {
/// A place in a pass manager, whose pass can be taken from there.
struct Place : OpPassManager::pass_iterator {
  Place(OpPassManager::pass_iterator it) : OpPassManager::pass_iterator(it) {}
  std::unique_ptr<Pass> take() const { return std::move(*wrapped()); }
};
} // namespace

/// Upstream's passes, each with whether it comes after bufferization.
static void
forEachPass(const SparsifierOptions &options,
            llvm::function_ref<void(std::unique_ptr<Pass>, bool)> use) {
  OpPassManager upstream(ModuleOp::getOperationName());
  sparse_tensor::buildSparsifier(upstream, options);
  bool onBuffers = false;
  for (auto it = upstream.begin(), end = upstream.end(); it != end; ++it) {
    bool bufferizes = it->getArgument() == "sparsification-and-bufferization";
    // `upstream` ends with this function: its passes move.
    use(Place(it).take(), onBuffers);
    onBuffers |= bufferizes;
  }
}

/// Whether it is upstream's fusion of elementwise ops, in functions.
static bool fusesElementwise(Pass &pass) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  pass.printAsTextualPipeline(stream);
  return StringRef(text).contains("(linalg-fuse-elementwise-ops");
}

void astfe::buildSparsifierToBuffers(
    OpPassManager &pm, const SparsifierOptions &options,
    llvm::function_ref<void(OpPassManager &)> before, bool keepsEpilogues) {
  forEachPass(options, [&](std::unique_ptr<Pass> pass, bool onBuffers) {
    if (onBuffers)
      return;
    if (keepsEpilogues && fusesElementwise(*pass)) {
      FuseElementwisePassOptions fuse;
      fuse.keepDestinations = true;
      return pm.addNestedPass<func::FuncOp>(createFuseElementwisePass(fuse));
    }
    if (before && pass->getArgument() == "sparsification-and-bufferization")
      before(pm);
    pm.addPass(std::move(pass));
  });
  if (!options.testBufferizationAnalysisOnly)
    pm.addPass(createCheckSparsifiedPass());
}

void astfe::buildSparsifierFromBuffers(OpPassManager &pm,
                                       const SparsifierOptions &options) {
  forEachPass(options, [&](std::unique_ptr<Pass> pass, bool onBuffers) {
    if (onBuffers)
      pm.addPass(std::move(pass));
  });
}
