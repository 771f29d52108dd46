//===- StoredElements.cpp - elements in memory and in registers -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoredElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace astfe;

/// What a buffer holds for elements of a type.
static Type storedType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isBF16())
    return IntegerType::get(element.getContext(), 16);
  return element;
}

/// `element` alone, or in as many lanes as `like` has.
static Type lanesLike(Value like, Type element) {
  auto type = dyn_cast<VectorType>(like.getType());
  return type ? VectorType::get(type.getShape(), element) : element;
}

static Value number(ImplicitLocOpBuilder &b, Value like, int64_t value) {
  Type type = like.getType();
  Type element = getElementTypeOrSelf(type);
  TypedAttr scalar = b.getIntegerAttr(element, value);
  if (auto lanes = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(lanes, scalar);
  return arith::ConstantOp::create(b, scalar);
}

Value host::asStored(ImplicitLocOpBuilder &b, Value buffer) {
  auto type = buffer ? dyn_cast<MemRefType>(buffer.getType()) : MemRefType();
  if (!type || storedType(type.getElementType()) == type.getElementType())
    return buffer;
  auto stored =
      MemRefType::get(type.getShape(), storedType(type.getElementType()),
                      type.getLayout(), type.getMemorySpace());
  return UnrealizedConversionCastOp::create(b, stored, buffer).getResult(0);
}

Value host::beforeStored(Value buffer) {
  auto cast = buffer.getDefiningOp<UnrealizedConversionCastOp>();
  return cast ? cast.getInputs().front() : buffer;
}

/// The 16 bits are the upper half of those of an f32.
static Value widenBits(ImplicitLocOpBuilder &b, Value bits) {
  Type i32 = lanesLike(bits, b.getI32Type());
  Value wide = arith::ExtUIOp::create(b, i32, bits);
  Value high = arith::ShLIOp::create(b, wide, number(b, wide, 16));
  return arith::BitcastOp::create(b, lanesLike(bits, b.getF32Type()), high);
}

/// The bits of the nearest bf16, ties to even, in the upper half of an i32. NaN
/// stays one, though what its low bits say goes.
static Value roundBits(ImplicitLocOpBuilder &b, Value value) {
  Value bits =
      arith::BitcastOp::create(b, lanesLike(value, b.getI32Type()), value);
  Value odd = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, number(b, bits, 16)),
      number(b, bits, 1));
  Value half = arith::AddIOp::create(b, odd, number(b, bits, 0x7fff));
  Value rounded = arith::AddIOp::create(b, bits, half);
  Value quiet = arith::OrIOp::create(b, bits, number(b, bits, 0x400000));
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  return arith::SelectOp::create(b, isNaN, quiet, rounded);
}

static Value narrowBits(ImplicitLocOpBuilder &b, Value value) {
  Value rounded = roundBits(b, value);
  Value high = arith::ShRUIOp::create(b, rounded, number(b, rounded, 16));
  return arith::TruncIOp::create(b, lanesLike(value, b.getIntegerType(16)),
                                 high);
}

Value host::roundedTo(ImplicitLocOpBuilder &b, Value value, Type half) {
  if (half.isBF16()) {
    Value rounded = roundBits(b, value);
    Value high = arith::AndIOp::create(b, rounded,
                                       number(b, rounded, -int64_t(0x10000)));
    return arith::BitcastOp::create(b, value.getType(), high);
  }
  Value narrow = arith::TruncFOp::create(b, lanesLike(value, half), value);
  return arith::ExtFOp::create(b, value.getType(), narrow);
}

Value host::fromStored(ImplicitLocOpBuilder &b, Value stored, Type type) {
  Type from = getElementTypeOrSelf(stored.getType());
  if (from == type)
    return stored;
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, stored,
                                 number(b, stored, 0));
  if (isa<FloatType>(from))
    return arith::ExtFOp::create(b, lanesLike(stored, type), stored);
  if (type.isBF16())
    return arith::BitcastOp::create(b, lanesLike(stored, type), stored);
  return widenBits(b, stored);
}

Value host::toStored(ImplicitLocOpBuilder &b, Value value, Type stored) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == stored)
    return value;
  if (from.isInteger(1))
    return arith::ExtUIOp::create(b, lanesLike(value, stored), value);
  if (isa<FloatType>(stored))
    return arith::TruncFOp::create(b, lanesLike(value, stored), value);
  if (from.isBF16())
    return arith::BitcastOp::create(b, lanesLike(value, stored), value);
  return narrowBits(b, value);
}
