//===- PlainModule.h - modules for the short way ----------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's sparsifier is for ops on sparse tensors, linalg ops, slices. Once
// everything is raised, mostly none is left: computations, loops, loads and
// stores are, for which its forty passes take as long as the compiler behind
// them.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_PIPELINES_PLAINMODULE_H
#define ASTFE_LIB_PIPELINES_PLAINMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace astfe {

/// Whether nothing is left that upstream's sparsifier is needed for.
bool isPlainModule(mlir::ModuleOp module);

/// A pass that goes the short way with plain modules and upstream's with all
/// others.
template <typename Base>
struct EitherWay : Base {
  using Base::Base;

  virtual void buildShortWay(mlir::OpPassManager &pm) const = 0;
  virtual void buildUpstream(mlir::OpPassManager &pm) const = 0;

  void getDependentDialects(mlir::DialectRegistry &registry) const override {
    mlir::OpPassManager pm(mlir::ModuleOp::getOperationName());
    buildShortWay(pm);
    buildUpstream(pm);
    pm.getDependentDialects(registry);
  }

  void runOnOperation() override {
    mlir::OpPassManager pm(mlir::ModuleOp::getOperationName());
    if (isPlainModule(this->getOperation()))
      buildShortWay(pm);
    else
      buildUpstream(pm);
    if (mlir::failed(this->runPipeline(pm, this->getOperation())))
      this->signalPassFailure();
  }
};

} // namespace astfe

#endif // ASTFE_LIB_PIPELINES_PLAINMODULE_H
