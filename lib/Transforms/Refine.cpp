//===- Refine.cpp - adds a refinement to graphs ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A constant graph is refined by building the op on a known profile and
// evaluating it at once: one path for both.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Transforms/Passes.h"
#include "GraphSteps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_REFINEPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct RefinePass : CheckedOptions<impl::RefinePassBase<RefinePass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    auto parsed = parseThreshold(threshold);
    if (!parsed)
      return parsed.error();
    tau = *parsed;
    return allOf({checkAtLeast("workers", 1, workers),
                  checkAtLeast("waves", 1, waves), checkAtLeast("min", 1, min),
                  checkAtLeast("steps", -1, steps)});
  }

  void runOnOperation() override {
    auto build = [&](OpBuilder &b, Location loc, Value graph, Value profile,
                     ArrayRef<PackOp>) -> Operation * {
      return RefineOp::create(b, loc, graph.getType(), graph, profile,
                              toThreshold(b.getContext(), tau), workers, waves,
                              min, steps);
    };
    auto isDone = [&](StepsTaken taken) {
      return onlyNew && (taken.refined || taken.fused);
    };
    FailureOr<unsigned> added =
        appendStep(getOperation(), getArgument(), build, isDone);
    if (failed(added))
      return signalPassFailure();
    numAdded += *added;
  }

  std::optional<double> tau;
};
} // namespace
} // namespace astfe
