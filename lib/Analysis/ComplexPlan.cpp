//===- ComplexPlan.cpp - complex computations as real ones ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/ComplexPlan.h"
#include "ASTFE/Analysis/GraphBridge.h"
#include "PlanRules.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace astfe {

static bool isComplexType(Type type) { return isa<ComplexType>(type); }

static bool usesComplex(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isComplexType) ||
         llvm::any_of(op->getResultTypes(), isComplexType);
}

bool isComplex(const ComputeQuestion &question) {
  auto isOfParts = [](const PlanOperand &operand) {
    return isComplexType(operand.element());
  };
  return llvm::any_of(question.inputs, isOfParts) ||
         llvm::any_of(question.outputs, isOfParts) ||
         llvm::any_of(question.body, usesComplex);
}

/// Whether complex numbers that the op makes are known by their parts.
static bool hasParts(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return select.getCondition().getType().isInteger(1);
  return isa<complex::AddOp, complex::ConjOp, complex::ConstantOp,
             complex::CreateOp, complex::ImOp, complex::MulOp, complex::NegOp,
             complex::ReOp, complex::SubOp>(op);
}

bool checkParts(const ComputeQuestion &question, PlanRefusal &refusal) {
  for (auto [output, combiner] :
       llvm::zip(question.outputs, question.combiners))
    if (isComplexType(output.element()) &&
        combiner != arith::AtomicRMWKind::addf) {
      refusal.reason = "expected complex numbers that are added up but got " +
                       arith::stringifyAtomicRMWKind(combiner).str();
      return false;
    }
  for (Operation *op : question.body) {
    if (!usesComplex(op) || hasParts(op))
      continue;
    refusal.at = op;
    refusal.reason = "expected complex.add, conj, constant, create, im, mul, "
                     "neg, re or sub, or arith.select, on complex numbers but "
                     "got " +
                     op->getName().getStringRef().str();
    return false;
  }
  return true;
}

bool checkPairs(const ComputeQuestion &question, PlanRefusal &refusal) {
  auto refuse = [&](const Twine &reason) {
    refusal.reason = reason.str();
    return false;
  };
  if (question.outputs.size() != 1 ||
      !isComplexType(question.outputs.front().element()))
    return refuse("expected one output of complex numbers where an input has "
                  "such on a GPU");
  const Type element = question.outputs.front().element();
  const Type part = cast<ComplexType>(element).getElementType();
  const unsigned bits = isa<FloatType>(part) ? part.getIntOrFloatBitWidth() : 0;
  if (bits != 32 && bits != 64)
    return refuse("expected complex numbers of floats of 32 or 64 bits on a "
                  "GPU but got '" +
                  textOf(element) + "'");
  // The plan of the parts sees no op on complex numbers.
  llvm::DenseSet<Value> own(question.arguments.begin(),
                            question.arguments.end());
  for (Operation *op : question.body)
    own.insert_range(op->getResults());
  for (Operation *op : question.body)
    for (Value operand : op->getOperands())
      if (!own.contains(operand) && operand.getType() != element &&
          operand.getType() != part)
        return refuse("expected a body that reads scalars of type " +
                      textOf(element) + " or " + textOf(part) +
                      " from outside on a GPU but it reads one of type " +
                      textOf(operand.getType()));
  for (const PlanOperand &input : question.inputs) {
    if (isComplexType(input.element()) && input.element() != element)
      return refuse("expected complex inputs of the output's elements '" +
                    textOf(element) + "' on a GPU but got '" +
                    textOf(input.element()) + "'");
    bool hasDense = false;
    for (unsigned dim = question.firstDense(); dim < question.dims(); ++dim)
      hasDense |= input.map.isFunctionOfDim(dim);
    if (hasDense && !isComplexType(input.element()))
      return refuse("expected dense columns of complex numbers beside others "
                    "on a GPU but got '" +
                    textOf(input.element()) + "'");
  }
  return true;
}

