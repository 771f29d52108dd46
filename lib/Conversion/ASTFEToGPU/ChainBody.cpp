//===- ChainBody.cpp - bodies of a chain, for one lane --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/FusedPlan.h"
#include "ASTFE/Conversion/Contraction.h"
#include "ASTFE/Conversion/WidenedBody.h"
#include "ChainEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace astfe::gpukernel {

Value ChainEmitter::evaluate(const ChainStep &step, Value value,
                             ReadInput read) {
  IRMapping known;
  return evaluate(step, value, read, known);
}

/// Only what the value needs is made: what a left-out division divides by may
/// not be known yet.
Value ChainEmitter::evaluate(const ChainStep &step, Value value, ReadInput read,
                             IRMapping &known) {
  if (Value found = known.lookupOrNull(value))
    return found;
  ComputeOp op = step.op;
  Block *body = &op.getBody().front();
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value))
    result = argument.getOwner() == body ? read(argument.getArgNumber())
                                         : buffers.lookup(value);
  else if (Operation *inner = value.getDefiningOp(); inner->getBlock() == body)
    result = cloneInner(step, cast<OpResult>(value), read, known);
  else
    result = b.clone(*inner)->getResult(0);
  result = asComputed(result, step.plan.widens);
  known.map(value, result);
  return result;
}

Value ChainEmitter::asComputed(Value value, bool widens) {
  Type wide = widenedType(value.getType());
  if (!widens || wide == value.getType())
    return value;
  return arith::ExtFOp::create(b, wide, value);
}

void ChainEmitter::cloneComputed(Operation &inner, IRMapping &known,
                                 bool widens) {
  auto rounded = [&](Value value, Type half) -> Value {
    Value narrow = arith::TruncFOp::create(b, half, value);
    return arith::ExtFOp::create(b, value.getType(), narrow);
  };
  if (widens && cloneWidened(b, inner, known, rounded))
    return;
  Operation *copy = b.clone(inner, known);
  if (widens)
    for (Value result : copy->getResults())
      result.setType(widenedType(result.getType()));
  allowContraction(copy);
}

Value ChainEmitter::cloneInner(const ChainStep &step, OpResult value,
                               ReadInput read, IRMapping &known) {
  Operation &inner = *value.getOwner();
  if (step.sweep == sweep && &inner == step.scale.division)
    return evaluate(step, inner.getOperand(0), read, known);
  if (step.sweep == sweep && &inner == step.scale.exponential) {
    auto difference = cast<arith::SubFOp>(inner.getOperand(0).getDefiningOp());
    Value from = evaluate(step, difference.getLhs(), read, known);
    return exponential(
        arith::SubFOp::create(b, from, references.find(&inner)->second.now));
  }
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(inner.getRegions(), captured);
  for (Value operand : inner.getOperands())
    captured.insert(operand);
  for (Value operand : captured)
    known.map(operand, evaluate(step, operand, read, known));
  cloneComputed(inner, known, step.plan.widens);
  return known.lookup(value);
}

Value ChainEmitter::ofKeys(Operation *inner, Value value,
                           function_ref<Value(Value)> key) {
  auto op = inner->getParentOfType<ComputeOp>();
  auto step = llvm::find_if(
      plan.chain.steps, [&](const ChainStep &each) { return each.op == op; });
  return evaluate(*step, value, [&](unsigned input) {
    return key(FusedOp::getOrigin(op.getInputs()[input]));
  });
}

void ChainEmitter::applyEpilogue(linalg::GenericOp op, Value at,
                                 Values &elements) {
  const bool widens = widensHalves(op);
  IRMapping known;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured) {
    Value outer = isa<BlockArgument>(value)
                      ? buffers.lookup(value)
                      : b.clone(*value.getDefiningOp())->getResult(0);
    known.map(value, asComputed(outer, widens));
  }
  Values inputs; // one element, or those from the column on
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value origin = FusedOp::getOrigin(input->get());
    AffineMap map = op.getMatchingIndexingMap(input);
    const unsigned rank = map.getNumResults();
    if (plan.chain.makerOf(origin))
      inputs.push_back(keys.lookup(origin));
    else if (!isa<ShapedType>(origin.getType()))
      inputs.push_back(buffers.lookup(origin));
    else if (rank == 0)
      inputs.push_back(e.load(buffers.lookup(origin), e.index(0)));
    else if (map.isFunctionOfDim(1))
      inputs.push_back(rank == 2 ? loadVector(buffers.lookup(origin),
                                              e.add(placeOf(origin, row), at),
                                              plan.vector)
                                 : loadColumns(origin, at));
    else
      inputs.push_back(e.load(buffers.lookup(origin), placeOf(origin, row)));
  }
  for (auto [u, element] : llvm::enumerate(elements)) {
    IRMapping mapping = known;
    for (auto [argument, input] : llvm::zip(op.getRegionInputArgs(), inputs))
      mapping.map(argument, asComputed(elementOf(input, u), widens));
    mapping.map(op.getRegionOutputArgs().front(), element);
    for (Operation &inner : op.getBody()->without_terminator())
      cloneComputed(inner, mapping, widens);
    element =
        mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
  }
}

/// By ex2 for f32, which PTX has an instruction for: the argument is the
/// difference to a maximum, so that what its product is rounded by matters as
/// little as the result is small.
Value ChainEmitter::exponential(Value difference) {
  Type type = difference.getType();
  if (!type.isF32())
    return math::ExpOp::create(b, difference);
  Value perPower =
      arith::ConstantOp::create(b, b.getFloatAttr(type, llvm::numbers::log2e));
  return math::Exp2Op::create(b,
                              arith::MulFOp::create(b, difference, perPower));
}

/// The maximum grows from `before` to `now`. -inf minus -inf is no number: a
/// row of which nothing but -inf was seen counts from 0, and its sums, which
/// are 0, are multiplied by 0. So they are where the reference of such a row is
/// another number, far above those that come.
void ChainEmitter::moveReference(const ChainStep &maximum, Value before,
                                 Value now) {
  Type type = plan.chain.element;
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  auto isNone = [&](Value value) -> Value {
    return arith::CmpFOp::create(
        b, arith::CmpFPredicate::OEQ, value,
        constant(-std::numeric_limits<double>::infinity()));
  };
  for (Operation *inner : plan.chain.exponentialsOf(maximum)) {
    auto at = [&](Value maximum) {
      return ofKeys(inner, referenceOf(inner), [&](Value) { return maximum; });
    };
    Value from = at(before), to = at(now);
    Value factor = exponential(arith::SubFOp::create(b, from, to));
    Value none = arith::OrIOp::create(b, isNone(before), isNone(from));
    references[inner] = {e.select(isNone(to), constant(0), to),
                         e.select(none, constant(0), factor)};
  }
}

/// A sum over the row's nonzeros as it is meant. Rows of nothing but -inf are
/// no numbers, as their exponentials are; nothing is divided where there are no
/// nonzeros.
Value ChainEmitter::completed(const ChainStep &step, Value sum, Value divisor) {
  if (!step.scale)
    return sum;
  Type type = plan.chain.element;
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  };
  Value some = e.compare(arith::CmpIPredicate::ne, length, e.i32(0));
  Value isNone =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                            lastReferences.lookup(step.scale.exponential),
                            constant(-std::numeric_limits<double>::infinity()));
  Value result =
      e.select(arith::AndIOp::create(b, isNone, some),
               constant(std::numeric_limits<double>::quiet_NaN()), sum);
  if (!divisor)
    return result;
  Value quotient = arith::DivFOp::create(b, result, divisor);
  return e.select(some, quotient, result);
}

} // namespace astfe::gpukernel
