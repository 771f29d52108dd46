//===- HoistInspector.cpp - inspectors leave loops and callees ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "Inspector.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_HOISTINSPECTORPASS
#include "ASTFE/Transforms/Passes.h.inc"

namespace {
struct HoistInspectorPass : impl::HoistInspectorPassBase<HoistInspectorPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseSet<Operation *> cycles;
    written.emplace(getOperation());
    reportWritten();
    // What a callee leaves to its callers may leave their loops, and them.
    for (func::FuncOp function :
         functionsCalleesFirst(getOperation(), cycles)) {
      leaveLoops(function);
      if (!cycles.contains(function))
        leaveFunction(function, symbols);
    }
  }

  /// Says which values are put in order again for each computation.
  void reportWritten() {
    getOperation().walk([&](ValuesOp values) {
      if (isInspector(values) && written->mayHold(values.getTensor()))
        remark::missed(values.getLoc(), remarkOf(values, getArgument(), "kept"))
            << remark::reason("{0}, so that they are put in order for each "
                              "computation",
                              kWrittenValuesText.str());
    });
  }

  /// Inner loops first: what leaves them may leave outer ones.
  void leaveLoops(func::FuncOp function) {
    written->update();
    auto canMove = [&](Operation *op, Region *) {
      auto values = dyn_cast<ValuesOp>(op);
      return isInspector(op) &&
             !(values && written->mayHold(values.getTensor()));
    };
    function.walk([&](LoopLikeOpInterface loop) {
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

  void leaveFunction(func::FuncOp function, SymbolTable &symbols) {
    unsigned ops = liftInspectors(function, symbols, *written);
    if (!ops)
      return;
    remark::passed(function.getLoc(),
                   remarkOf(function, getArgument(), "lifted"))
        << remark::metric("ops", int64_t(ops));
    ++numLifted;
  }

  std::optional<WrittenValues> written;
};
} // namespace
} // namespace astfe
