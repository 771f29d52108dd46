//===- SparseInput.cpp - inputs whose zeros contribute nothing ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseInput.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

/// `value` is zero where `zero` is.
static bool isZeroWith(Value value, Value zero) {
  if (value == zero)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op))
    return isZeroWith(op->getOperand(0), zero) ||
           isZeroWith(op->getOperand(1), zero);
  return isa_and_nonnull<arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
                         arith::ExtSIOp, arith::SIToFPOp>(op) &&
         isZeroWith(op->getOperand(0), zero);
}

/// `value` is `output` where `zero` is zero.
static bool isKeptWith(Value value, Value output, Value zero) {
  if (value == output)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp, arith::AddIOp>(op))
    for (unsigned i : {0, 1})
      if (op->getOperand(i) == output &&
          isZeroWith(op->getOperand(1 - i), zero))
        return true;
  return isa_and_nonnull<arith::SubFOp, arith::SubIOp>(op) &&
         op->getOperand(0) == output && isZeroWith(op->getOperand(1), zero);
}

bool astfe::zerosContributeNothing(linalg::LinalgOp op, unsigned input) {
  Block &body = *op.getBlock();
  const unsigned inputs = op.getNumDpsInputs();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (!isKeptWith(value, body.getArgument(inputs + i),
                    body.getArgument(input)))
      return false;
  return true;
}
