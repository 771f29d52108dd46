//===- SparseInput.cpp - inputs whose zeros contribute nothing ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseInput.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

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

/// How a value depends on an entry: not at all, on its value, or on whether it
/// is stored, without which there is no value.
enum class Presence { Free, OfValue, OfEntry };

static Presence presenceOf(Value value, Value entry) {
  if (value == entry)
    return Presence::OfEntry;
  Operation *op = value.getDefiningOp();
  if (!op)
    return Presence::Free;
  SmallVector<Presence> operands;
  for (Value operand : op->getOperands())
    operands.push_back(presenceOf(operand, entry));
  auto is = [&](unsigned i, Presence presence) {
    return operands[i] == presence;
  };
  if (auto binary = dyn_cast<sparse_tensor::BinaryOp>(op)) {
    const bool both = is(0, Presence::OfEntry) && is(1, Presence::OfEntry);
    const bool left = is(0, Presence::OfEntry) && is(1, Presence::Free) &&
                      binary.getRightRegion().empty() &&
                      !binary.getRightIdentity();
    const bool right = is(1, Presence::OfEntry) && is(0, Presence::Free) &&
                       binary.getLeftRegion().empty() &&
                       !binary.getLeftIdentity();
    return both || left || right ? Presence::OfEntry : Presence::OfValue;
  }
  if (auto unary = dyn_cast<sparse_tensor::UnaryOp>(op))
    return is(0, Presence::OfEntry) && unary.getAbsentRegion().empty()
               ? Presence::OfEntry
               : Presence::OfValue;
  if (llvm::all_of(operands, [](Presence p) { return p == Presence::Free; }))
    return Presence::Free;
  const bool isProduct = isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(op);
  auto isOfEntry = [](Presence p) { return p == Presence::OfEntry; };
  return isProduct ? (llvm::any_of(operands, isOfEntry) ? Presence::OfEntry
                                                        : Presence::OfValue)
         : llvm::all_of(operands, isOfEntry) ? Presence::OfEntry
                                             : Presence::OfValue;
}

bool astfe::readsEntries(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<sparse_tensor::SparseTensorDialect>(inner.getDialect());
  });
}

/// `value` combines the output with something that is there with the entry.
static bool isCombinedWith(Value value, Value output, Value entry) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() < 2)
    return false;
  for (unsigned i : {0, 1})
    if (op->getOperand(i) == output)
      return presenceOf(op->getOperand(1 - i), entry) == Presence::OfEntry;
  return false;
}

bool astfe::zerosContributeNothing(linalg::LinalgOp op, unsigned input) {
  if (readsEntries(op))
    return op.getNumDpsInits() == 1 &&
           isCombinedWith(op.getBlock()->getTerminator()->getOperand(0),
                          op.getBlock()->getArguments().back(),
                          op.getBlock()->getArgument(input));
  Block &body = *op.getBlock();
  const unsigned inputs = op.getNumDpsInputs();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands()))
    if (!isKeptWith(value, body.getArgument(inputs + i),
                    body.getArgument(input)))
      return false;
  return true;
}
