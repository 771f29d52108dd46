//===- NeutralZeros.cpp - what a zero contributes -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/NeutralZeros.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace astfe {

/// Also of a complex number, and of one as `complex.constant` has it: its
/// parts.
static bool isZero(Attribute value) {
  if (auto number = dyn_cast_if_present<complex::NumberAttr>(value))
    return number.getReal().isZero() && number.getImag().isZero();
  if (auto parts = dyn_cast_if_present<ArrayAttr>(value))
    return llvm::all_of(parts, isZero);
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return number.getValue().isZero();
  auto number = dyn_cast_if_present<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

/// Of a copy: folding may change an op in place.
static OpFoldResult foldCopy(Operation &op, ArrayRef<Attribute> operands) {
  Operation *copy = op.clone();
  SmallVector<OpFoldResult> results;
  const bool folded = succeeded(copy->fold(operands, results));
  copy->erase();
  return folded && results.size() == 1 ? results.front() : OpFoldResult();
}

/// Products of a zero, and zero divided by anything, are zeros.
static bool isZeroOp(Operation &op, ArrayRef<Attribute> operands) {
  if (isa<arith::MulFOp, arith::MulIOp, arith::AndIOp, complex::MulOp>(op))
    return llvm::any_of(operands, isZero);
  if (isa<complex::AddOp, complex::SubOp, complex::NegOp, complex::ConjOp,
          complex::CreateOp, complex::ReOp, complex::ImOp>(op))
    return llvm::all_of(operands, isZero);
  return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(op) &&
         isZero(operands.front());
}

/// Whatever is selected is a zero.
static bool selectsZero(Operation &op, ArrayRef<Attribute> operands) {
  return isa<arith::SelectOp>(op) && isZero(operands[1]) && isZero(operands[2]);
}

static TypedAttr zeroOf(Builder &builder, Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex::NumberAttr::get(complex, 0, 0);
  return builder.getZeroAttr(type);
}

TypedAttr valueAtZero(Value value, ArrayRef<BlockArgument> entries) {
  OpBuilder builder(value.getContext());
  DenseMap<Value, Attribute> known;
  for (BlockArgument entry : entries)
    known[entry] = zeroOf(builder, entry.getType());
  auto lookUp = [&](Value operand) -> Attribute {
    if (auto found = known.find(operand); found != known.end())
      return found->second;
    Attribute constant;
    return matchPattern(operand, m_Constant(&constant)) ? constant
                                                        : Attribute();
  };
  for (Operation &op : *entries.front().getOwner()) {
    if (op.getNumRegions() || op.getNumResults() != 1)
      continue;
    Type type = op.getResult(0).getType();
    SmallVector<Attribute> operands =
        llvm::map_to_vector(op.getOperands(), lookUp);
    Attribute result;
    if (isZeroOp(op, operands) || selectsZero(op, operands)) {
      result = zeroOf(builder, type);
    } else if (OpFoldResult folded = foldCopy(op, operands)) {
      auto same = dyn_cast<Value>(folded);
      result = same ? lookUp(same) : cast<Attribute>(folded);
    }
    if (result)
      known[op.getResult(0)] = result;
  }
  return dyn_cast_if_present<TypedAttr>(lookUp(value));
}

/// Sums and products round: what a large start swallows, a later sum may not.
static std::optional<APFloat> combine(arith::AtomicRMWKind kind,
                                      const APFloat &a, const APFloat &b) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::maximumf:
    return llvm::maximum(a, b);
  case Kind::minimumf:
    return llvm::minimum(a, b);
  case Kind::maxnumf:
    return llvm::maxnum(a, b);
  case Kind::minnumf:
    return llvm::minnum(a, b);
  default:
    return std::nullopt;
  }
}

static std::optional<APInt> combine(arith::AtomicRMWKind kind, const APInt &a,
                                    const APInt &b) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::addi:
    return a + b;
  case Kind::muli:
    return a * b;
  case Kind::andi:
    return a & b;
  case Kind::ori:
    return a | b;
  case Kind::xori:
    return a ^ b;
  case Kind::maxs:
    return llvm::APIntOps::smax(a, b);
  case Kind::mins:
    return llvm::APIntOps::smin(a, b);
  case Kind::maxu:
    return llvm::APIntOps::umax(a, b);
  case Kind::minu:
    return llvm::APIntOps::umin(a, b);
  default:
    return std::nullopt;
  }
}

/// combine(start, contribution) == start.
static bool isIgnoredBy(arith::AtomicRMWKind kind, Attribute contribution,
                        Attribute start) {
  if (auto a = dyn_cast_if_present<FloatAttr>(start)) {
    auto b = dyn_cast<FloatAttr>(contribution);
    auto sum = b ? combine(kind, a.getValue(), b.getValue()) : std::nullopt;
    return sum && *sum == a.getValue();
  }
  auto a = dyn_cast_if_present<IntegerAttr>(start);
  auto b = dyn_cast<IntegerAttr>(contribution);
  auto sum = a && b ? combine(kind, a.getValue(), b.getValue()) : std::nullopt;
  return sum && *sum == a.getValue();
}

bool isIgnored(arith::AtomicRMWKind combiner, TypedAttr contribution,
               TypedAttr start) {
  if (!contribution)
    return false;
  if (combiner == arith::AtomicRMWKind::addf && isZero(contribution))
    return true;
  Type type = contribution.getType();
  if (isa<ComplexType>(type))
    return false;
  OpBuilder builder(type.getContext());
  if (contribution == arith::getIdentityValueAttr(combiner, type, builder,
                                                  builder.getUnknownLoc()))
    return true;
  return isIgnoredBy(combiner, contribution, start);
}

} // namespace astfe