/// A tensor, or a buffer whose elements have nothing between them.
static bool liesSideBySide(const PlanOperand &operand) {
  auto buffer = dyn_cast<MemRefType>(operand.type);
  return !buffer ||
         (buffer.getLayout().isIdentity() && !buffer.getMemorySpace());
}

/// A tensor, or a buffer whose elements are where strides say.
static bool hasStrides(const PlanOperand &operand) {
  auto buffer = dyn_cast<MemRefType>(operand.type);
  int64_t offset;
  SmallVector<int64_t> strides;
  return !buffer || (succeeded(buffer.getStridesAndOffset(strides, offset)) &&
                     !buffer.getMemorySpace());
}

bool hasPairs(const ComputeQuestion &question, const ComputePlan &plan) {
  if (plan.lanes != Lanes::Dense || plan.reducesLanes() || plan.widens ||
      question.outputs.size() != 1)
    return false;
  const PlanOperand &output = question.outputs.front();
  auto isInLanes = [&](const PlanOperand &operand) {
    return operand.map.isFunctionOfDim(plan.laneDim);
  };
  auto fits = [&](const PlanOperand &operand) {
    return operand.element() == output.element() && hasStrides(operand);
  };
  if (!isComplexType(output.element()) || !isInLanes(output) || !fits(output))
    return false;
  llvm::DenseSet<Value> inLanes;
  for (auto [argument, input] :
       llvm::zip(question.arguments, question.inputs)) {
    if (isComplexType(input.element()) && input.element() != output.element())
      return false;
    if (!isInLanes(input))
      continue;
    if (!fits(input))
      return false;
    inLanes.insert(argument);
  }
  for (Operation *op : question.body) {
    if (llvm::none_of(op->getOperands(),
                      [&](Value value) { return inLanes.contains(value); }))
      continue;
    if (!isa<complex::AddOp, complex::ConjOp, complex::MulOp, complex::NegOp,
             complex::SubOp, arith::SelectOp>(op))
      return false;
    inLanes.insert(op->getResult(0));
  }
  return true;
}

/// Vectors that a mode indexes get a column; the others are the same for it.
std::optional<ComputeQuestion> withColumn(const ComputeQuestion &question) {
  if (question.outputs.size() != 1 || question.dims() != question.firstDense())
    return std::nullopt;
  const Type element = question.outputs.front().element();
  const unsigned column = question.dims();
  auto add = [&](PlanOperand &operand) {
    AffineMap map = operand.map;
    SmallVector<AffineExpr> results(map.getResults());
    SmallVector<int64_t> shape(operand.type.getShape());
    if (operand.element() == element && !results.empty() &&
        !map.isFunctionOfDim(0)) {
      results.push_back(getAffineDimExpr(column, element.getContext()));
      shape.push_back(1);
    }
    if (!liesSideBySide(operand))
      return false;
    operand.map = AffineMap::get(column + 1, 0, results, element.getContext());
    // The layout of a buffer is that of its rank.
    operand.type = isa<MemRefType>(operand.type)
                       ? ShapedType(MemRefType::get(shape, operand.element()))
                       : operand.type.clone(shape);
    return true;
  };
  ComputeQuestion made = question;
  if (!llvm::all_of(made.inputs, add) || !llvm::all_of(made.outputs, add))
    return std::nullopt;
  return made;
}

static PlanOperand partOf(const PlanOperand &operand) {
  ShapedType type = operand.type;
  auto complex = dyn_cast<ComplexType>(operand.element());
  if (!complex)
    return operand;
  return {operand.map, type.clone(complex.getElementType())};
}

ComputeQuestion questionOfPart(const ComputeQuestion &question) {
  ComputeQuestion part = question;
  for (PlanOperand &input : part.inputs)
    input = partOf(input);
  for (PlanOperand &output : part.outputs)
    output = partOf(output);
  llvm::erase_if(part.body, usesComplex);
  part.arguments.clear();
  return part;
}

} // namespace astfe
