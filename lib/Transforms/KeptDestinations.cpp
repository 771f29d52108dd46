//===- KeptDestinations.cpp - ops keep what they write --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptDestinations.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "RaiseStart.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;
using linalg::LinalgOp;

namespace astfe {

static void specializeFills(Operation *root) {
  IRRewriter rewriter(root->getContext());
  root->walk([&](linalg::GenericOp op) {
    std::optional<TensorFill> fill =
        op->getNumResults() == 1 ? tensorFill(op->getResult(0)) : std::nullopt;
    if (!fill || sparse_tensor::getSparseTensorEncoding(fill->into.getType()) ||
        fill->into.getDefiningOp<tensor::EmptyOp>())
      return;
    rewriter.setInsertionPoint(op);
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, fill->number, fill->into);
  });
}

/// The init of the linalg op that makes a value; null where none does.
static OpOperand *initOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto op = result ? dyn_cast<LinalgOp>(result.getOwner()) : LinalgOp();
  return op ? op.getDpsInitOperand(result.getResultNumber()) : nullptr;
}

/// Nobody else has the contents of the buffer, and they may be written.
static bool mayWrite(ToTensorOp tensor) {
  return tensor && tensor.getRestrict() && tensor.getWritable();
}

KeptDestinations::KeptDestinations(Operation *root) {
  specializeFills(root);
  root->walk([&](Operation *op) {
    if (auto store = dyn_cast<MaterializeInDestinationOp>(op)) {
      OpOperand *init = initOf(store.getSource());
      auto begin = init ? init->get().getDefiningOp<ToTensorOp>() : nullptr;
      if (mayWrite(begin) && begin.getBuffer() == store.getDest())
        kept.push_back({op, store.getSourceMutable().getOperandNumber(), 0});
      return;
    }
    if (!isa<func::FuncOp, FusedOp>(op) ||
        !llvm::hasSingleElement(op->getRegion(0)))
      return;
    Block &block = op->getRegion(0).front();
    for (OpOperand &returned : block.getTerminator()->getOpOperands())
      if (OpOperand *init = initOf(returned.get()))
        if (auto argument = dyn_cast<BlockArgument>(init->get());
            argument && argument.getOwner() == &block)
          kept.push_back({block.getTerminator(), returned.getOperandNumber(),
                          argument.getArgNumber()});
  });
}

void KeptDestinations::notifyOperationErased(Operation *op) {
  llvm::erase_if(kept, [&](const Kept &one) { return one.end == op; });
}

/// Somebody reads the tensor who would have to read it before `writer` writes
/// it, so that bufferization would allocate another.
static bool isReadBeside(ToTensorOp tensor, OpOperand *init) {
  auto writer = cast<LinalgOp>(init->getOwner());
  return llvm::any_of(tensor->getUses(), [&](OpOperand &use) {
    Operation *reader =
        tensor->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (use.getOwner() == writer)
      return writer.getMatchingIndexingMap(&use) !=
             writer.getMatchingIndexingMap(init);
    return !isa<tensor::DimOp>(use.getOwner()) &&
           !(reader && reader->isBeforeInBlock(writer));
  });
}

/// The tensor of a buffer, which has one restricted tensor at most, for an op
/// to write; null where it cannot be had.
static Value tensorOf(Value buffer, Type type, OpOperand *init) {
  Operation *writer = init->getOwner();
  for (Operation *user : buffer.getUsers())
    if (auto tensor = dyn_cast<ToTensorOp>(user))
      return mayWrite(tensor) && tensor.getType() == type &&
                     tensor->getBlock() == writer->getBlock() &&
                     tensor->isBeforeInBlock(writer) &&
                     !isReadBeside(tensor, init)
                 ? tensor.getResult()
                 : Value();
  OpBuilder b(writer);
  return ToTensorOp::create(b, writer->getLoc(), type, buffer,
                            /*restrict=*/true, /*writable=*/true);
}

/// Replaces a `tensor.empty`, which goes, as a chain holds none.
static void replaceEmpty(OpOperand *init, Value destination) {
  auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
  init->set(destination);
  if (!empty->use_empty())
    return;
  // Extents may be equal.
  const SetVector<Value> sizes(empty.getDynamicSizes().begin(),
                               empty.getDynamicSizes().end());
  empty->erase();
  for (Value size : sizes)
    if (Operation *dim = size.getDefiningOp(); dim && isOpTriviallyDead(dim))
      dim->erase();
}

void KeptDestinations::restore() {
  for (const Kept &one : kept) {
    OpOperand *init = initOf(one.end->getOperand(one.operand));
    if (!init || !init->get().getDefiningOp<tensor::EmptyOp>())
      continue;
    auto store = dyn_cast<MaterializeInDestinationOp>(one.end);
    Type type = init->get().getType();
    Value destination =
        store ? tensorOf(store.getDest(), type, init)
              : Value(one.end->getBlock()->getArgument(one.argument));
    if (destination && destination.getType() == type)
      replaceEmpty(init, destination);
  }
}

} // namespace astfe
