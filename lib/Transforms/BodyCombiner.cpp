//===- BodyCombiner.cpp - how a body adds to its output -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyCombiner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace astfe {

/// The op that a block ends in, if that combines `out`, of which nothing else
/// is made, and something else.
static Operation *lastOf(Block *body, Value out) {
  Operation *last = body->getTerminator()->getOperand(0).getDefiningOp();
  return last && last->getBlock() == body && last->getNumOperands() == 2 &&
                 last->getNumResults() == 1 && last->hasOneUse() &&
                 out.hasOneUse() && llvm::is_contained(last->getOperands(), out)
             ? last
             : nullptr;
}

bool isDifference(Operation *op) {
  return isa<arith::SubFOp, arith::SubIOp, complex::SubOp>(op);
}

BodyCombiner BodyCombiner::of(linalg::GenericOp op) {
  Block *body = op.getBody();
  Value out = body->getArguments().back();
  auto reduce = body->getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<sparse_tensor::ReduceOp>();
  if (!reduce) {
    Operation *last = lastOf(body, out);
    if (last && isDifference(last) && last->getOperand(0) != out)
      return {};
    return {last, last};
  }
  Block &region = reduce.getRegion().front();
  auto isAll = [&](BlockArgument argument) {
    return lastOf(&region, argument) == &region.front();
  };
  if (!reduce->hasOneUse() || !out.hasOneUse() || reduce.getY() != out ||
      !llvm::all_of(region.getArguments(), isAll))
    return {};
  return {reduce, &region.front()};
}

bool BodyCombiner::rounds() const {
  Type element = op->getResult(0).getType();
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op) &&
         (element.isF16() || element.isBF16());
}

bool BodyCombiner::takesAway() const { return op == last && isDifference(op); }

TypedAttr BodyCombiner::neutral() const {
  const Type element = op->getResult(0).getType();
  if (isa<complex::AddOp>(op) || (takesAway() && isa<ComplexType>(element)))
    return complex::NumberAttr::get(cast<ComplexType>(element), 0, 0);
  if (takesAway())
    return Builder(op->getContext()).getZeroAttr(element);
  return arith::getNeutralElement(op).value_or(TypedAttr());
}

Value BodyCombiner::clone(OpBuilder &b, Value contribution,
                          Value output) const {
  const Location loc = op->getLoc();
  if (takesAway() && isa<arith::SubFOp>(op))
    return arith::AddFOp::create(b, loc, output, contribution);
  if (takesAway() && isa<arith::SubIOp>(op))
    return arith::AddIOp::create(b, loc, output, contribution);
  if (takesAway())
    return complex::AddOp::create(b, loc, output, contribution);
  Block *block = op->getBlock();
  Value out = block->getArguments().back();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, operand == out ? output : contribution);
  Operation *copy = b.clone(*op, mapping);
  copy->getResult(0).setType(output.getType());
  return copy->getResult(0);
}

void BodyCombiner::widen(RewriterBase &rewriter, BlockArgument output,
                         Type wide) const {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(last);
  output.setType(wide);
  for (OpOperand &operand : last->getOpOperands())
    if (operand.get() != output)
      operand.set(
          arith::ExtFOp::create(rewriter, last->getLoc(), wide, operand.get()));
  last->getResult(0).setType(wide);
  for (Region &region : last->getRegions()) {
    for (BlockArgument argument : region.getArguments())
      argument.setType(wide);
    region.front().front().getResult(0).setType(wide);
  }
}

} // namespace astfe
