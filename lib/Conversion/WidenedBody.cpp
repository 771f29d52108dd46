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

/// The f32 towards whose odd last bit an f64 is rounded where it is none itself:
/// rounded to a half it gives what the f64 gives (Boldo, Melquiond: "When double
/// rounding is odd", 2005). Compilers' libraries lack a function from f64 to
/// bf16.
static Value roundedToOdd(ImplicitLocOpBuilder &b, Value value) {
  auto number = [&](int64_t bits) -> Value {
    Type type = likeOf(value, b.getI32Type());
    TypedAttr scalar = b.getI32IntegerAttr(int32_t(bits));
    if (auto lanes = dyn_cast<ShapedType>(type))
      scalar = DenseElementsAttr::get(lanes, scalar);
    return arith::ConstantOp::create(b, scalar);
  };
  auto compare = [&](arith::CmpFPredicate how, Value left, Value right) {
    return arith::CmpFOp::create(b, how, left, right);
  };
  Value nearest =
      arith::TruncFOp::create(b, likeOf(value, b.getF32Type()), value);
  Value back = arith::ExtFOp::create(b, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, likeOf(value, b.getI32Type()),
                                        nearest);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  // Towards the value: one up in magnitude or one down.
  Value isLarger =
      arith::XOrIOp::create(b, compare(arith::CmpFPredicate::OLT, back, value),
                            compare(arith::CmpFPredicate::OLT, value, zero));
  Value step = arith::SelectOp::create(b, isLarger, number(1), number(-1));
  Value moved = arith::AddIOp::create(b, bits, step);
  Value isOdd = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, bits, number(1)), number(0));
  Value isKept = arith::OrIOp::create(
      b, compare(arith::CmpFPredicate::UEQ, back, value), isOdd);
  return arith::BitcastOp::create(
      b, nearest.getType(), arith::SelectOp::create(b, isKept, bits, moved));
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
  mapping.map(result, rounded(isWide ? operand : roundedToOdd(b, operand),
                              type));
  return true;
}
