//===- StandIn.cpp - another op in place of one ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandIn.h"

using namespace mlir;

namespace astfe {

bool isPlainGeneric(linalg::GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.getNumDpsInits() == 1 &&
         !op.hasIndexSemantics() &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

void eraseDead(RewriterBase &rewriter, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isOpTriviallyDead(op))
    return;
  SmallVector<Value> operands(op->getOperands());
  rewriter.eraseOp(op);
  for (Value operand : operands)
    eraseDead(rewriter, operand);
}

StandIn::StandIn(linalg::LinalgOp op)
    : original(op), rewriter(op->getContext()), before(op->getPrevNode()) {
  rewriter.setInsertionPoint(op);
}

StandIn::~StandIn() {
  while (original && original->getPrevNode() != before)
    rewriter.eraseOp(original->getPrevNode());
}

void StandIn::keep() {
  Value output = original.getDpsInits().front();
  rewriter.replaceOp(original, result);
  original = nullptr;
  eraseDead(rewriter, output);
}

} // namespace astfe
