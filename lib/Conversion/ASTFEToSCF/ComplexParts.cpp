//===- ComplexParts.cpp - complex computations, part by part --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexParts.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

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

static bool isComplex(Value value) {
  return isa<ComplexType>(getElementTypeOrSelf(value.getType()));
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
// Bodies
//===----------------------------------------------------------------------===//

namespace {
struct Parts {
  Value real, imaginary;
};

/// A copy of a body that computes with the parts of complex numbers.
class PartsBody {
public:
  /// `outside` is before the computation, and `inside` in its new body.
  PartsBody(ImplicitLocOpBuilder &outside, ImplicitLocOpBuilder &inside)
      : outside(outside), inside(inside) {}

  /// What stands for a value of the body: its parts, or itself.
  void set(Value value, Parts number) { parts[value] = number; }
  void set(Value value, Value real) { mapping.map(value, real); }
  void copy(Operation &op);
  Parts get(Value value);
  Value getReal(Value value) { return mapping.lookupOrDefault(value); }

private:
  Parts partsOf(Operation &op);
  Parts constant(complex::ConstantOp op);
  Parts product(complex::MulOp op);
  template <typename RealOp, typename Op>
  Parts elementwise(Op op);

  ImplicitLocOpBuilder &outside, &inside;
  DenseMap<Value, Parts> parts;
  IRMapping mapping;
};
} // namespace

Parts PartsBody::get(Value value) {
  auto [at, isNew] = parts.try_emplace(value);
  if (isNew) {
    Type part = cast<ComplexType>(value.getType()).getElementType();
    at->second = {complex::ReOp::create(outside, part, value),
                  complex::ImOp::create(outside, part, value)};
  }
  return at->second;
}

Parts PartsBody::constant(complex::ConstantOp op) {
  auto part = [&](unsigned i) -> Value {
    return arith::ConstantOp::create(inside, cast<FloatAttr>(op.getValue()[i]));
  };
  return {part(0), part(1)};
}

/// As upstream lowers it, without a second look at infinities.
Parts PartsBody::product(complex::MulOp op) {
  const Parts a = get(op.getLhs()), c = get(op.getRhs());
  auto times = [&](Value x, Value y) -> Value {
    return arith::MulFOp::create(inside, x, y, op.getFastmath());
  };
  Value real =
      arith::SubFOp::create(inside, times(a.real, c.real),
                            times(a.imaginary, c.imaginary), op.getFastmath());
  Value imaginary =
      arith::AddFOp::create(inside, times(a.imaginary, c.real),
                            times(a.real, c.imaginary), op.getFastmath());
  return {real, imaginary};
}

template <typename RealOp, typename Op>
Parts PartsBody::elementwise(Op op) {
  const Parts a = get(op.getLhs()), c = get(op.getRhs());
  return {RealOp::create(inside, a.real, c.real, op.getFastmath()),
          RealOp::create(inside, a.imaginary, c.imaginary, op.getFastmath())};
}

Parts PartsBody::partsOf(Operation &op) {
  return TypeSwitch<Operation *, Parts>(&op)
      .Case([&](complex::ConstantOp op) { return constant(op); })
      .Case([&](complex::CreateOp op) {
        return Parts{getReal(op.getReal()), getReal(op.getImaginary())};
      })
      .Case([&](complex::AddOp op) { return elementwise<arith::AddFOp>(op); })
      .Case([&](complex::SubOp op) { return elementwise<arith::SubFOp>(op); })
      .Case([&](complex::MulOp op) { return product(op); })
      .Case([&](complex::NegOp op) {
        const Parts a = get(op.getComplex());
        return Parts{
            arith::NegFOp::create(inside, a.real, op.getFastmath()),
            arith::NegFOp::create(inside, a.imaginary, op.getFastmath())};
      })
      .Case([&](complex::ConjOp op) {
        const Parts a = get(op.getComplex());
        return Parts{a.real, arith::NegFOp::create(inside, a.imaginary,
                                                   op.getFastmath())};
      })
      .Case([&](arith::SelectOp op) {
        const Parts a = get(op.getTrueValue()), c = get(op.getFalseValue());
        Value condition = getReal(op.getCondition());
        return Parts{arith::SelectOp::create(inside, condition, a.real, c.real),
                     arith::SelectOp::create(inside, condition, a.imaginary,
                                             c.imaginary)};
      });
}

void PartsBody::copy(Operation &op) {
  if (isa<complex::ReOp, complex::ImOp>(op)) {
    const Parts a = get(op.getOperand(0));
    set(op.getResult(0), isa<complex::ReOp>(op) ? a.real : a.imaginary);
  } else if (op.getNumResults() == 1 && isComplex(op.getResult(0))) {
    // Constants that others share become their own.
    const Parts made = partsOf(op);
    set(op.getResult(0), made);
  } else {
    inside.clone(op, mapping);
  }
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
  YieldOp::create(inside, inside.getArrayAttr(yield.getKinds()[output]), value);
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
