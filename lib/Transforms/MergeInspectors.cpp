//===- MergeInspectors.cpp - one inspector for equal ones -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What upstream's `cse` does, for our ops alone. Before bufferization two equal
// ops of others are not one: two empty tensors are two outputs.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/Remark.h"
#include "ASTFE/Transforms/Passes.h"
#include "Inspector.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_MERGEINSPECTORSPASS
#include "ASTFE/Transforms/Passes.h.inc"

/// Inspectors in their order in the program.
static SmallVector<Operation *> collectInspectors(Operation *root) {
  SmallVector<Operation *> inspectors;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isInspector(op))
      inspectors.push_back(op);
  });
  return inspectors;
}

static unsigned hashOf(Operation *op) {
  return unsigned(OperationEquivalence::computeHash(
      op, OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations));
}

/// An op among `earlier` that computes what `op` does wherever `op` is.
static Operation *findEqual(Operation *op, ArrayRef<Operation *> earlier,
                            DominanceInfo &dominance) {
  for (Operation *other : earlier)
    if (OperationEquivalence::isEquivalentTo(
            op, other, OperationEquivalence::IgnoreLocations) &&
        dominance.properlyDominates(other, op))
      return other;
  return nullptr;
}

namespace {
struct MergeInspectorsPass
    : impl::MergeInspectorsPassBase<MergeInspectorsPass> {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    DenseMap<unsigned, SmallVector<Operation *>> kept;
    const WrittenValues written(getOperation());
    for (Operation *op : collectInspectors(getOperation())) {
      if (auto values = dyn_cast<ValuesOp>(op);
          values && written.mayHold(values.getTensor()))
        continue;
      SmallVector<Operation *> &earlier = kept[hashOf(op)];
      Operation *equal = findEqual(op, earlier, dominance);
      if (!equal) {
        earlier.push_back(op);
        continue;
      }
      remark::passed(op->getLoc(), remarkOf(op, getArgument(), "merged"))
          << remark::metric("op", op->getName().getStringRef());
      ++numMerged;
      op->replaceAllUsesWith(equal);
      op->erase();
    }
    // What nobody reads is not computed.
    SmallVector<Operation *> left = collectInspectors(getOperation());
    for (Operation *op : llvm::reverse(left))
      if (op->use_empty())
        op->erase();
  }
};
} // namespace
} // namespace astfe
