//===- HostPlan.cpp - what loops of a host can do -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/Speculation.h"
#include "PlanRules.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace astfe {

/// Elementwise ops and constants.
static bool isElementwise(const ComputeQuestion &question) {
  return llvm::all_of(question.body, [](Operation *inner) {
    return inner->getNumRegions() == 0 &&
           (OpTrait::hasElementwiseMappableTraits(inner) ||
            inner->hasTrait<OpTrait::ConstantLike>());
  });
}

bool runsInLanes(const ComputeQuestion &question) {
  return isElementwise(question) &&
         llvm::all_of(question.body, mayBeSpeculated);
}

/// Elements that the hardware has vectors of, one a byte or more; a truth value
/// takes a byte in memory.
static bool isVectorElement(Type type) {
  return VectorType::isValidElementType(type) && type.isIntOrFloat() &&
         (type.isInteger(1) || type.getIntOrFloatBitWidth() >= 8);
}

bool widensHalves(const ComputeQuestion &question) {
  auto usesHalves = [](Operation *op) {
    return llvm::any_of(op->getResultTypes(), isHalf) ||
           llvm::any_of(op->getOperandTypes(), isHalf);
  };
  auto isOfHalves = [](const PlanOperand &operand) {
    return isHalf(operand.element());
  };
  return isElementwise(question) &&
         (llvm::any_of(question.inputs, isOfHalves) ||
          llvm::any_of(question.outputs, isOfHalves) ||
          llvm::any_of(question.body, usesHalves));
}

bool lanesFit(const PlanOperand &operand, ArrayRef<unsigned> laneDims) {
  return isVectorElement(operand.element()) &&
         llvm::count_if(laneDims, [&](unsigned dim) {
           return operand.map.isFunctionOfDim(dim);
         }) <= 1;
}

/// Why the emitters with lanes have no code for the operands or the body.
static StringRef whyNoLanes(const ComputeQuestion &question,
                            const ComputePlan &plan) {
  if (question.outputs.size() != 1)
    return "there is more than one output";
  if (question.dims() > question.firstDense() + 1)
    return "there is more than one dense dimension";
  if (!runsInLanes(question))
    return "the body is not elementwise, or may trap";
  SmallVector<unsigned> laneDims{0};
  llvm::append_range(laneDims, plan.walked);
  if (question.dims() > question.firstDense())
    laneDims = {question.firstDense()};
  for (const PlanOperand &input : question.inputs)
    if (!lanesFit(input, laneDims))
      return "an input has no vectors along the lanes";
  if (!lanesFit(question.outputs.front(), {question.firstDense()}))
    return "the output has no vectors along the lanes";
  return {};
}

/// The output is one element a nonzero.
static bool isPerNonzero(const ComputePlan &plan) {
  const OutputPlan &output = plan.outputs.front();
  return output.protocol == Protocol::Once && output.dense.empty();
}

/// The output is an element for each row, and the columns of a dense dimension
/// are summed into it, too. Halves would be rounded for each tile of these (but
/// for maxima, which have an array of sums all the same).
static bool isRowSum(const ComputeQuestion &question, const ComputePlan &plan) {
  const PlanOperand &output = question.outputs.front();
  return question.dims() == question.firstDense() + 1 &&
         output.map.getNumResults() == 1 &&
         output.map.isFunctionOfDim(plan.keys.front()) &&
         !isHalf(output.element());
}

/// Why walking segments, parts or pieces does not suit the output, or nothing.
static StringRef chooseWalk(const ComputeQuestion &question,
                            ComputePlan &plan) {
  if (isPerNonzero(plan) || isRowOf(question, plan, plan.keys.front()) ||
      isRowSum(question, plan)) {
    plan.walk = Walk::Segments;
    return {};
  }
  if (!isRowOf(question, plan, plan.walked.front()))
    return "the output is not indexed by rows";
  if (!question.isView())
    return "the output is not indexed by rows";
  plan.walk = question.dims() == question.firstDense() ? Walk::Pieces
                                                       : Walk::Parts;
  return {};
}

/// Loops need loads, and sums an identity.
static bool checkElements(const ComputeQuestion &question,
                          PlanRefusal &refusal) {
  auto check = [&](const PlanOperand &operand) {
    if (operand.element().isIntOrFloat())
      return true;
    refusal.reason = "expected elements of float or integer type but got '" +
                     textOf(operand.element()) + "'";
    return false;
  };
  return llvm::all_of(question.inputs, check) &&
         llvm::all_of(question.outputs, check);
}

bool planForHost(const ComputeQuestion &question, ComputePlan &plan,
                 PlanRefusal &refusal) {
  if (!checkElements(question, refusal))
    return false;
  plan.widens = widensHalves(question);
  if (question.modes != 2)
    return planBricks(question, plan, refusal);
  StringRef why = whyNoLanes(question, plan);
  if (why.empty())
    why = chooseWalk(question, plan);
  if (!why.empty()) {
    plan.whySerial = why.str();
    return true;
  }
  if (plan.walk == Walk::Pieces)
    return true;
  bool hasDense = question.dims() > question.firstDense();
  plan.lanes = hasDense ? Lanes::Dense : Lanes::Slots;
  plan.laneDim = hasDense ? question.firstDense() : 0;
  return true;
}

} // namespace astfe
