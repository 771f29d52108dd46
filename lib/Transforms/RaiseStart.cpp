//===- RaiseStart.cpp - what an output holds before a computation ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseStart.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace astfe {

/// What a `linalg.fill` or a generic op that says the same writes into each
/// element of its output; null where `op` is neither.
static Value filledValue(linalg::LinalgOp op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return fill.getInputs().front();
  if (!isa<linalg::GenericOp>(op) || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation())
    return {};
  Block *body = op.getBlock();
  Value yielded = body->getTerminator()->getOperand(0);
  if (yielded.getParentBlock() != body)
    return yielded;
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument)
    return {};
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  return op.isScalar(&operand) ? operand.get() : Value();
}

std::optional<TensorFill> tensorFill(Value output) {
  auto op = output.getDefiningOp<linalg::LinalgOp>();
  Value number = op && op.hasPureTensorSemantics() ? filledValue(op) : Value();
  if (!number)
    return std::nullopt;
  return TensorFill{number, op.getDpsInits().front()};
}

bool holdsNothing(Value output) {
  if (output.getDefiningOp<tensor::EmptyOp>())
    return true;
  if (auto allocation = output.getDefiningOp<bufferization::AllocTensorOp>())
    return !allocation.getCopy();
  auto argument = dyn_cast<BlockArgument>(output);
  if (!argument)
    return false;
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return function && argument.getOwner()->isEntryBlock() &&
         function.getArgAttr(argument.getArgNumber(), kUndefinedAttr);
}

static std::string whyUnknown(Value output) {
  auto argument = dyn_cast<BlockArgument>(output);
  if (!argument)
    return "the output is no fill with the combiner's identity";
  return isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp())
             ? "the output is carried by a loop"
             : "the output comes from outside of the function";
}

/// No other value is the same memory, but by what has this one as an operand:
/// `restrict` speaks of tensors only.
static bool hasNoAlias(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return buffer.getDefiningOp<memref::AllocOp>() != nullptr;
  Block *block = argument.getOwner();
  return block->isEntryBlock() &&
         isa<FunctionOpInterface>(block->getParentOp());
}

/// The fill of the buffer that `toTensor` turns into a tensor, if nothing that
/// may touch memory lies between them, and nobody reads what was filled but one
/// op, through that tensor and whenever it is filled; null otherwise.
static linalg::LinalgOp bufferFill(bufferization::ToTensorOp toTensor) {
  Value buffer = toTensor.getBuffer();
  if (!toTensor.getRestrict() || !toTensor.getWritable() || !hasNoAlias(buffer))
    return {};
  Operation *op = toTensor->getPrevNode();
  while (op && isMemoryEffectFree(op))
    op = op->getPrevNode();
  auto fill = dyn_cast_or_null<linalg::LinalgOp>(op);
  if (!fill || !fill.hasPureBufferSemantics() || !filledValue(fill) ||
      fill.getDpsInits().front() != buffer ||
      !llvm::all_of(fill.getBlock()->without_terminator(),
                    [](Operation &op) { return isMemoryEffectFree(&op); }))
    return {};
  auto isReader = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(user);
    return user != fill && user != toTensor &&
           !(write && &use == &write.getDestMutable());
  };
  auto isElsewhere = [&](OpOperand &use) {
    return isReader(use) && use.getOwner()->getBlock() != toTensor->getBlock();
  };
  if (llvm::any_of(buffer.getUses(), isReader) ||
      llvm::count_if(toTensor->getUses(), isReader) > 1 ||
      llvm::any_of(toTensor->getUses(), isElsewhere))
    return {};
  return fill;
}

/// The op that fills all of `output`: a tensor, or the buffer that it is.
static linalg::LinalgOp fillOf(Value output) {
  if (auto toTensor = output.getDefiningOp<bufferization::ToTensorOp>())
    return bufferFill(toTensor);
  return output.getDefiningOp<linalg::LinalgOp>();
}

TypedAttr constantOf(Value value) {
  if (!value)
    return {};
  // It has its parts as an array.
  if (auto number = value.getDefiningOp<complex::ConstantOp>()) {
    auto part = [&](unsigned i) {
      return cast<FloatAttr>(number.getValue()[i]).getValueAsDouble();
    };
    return complex::NumberAttr::get(number.getType(), part(0), part(1));
  }
  TypedAttr constant;
  matchPattern(value, m_Constant(&constant));
  return constant;
}

TypedAttr constantStart(Value output) {
  DenseElementsAttr elements;
  const bool isComplex =
      isa<ComplexType>(getElementTypeOrSelf(output.getType()));
  if (!isComplex && matchPattern(output, m_Constant(&elements)))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>()
                              : TypedAttr();
  linalg::LinalgOp fill = fillOf(output);
  return fill ? constantOf(filledValue(fill)) : TypedAttr();
}

bool overwriteStart(RewriterBase &rewriter, OpOperand &output,
                    TypedAttr identity, std::string &whyNot) {
  Value start = output.get();
  if (holdsNothing(start))
    return true;
  if (!identity || constantStart(start) != identity) {
    whyNot = whyUnknown(start);
    return false;
  }
  linalg::LinalgOp fill = fillOf(start);
  if (!fill) {
    auto type = cast<RankedTensorType>(start.getType());
    output.set(tensor::EmptyOp::create(rewriter, start.getLoc(),
                                       type.getShape(), type.getElementType()));
    return true;
  }
  if (fill.hasPureTensorSemantics())
    output.set(fill.getDpsInits().front());
  if (fill.hasPureBufferSemantics() || isOpTriviallyDead(fill))
    rewriter.eraseOp(fill);
  return true;
}

} // namespace astfe
