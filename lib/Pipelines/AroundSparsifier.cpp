//===- AroundSparsifier.cpp - passes between upstream's -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AroundSparsifier.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace {
/// A place in a pass manager, whose pass can be taken from there.
struct Place : OpPassManager::pass_iterator {
  Place(OpPassManager::pass_iterator it) : OpPassManager::pass_iterator(it) {}
  std::unique_ptr<Pass> take() const { return std::move(*wrapped()); }
};
} // namespace

void astfe::buildAroundSparsifier(
    OpPassManager &pm, const sparse_tensor::SparsifierOptions &options,
    llvm::function_ref<void(OpPassManager &)> before,
    llvm::function_ref<void(OpPassManager &)> after) {
  OpPassManager upstream(ModuleOp::getOperationName());
  sparse_tensor::buildSparsifier(upstream, options);
  for (auto it = upstream.begin(), end = upstream.end(); it != end; ++it) {
    bool isCentre = it->getArgument() == "sparsification-and-bufferization";
    if (isCentre)
      before(pm);
    // `upstream` ends with this function: its passes move.
    pm.addPass(Place(it).take());
    if (isCentre)
      after(pm);
  }
}
