//===- Fuse.cpp - adds a fusion to graphs ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Transforms/Passes.h"
#include "DenseColumns.h"
#include "GraphSteps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_FUSEPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct FusePass : CheckedOptions<impl::FusePassBase<FusePass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    auto parsed = parseThreshold(threshold);
    if (!parsed)
      return parsed.error();
    tau = *parsed;
    return allOf(
        {checkAtLeast("workers", 1, workers), checkAtLeast("waves", 1, waves),
         checkAtLeast("cache", 1, cache), checkAtLeast("columns", 1, columns)});
  }

  void runOnOperation() override {
    auto build = [&](OpBuilder &b, Location loc, Value graph, Value profile,
                     ArrayRef<PackOp> packs) -> Operation * {
      PackOp first = packs.front();
      // Patterns of a tensor become one where their graphs agree.
      SmallVector<PackOp> all;
      for (PackOp pack : packs)
        llvm::append_range(all, packsOfTensor(pack));
      auto tensor = cast<RankedTensorType>(first.getTensor().getType());
      int64_t bytes = elementBytes(tensor.getElementType());
      return FuseOp::create(b, loc, graph.getType(), graph, profile,
                            toThreshold(b.getContext(), tau), workers, waves,
                            cache, widestColumns(all, columns).value_or(1),
                            bytes);
    };
    auto isDone = [&](StepsTaken taken) { return onlyNew && taken.fused; };
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
