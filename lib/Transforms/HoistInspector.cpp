//===- HoistInspector.cpp - inspectors leave loops ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "Inspector.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_HOISTINSPECTORPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct HoistInspectorPass : impl::HoistInspectorPassBase<HoistInspectorPass> {
  void runOnOperation() override {
    auto canMove = [](Operation *op, Region *) { return isInspector(op); };
    // Inner loops first: what leaves them may leave outer ones.
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          canMove,
          [&](Operation *op, Region *) {
            remark::passed(op->getLoc(), remarkOf(op, getArgument(), "hoisted"))
                << remark::metric("op", op->getName().getStringRef());
            loop.moveOutOfLoop(op);
            ++numHoisted;
          });
    });
  }
};
} // namespace
} // namespace astfe
