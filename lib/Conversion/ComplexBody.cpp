//===- ComplexBody.cpp - bodies that compute with parts -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/ComplexBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace astfe {

bool isComplex(Value value) {
  return isa<ComplexType>(getElementTypeOrSelf(value.getType()));
}

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

} // namespace astfe
