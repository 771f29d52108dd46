//===- BrickPlan.cpp - what loops over bricks can do ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed patterns of other ranks than two (Core/Bricks/Bricks.h), on the host.
//
//===----------------------------------------------------------------------===//

#include "PlanRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace astfe {

std::optional<unsigned> brickKey(const ComputeQuestion &question) {
  AffineMap output = question.outputs.front().map;
  for (unsigned r = 0; r < output.getNumResults(); ++r)
    if (unsigned dim = output.getDimPosition(r);
        dim >= 1 && dim < question.firstDense())
      return dim;
  return std::nullopt;
}

/// Adds the inputs that `value` is the product of to `found`, each once.
static bool findFactors(const ComputeQuestion &question, Value value,
                        llvm::SmallDenseSet<Value> &found) {
  if (llvm::is_contained(question.arguments, value))
    return found.insert(value).second;
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && findFactors(question, product.getLhs(), found) &&
         findFactors(question, product.getRhs(), found);
}

/// The contribution is the product of all inputs, and they are added up.
static bool isProductOfInputs(const ComputeQuestion &question) {
  llvm::SmallDenseSet<Value> found;
  return question.combiners.front() == arith::AtomicRMWKind::addf &&
         findFactors(question, question.contributions.front(), found) &&
         found.size() == question.arguments.size();
}

/// Elements along the dimension are side by side, or one.
static bool liesAlong(AffineMap map, unsigned dim) {
  return !map.isFunctionOfDim(dim) ||
         map.getDimPosition(map.getNumResults() - 1) == dim;
}

static StringRef whyNoLanes(const ComputeQuestion &question) {
  const unsigned lane = question.dims() - 1;
  if (lane < question.firstDense())
    return "there is no dense dimension";
  if (!runsInLanes(question))
    return "the body is not elementwise, or may trap";
  const bool isSummed = !question.outputs.front().map.isFunctionOfDim(lane);
  if (isSummed && question.target == PlanTarget::GPU)
    return "the output is not indexed by the last dense dimension";
  if (isSummed && !llvm::all_of(question.inputs, [&](const PlanOperand &input) {
        return liesAlong(input.map, lane);
      }))
    return "the last dense dimension is summed over and is not the last of an "
           "input";
  auto fits = [&](const PlanOperand &operand) {
    return lanesFit(operand, {lane});
  };
  if (!llvm::all_of(question.inputs, fits))
    return "an input has no vectors along the lanes";
  if (!llvm::all_of(question.outputs, fits))
    return "the output has no vectors along the lanes";
  return {};
}

bool planBricks(const ComputeQuestion &question, ComputePlan &plan,
                PlanRefusal &refusal) {
  if (question.isView())
    refusal.reason = "expected a pattern of rank 2 or packed storage but got a "
                     "view of rank " +
                     std::to_string(question.modes);
  else if (question.outputs.size() != 1 || plan.outputs.front().ordinal ||
           !brickKey(question))
    refusal.reason = "expected one output that is indexed by a mode of the "
                     "pattern, of rank " +
                     std::to_string(question.modes);
  if (!refusal.reason.empty())
    return false;
  plan.walk = Walk::Bricks;
  plan.isProduct = isProductOfInputs(question);
  plan.whyNoLanes = whyNoLanes(question).str();
  if (plan.whyNoLanes.empty()) {
    plan.lanes = Lanes::Dense;
    plan.laneDim = question.dims() - 1;
  }
  return true;
}

} // namespace astfe
