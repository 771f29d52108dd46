//===- CallProgram.cpp - functions that only call the runtime -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Execution/CallProgram.h"
#include "ASTFE/Runtime/ABISymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstdlib>
#include <deque>

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// What can be called
//===----------------------------------------------------------------------===//

static const rt::Symbol *runtimeFunction(func::CallOp call) {
  const std::string name = "_mlir_ciface_" + call.getCallee().str();
  for (const rt::Symbol *symbol = rt::abiSymbols(); symbol->name; ++symbol)
    if (name == symbol->name)
      return symbol;
  return nullptr;
}

static bool isBuffer(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped && shaped.hasRank() && shaped.getRank() == 1 &&
         shaped.getElementType().isIntOrFloat();
}

static bool isKnown(Type type) {
  return isBuffer(type) || type.isIndex() || type.isInteger(64) ||
         type.isF64() || isa<LLVM::LLVMPointerType>(type);
}

static bool isKnown(Operation &op) {
  if (!llvm::all_of(op.getOperandTypes(), [](Type t) { return isKnown(t); }) ||
      !llvm::all_of(op.getResultTypes(), [](Type t) { return isKnown(t); }))
    return false;
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getNumResults() <= 1 && runtimeFunction(call);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<IntegerAttr, FloatAttr>(constant.getValue());
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return alloc.getDynamicSizes().size() == 1 && !alloc.getAlignment() &&
           alloc.getType().getLayout().isIdentity() &&
           alloc.getType().getElementTypeBitWidth() % 8 == 0;
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return dim.getConstantIndex() == 0;
  return isa<arith::IndexCastOp, bufferization::ToTensorOp, func::ReturnOp>(op);
}

std::unique_ptr<CallProgram> CallProgram::get(OwningOpRef<ModuleOp> &module,
                                              StringRef name) {
  auto function = module->lookupSymbol<func::FuncOp>(name);
  if (!function || !function.getBody().hasOneBlock() ||
      !llvm::all_of(function.getArgumentTypes(),
                    [](Type type) { return isKnown(type); }) ||
      !llvm::all_of(function.getBody().front(),
                    [](Operation &op) { return isKnown(op); }))
    return nullptr;
  return std::unique_ptr<CallProgram>(
      new CallProgram(std::move(module), function));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// One run of a function.
class Run {
public:
  Run(Block &block, ArrayRef<CallValue> arguments) {
    for (auto [parameter, argument] :
         llvm::zip_equal(block.getArguments(), arguments))
      values[parameter] = argument;
    for (Operation &op : block.without_terminator())
      evaluate(op);
    for (Value result : block.getTerminator()->getOperands())
      results.push_back(values[result]);
  }
  std::vector<CallValue> results;

private:
  void evaluate(Operation &op);
  void call(func::CallOp op);
  CallValue allocate(memref::AllocOp op);

  llvm::DenseMap<Value, CallValue> values;
};
} // namespace

static CallValue constantOf(arith::ConstantOp op) {
  CallValue value;
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    value.real = real.getValueAsDouble();
  else
    value.integer = cast<IntegerAttr>(op.getValue()).getInt();
  return value;
}

CallValue Run::allocate(memref::AllocOp op) {
  const int64_t count = values[op.getDynamicSizes().front()].integer;
  const size_t bytes = op.getType().getElementTypeBitWidth() / 8;
  // As compiled code does.
  void *memory = std::malloc(size_t(count) * bytes);
  return AstfeMemRef1D{memory, memory, 0, count, 1};
}

/// Buffers go by the address of their descriptor, results of that type as the
/// first argument.
void Run::call(func::CallOp op) {
  std::deque<CallValue> passed;
  SmallVector<void *> addresses;
  auto pass = [&](Type type, CallValue &value) {
    if (isBuffer(type)) {
      passed.emplace_back();
      passed.back().pointer = &value.buffer;
      addresses.push_back(&passed.back().pointer);
    } else if (isa<LLVM::LLVMPointerType>(type)) {
      addresses.push_back(&value.pointer);
    } else {
      addresses.push_back(type.isF64() ? static_cast<void *>(&value.real)
                                       : &value.integer);
    }
  };
  CallValue result;
  const bool hasResult = op.getNumResults() != 0;
  if (hasResult && isBuffer(op.getResult(0).getType()))
    pass(op.getResult(0).getType(), result);
  for (Value operand : op.getOperands())
    pass(operand.getType(), values[operand]);
  if (hasResult && !isBuffer(op.getResult(0).getType()))
    pass(op.getResult(0).getType(), result);
  runtimeFunction(op)->call(addresses.data());
  if (hasResult)
    values[op.getResult(0)] = result;
}

void Run::evaluate(Operation &op) {
  if (auto callOp = dyn_cast<func::CallOp>(op))
    return call(callOp);
  values[op.getResult(0)] =
      llvm::TypeSwitch<Operation &, CallValue>(op)
          .Case([](arith::ConstantOp constant) { return constantOf(constant); })
          .Case([&](memref::AllocOp alloc) { return allocate(alloc); })
          .Case([&](memref::DimOp dim) {
            return CallValue(values[dim.getSource()].buffer.size);
          })
          .Default([&](Operation &same) { return values[same.getOperand(0)]; });
}

std::vector<CallValue> CallProgram::run(ArrayRef<CallValue> arguments) const {
  Block &block = func::FuncOp(function).getBody().front();
  return std::move(Run(block, arguments).results);
}
