//===- ReportExtents.cpp - extents that differ, told to the runtime -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ReportExtents.h"
#include "ASTFE/Analysis/DensePlan.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace astfe;

void astfe::reportExtents(ImplicitLocOpBuilder &b) {
  Value text =
      constantText(b, "astfe_extents_differ",
                   "expected operands of a computation whose extents agree "
                   "with each other and with the pattern");
  callRuntime(b, "astfe_rt_report", TypeRange(), text);
}

void astfe::reportAsserted(ModuleOp module) {
  SmallVector<cf::AssertOp> asserted;
  module.walk([&](cf::AssertOp op) {
    if (op->hasAttr(kExtentsAttr))
      asserted.push_back(op);
  });
  for (cf::AssertOp op : asserted) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto guard = scf::IfOp::create(b, op.getArg(), /*withElse=*/true);
    b.setInsertionPoint(guard.elseYield());
    reportExtents(b);
    op.erase();
  }
}
