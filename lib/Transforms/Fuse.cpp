//===- Fuse.cpp - adds a fusion to graphs ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Transforms/Passes.h"
#include "DenseColumns.h"
#include "GraphSteps.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_FUSEPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct FusePass : impl::FusePassBase<FusePass> {
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
                     ArrayRef<PackOp> packs) -> Operation * {
      PackOp first = packs.front();
      auto tensor = cast<RankedTensorType>(first.getTensor().getType());
      int64_t bytes = tensor.getElementTypeBitWidth() / 8;
      return FuseOp::create(b, loc, graph.getType(), graph, profile, tau,
                            workers, waves, cache,
                            columns ? int64_t(columns) : widest(packs), bytes);
    };
    if (failed(appendStep(getOperation(), getArgument(), build)))
      signalPassFailure();
  }

  /// The most columns that a computation over one of the patterns has.
  static int64_t widest(ArrayRef<PackOp> packs) {
    int64_t columns = 1;
    for (PackOp pack : packs)
      for (Operation *user : pack->getUsers())
        if (auto compute = dyn_cast<ComputeOp>(user))
          columns = std::max(columns, denseColumns(compute).value_or(1));
    return columns;
  }

  FloatAttr tau;
};
} // namespace
} // namespace astfe
