//===- FusedPlan.cpp - which chains have a kernel of their own ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/FusedPlan.h"
#include "ASTFE/Analysis/ChainPlan.h"
#include "ASTFE/Analysis/ComplexPlan.h"
#include "ASTFE/Analysis/StoredLevels.h"

using namespace mlir;

namespace astfe {

/// An epilogue that the loops of a row can run.
static std::string whyNotEpilogue(linalg::GenericOp op) {
  if (!op.getBody()->getOps<linalg::IndexOp>().empty())
    return "an epilogue reads loop indices";
  for (Value into : op.getDpsInits())
    if (FusedOp::getOrigin(into).getDefiningOp<LocalOp>())
      return "an epilogue writes a local";
  return "";
}

/// A computation of a chain whose segments are those of `key`.
static std::string whyNotByKey(ComputeOp op, std::optional<unsigned> &key) {
  PlanRefusal refusal;
  const ComputeQuestion question = questionOf(op, PlanTarget::Host);
  if (isComplex(question))
    return "a computation has complex numbers, whose parts run one by one";
  std::optional<ComputePlan> plan = planCompute(question, refusal);
  if (!plan)
    return refusal.reason;
  auto isByte = [](Value operand) {
    return getElementTypeOrSelf(operand.getType()).isInteger(1);
  };
  if (llvm::any_of(op->getOperands().drop_front(), isByte))
    return "a computation has truth values, which bytes hold";
  if (plan->walk != Walk::Segments || plan->outputs.size() != 1)
    return "a computation does not walk segments of rows: " + plan->text();
  const OutputPlan &output = plan->outputs.front();
  if (output.protocol == Protocol::Segment && !plan->reduced.empty())
    return "a computation sums over dense columns too";
  const unsigned segment = plan->keys.front();
  if (output.protocol != Protocol::Once && output.protocol != Protocol::Segment)
    return "a computation writes what its segments do not own";
  if (key.value_or(segment) != segment)
    return "the storage has segments of another mode than the chain's key";
  key = segment;
  return "";
}

/// Kernels of chains read the matrix where it is stored.
static std::string whyNotStored(FusedOp op) {
  auto pack = op.getPattern().getDefiningOp<PackOp>();
  if (!pack || CompressedMatrix::of(pack.getTensor().getType()))
    return "";
  return "the matrix is stored in another format than CSR and CSC";
}

std::string whyNotFusedOnHost(FusedOp op) {
  if (std::string why = whyNotStored(op); !why.empty())
    return why;
  BlockedType pattern = op.getPattern().getType();
  if (!pattern.getLayout().isView() || pattern.getShape().size() != 2)
    return "the pattern is no view of a matrix";
  std::optional<unsigned> key = op.getKeyDim();
  // Without a computation by key, epilogues run over rows.
  if (!key && !op.getBody().getOps<linalg::GenericOp>().empty())
    key = 1;
  for (Operation &member : op.getBody().front()) {
    std::string why;
    if (auto compute = dyn_cast<ComputeOp>(member))
      why = whyNotByKey(compute, key);
    else if (auto local = dyn_cast<LocalOp>(member);
             local &&
             cast<ShapedType>(local.getResult().getType()).getRank() != 1)
      why = "what is handed on has dense dimensions";
    else if (auto epilogue = dyn_cast<linalg::GenericOp>(member))
      why = whyNotEpilogue(epilogue);
    if (!why.empty())
      return why;
  }
  return "";
}

bool widensHalves(linalg::GenericOp epilogue) {
  return llvm::none_of(
      epilogue.getBody()->without_terminator(),
      [](Operation &inner) { return inner.getNumRegions() != 0; });
}

std::string whyNotFusedOnGPU(FusedOp op) {
  std::string whyNot = whyNotStored(op);
  if (whyNot.empty())
    planChain(op, whyNot);
  return whyNot;
}

} // namespace astfe
