//===- GraphSteps.cpp - adding a link to the chains of graphs -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphSteps.h"
#include "ASTFE/Analysis/Remark.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace astfe {

/// A profile op that stands for a known profile, so that a step can be built on
/// it; it goes when the step has been evaluated.
static ProfileOp standIn(OpBuilder &b, PackOp pack, ProfileAttr known) {
  auto type = cast<RankedTensorType>(pack.getTensor().getType());
  PartAttr part = known.getSpace().getParts().front();
  return ProfileOp::create(
      b, pack.getLoc(), ProfileType::get(b.getContext(), type.getShape()),
      pack.getTensor(), part.getOrder(), part.getPanel(), Reorder::None,
      core::kNoHubs, /*min=*/1, known, SearchAttr());
}

/// Whether the graph got the step.
static FailureOr<bool> appendTo(Value graph, ArrayRef<PackOp> packs,
                                StringRef pass, StepBuilder build) {
  ProfileSource source = findProfile(graph);
  PackOp first = packs.front();
  if (!source.profile && !source.known) {
    remark::missed(first.getLoc(), remarkOf(first, pass, "kept"))
        << remark::reason("the graph has no profile");
    return false;
  }
  auto constant = graph.getDefiningOp<GraphOp>();
  bool isConstant = constant != nullptr;
  OpBuilder b(first->getContext());
  b.setInsertionPointAfterValue(graph);
  // The stand-in reads the tensor of one pack, which may be in another region
  // than the others: the new constant goes where the old one was.
  Block *home = graph.getParentBlock();
  Operation *next = isConstant ? constant->getNextNode() : nullptr;
  ProfileOp temporary;
  if (isConstant) {
    b.setInsertionPoint(first);
    temporary = standIn(b, first, source.known);
    source.profile = temporary;
  }
  Operation *step = build(b, first.getLoc(), graph, source.profile, packs);
  for (PackOp pack : packs)
    pack.getGraphMutable().assign(step->getResult(0));
  remark::passed(first.getLoc(), remarkOf(first, pass, "added"))
      << (isConstant ? "computed now" : "left to run time");
  if (!isConstant)
    return true;
  if (failed(evaluateIfKnown(step, pass)))
    return failure();
  temporary->erase();
  first.getGraph().getDefiningOp()->moveBefore(home, next ? next->getIterator()
                                                          : home->end());
  return true;
}

FailureOr<unsigned> appendStep(Operation *root, StringRef pass,
                               StepBuilder build,
                               function_ref<bool(StepsTaken)> isDone) {
  unsigned added = 0;
  for (auto &[graph, packs] : packsByGraph(root)) {
    if (isDone && isDone(stepsTaken(graph))) {
      PackOp first = packs.front();
      remark::missed(first.getLoc(), remarkOf(first, pass, "kept"))
          << remark::reason("the graph has had this step");
      continue;
    }
    FailureOr<bool> isAdded = appendTo(graph, packs, pass, build);
    if (failed(isAdded))
      return failure();
    added += *isAdded;
  }
  return added;
}

} // namespace astfe
