//===- ComplexParts.cpp - complex computations, part by part --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexParts.h"
#include "ASTFE/Conversion/ComplexBody.h"
#include "ASTFE/Conversion/ComplexBuffers.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Computations
//===----------------------------------------------------------------------===//

namespace {
/// Operands of a part, and the maps of all.
struct PartOperands {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};
} // namespace

static PartOperands inputParts(ImplicitLocOpBuilder &b, ComputeOp op,
                               ArrayRef<Value> inputs) {
  PartOperands operands;
  SmallVector<AffineMap> maps = op.getMapArray();
  for (auto [buffer, map] : llvm::zip(inputs, maps)) {
    const int64_t parts = isComplex(buffer) ? 2 : 1;
    for (int64_t part = 0; part < parts; ++part) {
      operands.inputs.push_back(isComplex(buffer)
                                    ? floatsApart(b, b.getLoc(), buffer, part)
                                    : buffer);
      operands.maps.push_back(map);
    }
  }
  return operands;
}

/// What the body yields to an output, or its part, after its arguments.
static void fillBody(ImplicitLocOpBuilder &b, ComputeOp op, unsigned output,
                     int64_t part, const PartOperands &operands, Block &block) {
  auto inside =
      ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), &block, b.getListener());
  PartsBody body(b, inside);
  Block &from = op.getBody().front();
  for (Value input : operands.inputs)
    block.addArgument(getElementTypeOrSelf(input.getType()), b.getLoc());
  unsigned next = 0;
  for (BlockArgument argument : from.getArguments()) {
    Value first = block.getArgument(next++);
    if (isComplex(argument))
      body.set(argument, Parts{first, block.getArgument(next++)});
    else
      body.set(argument, first);
  }
  for (Operation &inner : from.without_terminator())
    body.copy(inner);
  auto yield = cast<YieldOp>(from.getTerminator());
  Value value = yield.getValues()[output];
  if (!isComplex(value))
    value = body.getReal(value);
  else
    value = part ? body.get(value).imaginary : body.get(value).real;
  ArrayAttr starts;
  if (TypedAttr start = yield.getGivenStart(output))
    starts = inside.getArrayAttr(start);
  YieldOp::create(inside, inside.getArrayAttr(yield.getKinds()[output]), value,
                  starts);
}

SmallVector<ComputeOp> host::makeParts(ImplicitLocOpBuilder &b, ComputeOp op,
                                       ArrayRef<Value> inputs,
                                       ArrayRef<Value> outputs) {
  const PartOperands operands = inputParts(b, op, inputs);
  SmallVector<ComputeOp> made;
  for (auto [i, buffer] : llvm::enumerate(outputs)) {
    const int64_t parts = isComplex(buffer) ? 2 : 1;
    for (int64_t part = 0; part < parts; ++part) {
      Value output =
          isComplex(buffer) ? floatsApart(b, b.getLoc(), buffer, part) : buffer;
      SmallVector<AffineMap> maps(operands.maps);
      maps.push_back(op.getMapArray()[inputs.size() + i]);
      auto compute = ComputeOp::create(
          b, TypeRange(), op.getPattern(), operands.inputs, output,
          b.getAffineMapArrayAttr(maps), op.getKernelAttr(), op.getOverwrite());
      compute->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(compute);
      fillBody(b, op, unsigned(i), part, operands,
               compute.getBody().emplaceBlock());
      made.push_back(compute);
    }
  }
  return made;
}
