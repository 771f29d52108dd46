//===- CompiledClasses.cpp - pack and kernel agree on classes -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/GraphBridge.h"
#include "ASTFE/Conversion/ASTFEToRuntime.h"

using namespace mlir;
using namespace astfe;

/// Leaves what all computations over the pattern have code for, those of called
/// functions too; `seen` are arguments that were visited.
static void limitClasses(Value pattern, core::ClassSet &classes,
                         llvm::SmallDenseSet<Value> &seen) {
  for (OpOperand &use : pattern.getUses()) {
    if (auto compute = dyn_cast<ComputeOp>(use.getOwner()))
      classes = classes & compiledClasses(compute);
    BlockArgument argument = calleeArgument(use);
    if (argument && seen.insert(argument).second)
      limitClasses(argument, classes, seen);
  }
}

/// The classes that a pattern may hold, once that is known.
static constexpr StringRef kClassesAttr = "astfe.classes";

core::Layout astfe::packedLayout(PackOp pack) {
  core::Layout layout = toCore(pack.getResult().getType().getLayout());
  if (auto known = pack->getAttrOfType<IntegerAttr>(kClassesAttr)) {
    layout.classes = {uint32_t(known.getInt())};
    return layout;
  }
  llvm::SmallDenseSet<Value> seen;
  limitClasses(pack.getResult(), layout.classes, seen);
  return layout;
}

void astfe::keepPackedLayouts(ModuleOp module) {
  Builder b(module.getContext());
  module.walk([&](PackOp pack) {
    if (!pack.getResult().getType().getLayout().isView())
      pack->setAttr(kClassesAttr,
                    b.getI64IntegerAttr(packedLayout(pack).classes.bits));
  });
}

LogicalResult astfe::checkClasses(ComputeOp op) {
  if (op.getPattern().getType().getLayout().isView())
    return success();
  if (compiledClasses(op).bits == 0)
    return op.emitOpError("expected a kernel with a class that the layout of "
                          "its pattern permits");
  auto pack = op.getPattern().getDefiningOp<PackOp>();
  if (!pack)
    return success();
  if (core::Status status = packedLayout(pack).check(); !status)
    return op.emitOpError("with other kernels over its pattern: ")
           << status.message();
  return success();
}

LogicalResult astfe::checkTarget(ComputeOp op, PackTarget target) {
  LayoutAttr layout = op.getPattern().getType().getLayout();
  if (layout.isView() || layout.getTarget() == target)
    return success();
  return op.emitOpError("expected a pattern whose layout has target = ")
         << stringifyPackTarget(target) << " but got " << layout
         << "; the option 'chip' of astfe-select-kernels says which it is, "
            "before the tensor is packed";
}

Value astfe::patternFits(ImplicitLocOpBuilder &b, Value handle, ComputeOp op) {
  LayoutAttr layout = op.getPattern().getType().getLayout();
  Value fits = callRuntime(b, "astfe_rt_fits", b.getI64Type(),
                           {handle, integer(b, layout.getColumns()),
                            integer(b, compiledClasses(op).bits)})
                   .getResult(0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, fits,
                               integer(b, 0));
}
