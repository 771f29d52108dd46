//===- TruthOperands.cpp - buffers of truth values ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TruthOperands.h"
#include "ASTFE/Analysis/ComputePlan.h"
#include "ASTFE/Conversion/Outputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using Kind = arith::AtomicRMWKind;

namespace astfe::gpukernel {

/// What combines bytes of 0 and 1 as the combiner does truth values. The
/// identity, too, is such a byte, which that of andi is not: a row without
/// nonzeros holds it. As signed numbers of one bit, true is -1.
static Kind onBytes(Kind kind) {
  switch (kind) {
  case Kind::addi:
  case Kind::xori:
    return Kind::xori;
  case Kind::ori:
  case Kind::maxu:
  case Kind::mins:
    return Kind::ori;
  case Kind::andi:
  case Kind::muli:
  case Kind::minu:
  case Kind::maxs:
    return Kind::muli;
  default:
    llvm_unreachable("a combiner that truth values do not have");
  }
}

static bool isTruth(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger(1);
}

static Value toTruth(ImplicitLocOpBuilder &b, Value byte) {
  Value zero = arith::ConstantOp::create(b, b.getI8IntegerAttr(0));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte, zero);
}

static Value toByte(ImplicitLocOpBuilder &b, Value truth) {
  return arith::ExtUIOp::create(b, b.getI8Type(), truth);
}

static Value toBuffer(ImplicitLocOpBuilder &b, Value operand, bool readOnly) {
  auto tensor = dyn_cast<RankedTensorType>(operand.getType());
  if (!tensor)
    return operand;
  auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
  return bufferization::ToBufferOp::create(b, type, operand, readOnly);
}

static Value bytesOf(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || !isTruth(buffer))
    return buffer;
  auto bytes = MemRefType::get(type.getShape(), b.getI8Type(), type.getLayout(),
                               type.getMemorySpace());
  return UnrealizedConversionCastOp::create(b, bytes, buffer).getResult(0);
}

/// Kernels are passed what the body reads from outside as the output's type.
static void readScalars(ImplicitLocOpBuilder &b, ComputeOp op) {
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value scalar : captured) {
    if (!isTruth(scalar))
      continue;
    Value byte = toByte(b, scalar);
    auto inside =
        ImplicitLocOpBuilder::atBlockBegin(op.getLoc(), &op.getBody().front());
    Value truth = toTruth(inside, byte);
    replaceAllUsesInRegionWith(scalar, truth, op.getBody());
  }
}

/// What bytes are combined by where atomics do it, which multiply nothing: the
/// kernel stores the identity of minu as the byte 1.
static Kind onBytesApart(Kind kind) {
  const Kind bytes = onBytes(kind);
  return bytes == Kind::muli ? Kind::minu : bytes;
}

static void convertBody(ComputeOp op, bool isApart) {
  Block &body = op.getBody().front();
  auto b = ImplicitLocOpBuilder::atBlockBegin(op.getLoc(), &body);
  for (BlockArgument argument : body.getArguments()) {
    if (!isTruth(argument))
      continue;
    argument.setType(b.getI8Type());
    Value truth = toTruth(b, argument);
    argument.replaceAllUsesExcept(truth, truth.getDefiningOp());
  }
  auto yield = cast<YieldOp>(body.getTerminator());
  b.setInsertionPoint(yield);
  SmallVector<Attribute> kinds(yield.getKinds().getValue());
  for (auto [i, kind] : llvm::enumerate(kinds)) {
    OpOperand &value = yield.getValuesMutable()[i];
    if (!isTruth(value.get()))
      continue;
    const Kind truths = yield.getKind(unsigned(i));
    kind = arith::AtomicRMWKindAttr::get(
        op.getContext(), isApart ? onBytesApart(truths) : onBytes(truths));
    value.set(toByte(b, value.get()));
  }
  yield.setKindsAttr(b.getArrayAttr(kinds));
}

ComputeOp readTruthsAsBytes(RewriterBase &rewriter, ComputeOp op) {
  if (llvm::none_of(op->getOperands().drop_front(), isTruth))
    return op;
  const ComputeQuestion question = questionOf(op, PlanTarget::GPU);
  const bool isApart = question.isView() && needsPartialRows(question);
  copyReusedOutputs(rewriter, op);
  ImplicitLocOpBuilder b(op.getLoc(), op);
  if (isTruth(op.getOutputs().front()))
    readScalars(b, op);
  SmallVector<Value> inputs, outputs, bytes;
  for (Value input : op.getInputs())
    inputs.push_back(bytesOf(b, toBuffer(b, input, /*readOnly=*/true)));
  for (Value output : op.getOutputs()) {
    outputs.push_back(toBuffer(b, output, /*readOnly=*/false));
    bytes.push_back(bytesOf(b, outputs.back()));
  }
  auto onBytes = ComputeOp::create(b, TypeRange(), op.getPattern(), inputs,
                                   bytes, op.getMapsAttr(), op.getKernelAttr(),
                                   op.getOverwrite());
  onBytes->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  onBytes.getBody().takeBody(op.getBody());
  convertBody(onBytes, isApart);
  SmallVector<Value> results;
  rewriter.setInsertionPointAfter(onBytes);
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    results.push_back(
        resultTensor(rewriter, op.getLoc(), outputs[i], op.getOutputs()[i]));
  rewriter.replaceOp(op, results);
  return onBytes;
}

} // namespace astfe::gpukernel
