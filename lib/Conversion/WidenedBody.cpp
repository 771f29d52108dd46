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
  if (isWide) {
    mapping.map(result, rounded(operand, type));
    return true;
  }
  Value half = arith::TruncFOp::create(b, likeOf(operand, type), operand);
  mapping.map(
      result,
      arith::ExtFOp::create(b, likeOf(operand, wide), half).getResult());
  return true;
}
