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

core::Layout astfe::packedLayout(PackOp op) {
  core::Layout layout = toCore(op.getResult().getType().getLayout());
  if (auto classes = op->getAttrOfType<IntegerAttr>(kClassesAttr))
    layout.classes.bits = uint32_t(classes.getInt());
  return layout;
}

LogicalResult astfe::limitPack(ComputeOp op) {
  if (op.getPattern().getType().getLayout().isView())
    return success();
  if (compiledClasses(op).bits == 0)
    return op.emitOpError("expected a kernel with a class that the layout of "
                          "its pattern permits");
  auto pack = op.getPattern().getDefiningOp<PackOp>();
  if (!pack)
    return success();
  core::Layout layout = packedLayout(pack);
  core::ClassSet classes = layout.classes & compiledClasses(op);
  if (classes == layout.classes)
    return success();
  layout.classes = classes;
  if (core::Status status = layout.check(); !status)
    return op.emitOpError("with other kernels over its pattern: ")
           << status.message();
  pack->setAttr(kClassesAttr,
                Builder(op.getContext()).getI64IntegerAttr(classes.bits));
  return success();
}

Value astfe::patternFits(ImplicitLocOpBuilder &b, Value handle, ComputeOp op) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  LayoutAttr layout = op.getPattern().getType().getLayout();
  Value fits = callRuntime(b, "astfe_rt_fits", b.getI64Type(),
                           {handle, constant(layout.getColumns()),
                            constant(compiledClasses(op).bits)})
                   .getResult(0);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, fits, constant(0));
}
