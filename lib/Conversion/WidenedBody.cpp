//===- WidenedBody.cpp - bodies on halves, computed in f32 ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/WidenedBody.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

Type astfe::widenedType(Type element) {
  return element.isF16() || element.isBF16()
             ? Float32Type::get(element.getContext())
             : element;
}

/// The type of `value` with elements of type `element`.
static Type likeOf(Value value, Type element) {
  auto shaped = dyn_cast<ShapedType>(value.getType());
  return shaped ? shaped.clone(element) : element;
}

/// An i32 in as many lanes as `value` has.
static Value numberLike(ImplicitLocOpBuilder &b, Value value, int32_t number) {
  TypedAttr scalar = b.getI32IntegerAttr(number);
  if (auto lanes = dyn_cast<ShapedType>(likeOf(value, b.getI32Type())))
    scalar = DenseElementsAttr::get(lanes, scalar);
  return arith::ConstantOp::create(b, scalar);
}

/// The f32 towards whose odd last bit an f64 is rounded where it is none
/// itself: rounded to a half it gives what the f64 gives (Boldo, Melquiond:
/// "When double rounding is odd", 2005). Compilers' libraries lack a function
/// from f64 to bf16.
static Value roundedToOdd(ImplicitLocOpBuilder &b, Value value) {
  auto number = [&](int32_t bits) { return numberLike(b, value, bits); };
  auto compare = [&](arith::CmpFPredicate how, Value left, Value right) {
    return arith::CmpFOp::create(b, how, left, right);
  };
  Value nearest =
      arith::TruncFOp::create(b, likeOf(value, b.getF32Type()), value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  Value bits =
      arith::BitcastOp::create(b, likeOf(value, b.getI32Type()), nearest);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  // Towards the value: one up in magnitude or one down.
  Value isLarger =
      arith::XOrIOp::create(b, compare(arith::CmpFPredicate::OLT, back, value),
                            compare(arith::CmpFPredicate::OLT, value, zero));
  Value step = arith::SelectOp::create(b, isLarger, number(1), number(-1));
  Value moved = arith::AddIOp::create(b, bits, step);
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(b, bits, number(1)),
                                      number(0));
  Value isKept = arith::OrIOp::create(
      b, compare(arith::CmpFPredicate::UEQ, back, value), isOdd);
  return arith::BitcastOp::create(
      b, nearest.getType(), arith::SelectOp::create(b, isKept, bits, moved));
}

/// The bits of the half that an f32 is rounded to: of a bf16 they are the upper
/// half of the f32's.
static Value bitsOf(ImplicitLocOpBuilder &b, Value value, Type half, Type bits,
                    function_ref<Value(Value, Type)> rounded) {
  if (half.isF16()) {
    Value nearest = arith::TruncFOp::create(b, likeOf(value, half), value);
    return arith::BitcastOp::create(b, bits, nearest);
  }
  Value wide = arith::BitcastOp::create(b, likeOf(value, b.getI32Type()),
                                        rounded(value, half));
  Value upper = arith::ShRUIOp::create(b, wide, numberLike(b, wide, 16));
  return arith::TruncIOp::create(b, bits, upper);
}

/// The f32 that is the half with these bits.
static Value halfOf(ImplicitLocOpBuilder &b, Value bits, Type half) {
  Type f32 = likeOf(bits, b.getF32Type());
  if (half.isF16()) {
    Value number = arith::BitcastOp::create(b, likeOf(bits, half), bits);
    return arith::ExtFOp::create(b, f32, number);
  }
  Value wide = arith::ExtUIOp::create(b, likeOf(bits, b.getI32Type()), bits);
  Value upper = arith::ShLIOp::create(b, wide, numberLike(b, wide, 16));
  return arith::BitcastOp::create(b, f32, upper);
}

bool astfe::cloneWidened(ImplicitLocOpBuilder &b, Operation &inner,
                         IRMapping &mapping,
                         function_ref<Value(Value, Type)> rounded) {
  if (inner.getNumResults() != 1)
    return false;
  Value result = inner.getResult(0);
  Type type = result.getType(), wide = widenedType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
    auto number = dyn_cast<FloatAttr>(constant.getValue());
    if (!number || wide == type)
      return false;
    mapping.map(result, arith::ConstantOp::create(
                            b, b.getFloatAttr(wide, number.getValueAsDouble()))
                            .getResult());
    return true;
  }
  if (auto bitcast = dyn_cast<arith::BitcastOp>(inner)) {
    const Type from = bitcast.getIn().getType();
    if (isa<FloatType>(from) == isa<FloatType>(type) ||
        (widenedType(from) == from && wide == type))
      return false;
    Value given = mapping.lookupOrDefault(bitcast.getIn());
    if (wide != type)
      mapping.map(result, halfOf(b, given, type));
    else if (getElementTypeOrSelf(given) == from)
      return false; // a half from outside
    else
      mapping.map(result, bitsOf(b, given, from, likeOf(given, type), rounded));
    return true;
  }
  if (!isa<arith::ExtFOp, arith::TruncFOp>(inner))
    return false;
  Value operand = mapping.lookupOrDefault(inner.getOperand(0));
  const bool isWide = getElementTypeOrSelf(operand) == wide;
  if (isa<arith::ExtFOp>(inner)) {
    if (isWide)
      mapping.map(result, operand);
    return isWide;
  }
  if (wide == type)
    return false;
  const bool isYielded =
      llvm::all_of(result.getUsers(), llvm::IsaPred<YieldOp, linalg::YieldOp>);
  if (isYielded && isWide)
    mapping.map(result, operand);
  if (isYielded)
    return isWide;
  mapping.map(result,
              rounded(isWide ? operand : roundedToOdd(b, operand), type));
  return true;
}
