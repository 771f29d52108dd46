//===- ScalarProgram.cpp - the body of an op, ready to evaluate -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "ComplexFunctions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace astfe;

namespace astfe {
/// Gives values their slots.
struct ProgramBuilder {
  ScalarProgram program;
  llvm::DenseMap<Value, unsigned> slotOf;
  llvm::function_ref<std::optional<Number>(Value)> outside;
  /// A slot that stays 0, read for operands that an op does not have.
  unsigned absent = 0;

  unsigned define(Value value, Number initial = {}) {
    slotOf[value] = program.slots.size();
    program.slots.push_back(initial);
    return program.slots.size() - 1;
  }

  FailureOr<unsigned> use(Operation *user, Value value) {
    if (auto found = slotOf.find(value); found != slotOf.end())
      return found->second;
    if (std::optional<Number> number = outside(value))
      return define(value, *number);
    return user->emitOpError("expected scalar operands that are known");
  }

  LogicalResult append(Operation *op) {
    ScalarProgram::Instruction instruction{{}, {absent, absent, absent}, 0, -1};
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      instruction.dimension = int(index.getDim());
    } else {
      std::optional<ScalarFunction> function = scalarFunction(op);
      if (!function || op->getNumOperands() > 3 || op->getNumResults() != 1)
        return op->emitOpError("expected an op that the interpreter knows");
      instruction.function = *function;
    }
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      FailureOr<unsigned> slot = use(op, operand);
      if (failed(slot))
        return failure();
      instruction.operands[i] = *slot;
    }
    instruction.result = define(op->getResult(0));
    program.instructions.push_back(instruction);
    return success();
  }

  /// The ops of a region of an op of sparse_tensor, whose arguments are the
  /// op's operands; the slot of what it yields.
  FailureOr<unsigned> inlined(Operation *op, Region &region) {
    if (region.empty())
      return op->emitOpError("expected a region for operands that exist");
    Block &block = region.front();
    for (auto [argument, operand] :
         llvm::zip(block.getArguments(), op->getOperands())) {
      FailureOr<unsigned> slot = use(op, operand);
      if (failed(slot))
        return failure();
      slotOf[argument] = *slot;
    }
    for (Operation &nested : block.without_terminator())
      if (failed(add(&nested)))
        return failure();
    return use(op, block.getTerminator()->getOperand(0));
  }

  /// What it does where the entry of the sparse operand is stored.
  LogicalResult alias(Operation *op, Region &region) {
    FailureOr<unsigned> slot = inlined(op, region);
    if (succeeded(slot))
      slotOf[op->getResult(0)] = *slot;
    return success(succeeded(slot));
  }

  LogicalResult select(sparse_tensor::SelectOp op) {
    FailureOr<unsigned> kept = inlined(op, op.getRegion());
    FailureOr<unsigned> value = use(op, op.getX());
    if (failed(kept) || failed(value))
      return failure();
    ScalarProgram::Instruction instruction{{}, {*kept, absent, absent}, 0, -1};
    instruction.isSelection = true;
    program.instructions.push_back(instruction);
    slotOf[op.getResult()] = *value;
    return success();
  }

  LogicalResult add(Operation *op) {
    if (auto number = dyn_cast<arith::ConstantOp>(op))
      return constant(number);
    if (auto number = dyn_cast<complex::ConstantOp>(op)) {
      define(number, complexConstant(number));
      return success();
    }
    if (auto binary = dyn_cast<sparse_tensor::BinaryOp>(op))
      return alias(op, binary.getOverlapRegion());
    if (auto unary = dyn_cast<sparse_tensor::UnaryOp>(op))
      return alias(op, unary.getPresentRegion());
    if (auto reduce = dyn_cast<sparse_tensor::ReduceOp>(op))
      return alias(op, reduce.getRegion());
    if (auto selection = dyn_cast<sparse_tensor::SelectOp>(op))
      return select(selection);
    return append(op);
  }

  LogicalResult constant(arith::ConstantOp op) {
    std::optional<Number> number = outside(op);
    if (!number)
      return op.emitOpError("expected a scalar constant");
    define(op, *number);
    return success();
  }
};
} // namespace astfe

FailureOr<ScalarProgram> ScalarProgram::compile(
    Block &block, llvm::function_ref<std::optional<Number>(Value)> outside) {
  ProgramBuilder builder;
  builder.outside = outside;
  for (BlockArgument argument : block.getArguments())
    builder.define(argument);
  builder.absent = builder.program.slots.size();
  builder.program.slots.emplace_back();
  for (Operation &op : block.without_terminator())
    if (failed(builder.add(&op)))
      return failure();
  for (Value value : block.getTerminator()->getOperands()) {
    FailureOr<unsigned> slot = builder.use(block.getTerminator(), value);
    if (failed(slot))
      return failure();
    builder.program.yieldedSlots.push_back(*slot);
  }
  return std::move(builder.program);
}

bool ScalarProgram::run() {
  for (const Instruction &i : instructions) {
    if (i.isSelection) {
      if (slots[i.operands[0]].whole() == 0)
        return false;
    } else if (i.dimension >= 0) {
      double at = double(index[size_t(i.dimension)]);
      slots[i.result] = {at, at};
    } else {
      slots[i.result] = i.function(slots[i.operands[0]], slots[i.operands[1]],
                                   slots[i.operands[2]]);
    }
  }
  return true;
}
