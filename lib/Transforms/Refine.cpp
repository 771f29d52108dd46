//===- Refine.cpp - adds a refinement to graphs ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant graph is refined by building the op on a known profile and
// evaluating it at once: one path for both.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "GraphSteps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_REFINEPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct RefinePass : impl::RefinePassBase<RefinePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    auto parsed = parseThreshold(context, threshold);
    if (!parsed)
      return emitError(UnknownLoc::get(context)) << parsed.message();
    tau = *parsed;
    return success();
  }

  void runOnOperation() override {
    auto build = [&](OpBuilder &b, Location loc, Value graph, Value profile,
                     ArrayRef<PackOp>) -> Operation * {
      return RefineOp::create(b, loc, graph.getType(), graph, profile, tau,
                              workers, waves, min, steps);
    };
    auto isDone = [&](StepsTaken taken) {
      return onlyNew && (taken.refined || taken.fused);
    };
    if (failed(appendStep(getOperation(), getArgument(), build, isDone)))
      signalPassFailure();
  }

  FloatAttr tau;
};
} // namespace
} // namespace astfe
