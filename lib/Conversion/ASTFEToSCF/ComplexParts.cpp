//===- ComplexParts.cpp - complex computations, part by part --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexParts.h"
#include "ASTFE/Conversion/ComplexBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace astfe;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Twice a size, which is a constant or known at run time, and `more`.
static OpFoldResult twice(ImplicitLocOpBuilder &b, int64_t known, Value given,
                          int64_t more = 0) {
  if (!ShapedType::isDynamic(known))
    return b.getIndexAttr(2 * known + more);
  Value two = arith::ConstantIndexOp::create(b, 2);
  Value doubled = arith::MulIOp::create(b, given, two);
  if (more == 0)
    return doubled;
  return arith::AddIOp::create(b, doubled,
                               arith::ConstantIndexOp::create(b, more))
      .getResult();
}

/// The real parts (0) or the imaginary ones (1) of a buffer of complex numbers:
/// floats of the same memory.
static Value partOf(ImplicitLocOpBuilder &b, Value buffer, int64_t part) {
  auto type = cast<MemRefType>(buffer.getType());
  Type element = cast<ComplexType>(type.getElementType()).getElementType();
  auto [strides, offset] = type.getStridesAndOffset();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  SmallVector<OpFoldResult> sizes, steps;
  for (int64_t r = 0; r < type.getRank(); ++r) {
    sizes.push_back(type.isDynamicDim(r) ? OpFoldResult(metadata.getSizes()[r])
                                         : b.getIndexAttr(type.getDimSize(r)));
    steps.push_back(twice(b, strides[r], metadata.getStrides()[r]));
  }
  OpFoldResult first = twice(b, offset, metadata.getOffset(), part);
  auto isKnown = [](OpFoldResult number) {
    auto attribute = dyn_cast<Attribute>(number);
    return attribute ? cast<IntegerAttr>(attribute).getInt()
                     : ShapedType::kDynamic;
  };
  auto layout = StridedLayoutAttr::get(b.getContext(), isKnown(first),
                                       llvm::map_to_vector(steps, isKnown));
  // The strides of this one mean nothing: only its memory is taken.
  auto floats = MemRefType::get(type.getShape(), element, type.getLayout(),
                                type.getMemorySpace());
  return memref::ReinterpretCastOp::create(
      b,
      MemRefType::get(type.getShape(), element, layout, type.getMemorySpace()),
      UnrealizedConversionCastOp::create(b, floats, buffer).getResult(0), first,
      sizes, steps);
}

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
      operands.inputs.push_back(isComplex(buffer) ? partOf(b, buffer, part)
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
      Value output = isComplex(buffer) ? partOf(b, buffer, part) : buffer;
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
