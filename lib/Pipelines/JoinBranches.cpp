//===- JoinBranches.cpp - branches that yield one buffer ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinBranches.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace astfe {

static bool isInside(Value value, scf::IfOp choice) {
  return choice->isAncestor(value.getParentRegion()->getParentOp());
}

/// Whether the value is, or can be made to be, there in front of the branches.
static bool canLeave(Value value, scf::IfOp choice) {
  if (!isInside(value, choice))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canLeave(operand, choice); });
}

/// The same number, whatever branch computes it.
static bool areEqual(Value a, Value b) {
  if (a == b)
    return true;
  auto first = dyn_cast<OpResult>(a), second = dyn_cast<OpResult>(b);
  return first && second &&
         first.getResultNumber() == second.getResultNumber() &&
         isPure(first.getOwner()) &&
         OperationEquivalence::isEquivalentTo(
             first.getOwner(), second.getOwner(),
             [](Value a, Value b) { return success(areEqual(a, b)); },
             /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

static void leave(Value value, scf::IfOp choice) {
  if (!isInside(value, choice))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    leave(operand, choice);
  op->moveBefore(choice);
}

/// The buffer that one branch and the other yield; null where these are two.
static Value joined(Value one, Value other, scf::IfOp choice) {
  if (one == other)
    return one;
  auto first = one.getDefiningOp<memref::AllocOp>(),
       second = other.getDefiningOp<memref::AllocOp>();
  if (!first || !second || first->getBlock() != choice.thenBlock() ||
      second->getBlock() != choice.elseBlock() ||
      first->getAttrDictionary() != second->getAttrDictionary() ||
      first.getType() != second.getType() ||
      !llvm::equal(first->getOperands(), second->getOperands(), areEqual))
    return {};
  for (Value operand : first->getOperands())
    if (!canLeave(operand, choice))
      return {};
  for (Value operand : first->getOperands())
    leave(operand, choice);
  first->moveBefore(choice);
  second.replaceAllUsesWith(first.getResult());
  second.erase();
  return first;
}

/// The branches without the results that are `dropped`.
static void dropResults(scf::IfOp choice, const llvm::BitVector &dropped) {
  for (Block *block : {choice.thenBlock(), choice.elseBlock()})
    block->getTerminator()->eraseOperands(dropped);
  SmallVector<Type> types;
  SmallVector<Value> kept;
  for (OpResult result : choice->getResults())
    if (!dropped[result.getResultNumber()]) {
      types.push_back(result.getType());
      kept.push_back(result);
    }
  OpBuilder b(choice);
  auto other = scf::IfOp::create(b, choice.getLoc(), types,
                                 choice.getCondition(), false, false);
  other->setAttrs(choice->getAttrs());
  other.getThenRegion().takeBody(choice.getThenRegion());
  other.getElseRegion().takeBody(choice.getElseRegion());
  for (auto [from, to] : llvm::zip(kept, other->getResults()))
    from.replaceAllUsesWith(to);
  choice.erase();
}

static void join(scf::IfOp choice) {
  llvm::BitVector dropped(choice->getNumResults());
  for (OpResult result : choice->getResults()) {
    const unsigned i = result.getResultNumber();
    if (!isa<BaseMemRefType>(result.getType()))
      continue;
    if (Value buffer = joined(choice.thenYield()->getOperand(i),
                              choice.elseYield()->getOperand(i), choice)) {
      result.replaceAllUsesWith(buffer);
      dropped.set(i);
    }
  }
  if (dropped.any())
    dropResults(choice, dropped);
}

void joinBranches(Operation *root) {
  SmallVector<scf::IfOp> choices;
  root->walk([&](scf::IfOp choice) {
    if (choice->getNumResults() != 0)
      choices.push_back(choice);
  });
  // Inner ones come first in a walk, so that outer ones see what these yield.
  for (scf::IfOp choice : choices)
    join(choice);
}

} // namespace astfe
