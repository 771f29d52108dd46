//===- RuntimeCalls.cpp - calls of the runtime and handles ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ASTFEToRuntime.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace astfe;

ModuleOp astfe::enclosingModule(OpBuilder &b) {
  Operation *parent = b.getInsertionBlock()->getParentOp();
  if (auto module = dyn_cast<ModuleOp>(parent))
    return module;
  return parent->getParentOfType<ModuleOp>();
}

func::CallOp astfe::callRuntime(ImplicitLocOpBuilder &b, StringRef name,
                                TypeRange results, ValueRange operands) {
  ModuleOp module = enclosingModule(b);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = b.getFunctionType(TypeRange(operands), results);
    auto function = func::FuncOp::create(b, name, type);
    function.setPrivate();
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      b.getUnitAttr());
  }
  return func::CallOp::create(b, name, results, operands);
}

BlockArgument astfe::calleeArgument(OpOperand &use) {
  auto call = dyn_cast<func::CallOp>(use.getOwner());
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr())
                     : func::FuncOp();
  if (!callee || callee.isExternal() || !callee.isPrivate())
    return {};
  return callee.getArgument(use.getOperandNumber());
}

Value astfe::handleOf(ImplicitLocOpBuilder &b, Value value) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  if (value.getType() == pointer)
    return value;
  return UnrealizedConversionCastOp::create(b, pointer, value).getResult(0);
}
