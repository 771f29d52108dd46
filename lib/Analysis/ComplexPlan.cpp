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
