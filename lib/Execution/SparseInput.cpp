//===- SparseInput.cpp - inputs whose zeros contribute nothing ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseInput.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"

using namespace mlir;

/// `value` is zero where `zero` is.
static bool isZeroWith(Value value, Value zero) {
  if (value == zero)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MulFOp, arith::MulIOp, complex::MulOp>(op))
    return isZeroWith(op->getOperand(0), zero) ||
           isZeroWith(op->getOperand(1), zero);
  return isa_and_nonnull<arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
                         arith::ExtSIOp, arith::SIToFPOp, complex::NegOp,
                         complex::ConjOp>(op) &&
         isZeroWith(op->getOperand(0), zero);
}

/// `value` is `output` where `zero` is zero.
static bool isKeptWith(Value value, Value output, Value zero) {
  if (value == output)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddFOp, arith::AddIOp, complex::AddOp>(op))
    for (unsigned i : {0, 1})
      if (op->getOperand(i) == output &&
          isZeroWith(op->getOperand(1 - i), zero))
        return true;
  return isa_and_nonnull<arith::SubFOp, arith::SubIOp, complex::SubOp>(op) &&
         op->getOperand(0) == output && isZeroWith(op->getOperand(1), zero);
}

/// How a value depends on an entry: not at all, on its value, or on whether it
/// is stored, without which there is no value.
enum class Presence { Free, OfValue, OfEntry };

static Presence presenceOf(Value value, ArrayRef<Value> entries) {
  if (llvm::is_contained(entries, value))
    return Presence::OfEntry;
  Operation *op = value.getDefiningOp();
  if (!op)
    return Presence::Free;
  SmallVector<Presence> operands;
  for (Value operand : op->getOperands())
    operands.push_back(presenceOf(operand, entries));
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
  const bool isProduct =
      isa<arith::MulFOp, arith::MulIOp, arith::AndIOp, complex::MulOp>(op);
  auto isOfEntry = [](Presence p) { return p == Presence::OfEntry; };
  const bool exists = isProduct ? llvm::any_of(operands, isOfEntry)
                      : isa<arith::DivFOp>(op)
                          ? isOfEntry(operands.front())
                          : llvm::all_of(operands, isOfEntry);
  return exists ? Presence::OfEntry : Presence::OfValue;
}

bool astfe::readsEntries(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<sparse_tensor::SparseTensorDialect>(inner.getDialect());
  });
}

/// `value` combines the output with something that is there with the entries.
static bool isCombinedWith(Value value, Value output, ArrayRef<Value> entries) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() < 2)
    return false;
  for (unsigned i : {0, 1})
    if (op->getOperand(i) == output)
      return presenceOf(op->getOperand(1 - i), entries) == Presence::OfEntry;
  return false;
}

bool astfe::zerosContributeNothing(linalg::LinalgOp op,
                                   ArrayRef<unsigned> inputs) {
  Block &body = *op.getBlock();
  SmallVector<Value> entries = llvm::map_to_vector(
      inputs, [&](unsigned i) -> Value { return body.getArgument(i); });
  ValueRange yielded = body.getTerminator()->getOperands();
  Value output = body.getArguments().back();
  const bool isOne = op.getNumDpsInits() == 1;
  if (isOne && output.use_empty() &&
      sparse_tensor::getSparseTensorEncoding(op.getDpsInits()[0].getType()))
    return presenceOf(yielded.front(), entries) == Presence::OfEntry;
  if (readsEntries(op))
    return isOne && isCombinedWith(yielded.front(), output, entries);
  const unsigned count = op.getNumDpsInputs();
  for (auto [i, value] : llvm::enumerate(yielded))
    if (llvm::none_of(entries, [&, i = i, value = value](Value entry) {
          return isKeptWith(value, body.getArgument(count + i), entry);
        }))
      return false;
  return true;
}
