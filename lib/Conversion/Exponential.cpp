//===- Exponential.cpp - exp as multiplications and additions -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Conversion/Exponential.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace astfe;

namespace {
/// What differs between the types.
struct Format {
  unsigned degree;            ///< D
  double low, high;           ///< beyond: 0 and inf
  double ln2High, ln2Low;     ///< ln 2 in two parts
  double toInteger;           ///< adding it rounds to integers
  int64_t mantissaBits, bias; ///< of the exponent
};

const Format kF32 = {7,
                     -104,
                     89,
                     0.693359375,
                     -2.12194440054690583e-4,
                     1.5 * (int64_t(1) << 23),
                     23,
                     127};
const Format kF64 = {13,
                     -746,
                     710,
                     6.93145751953125e-1,
                     1.42860682030941723212e-6,
                     1.5 * double(int64_t(1) << 52),
                     52,
                     1023};

class Expansion {
public:
  Expansion(ImplicitLocOpBuilder &b, Type type, bool contract)
      : b(b), type(type),
        format(getElementTypeOrSelf(type).isF32() ? kF32 : kF64),
        flags(contract ? arith::FastMathFlags::contract
                       : arith::FastMathFlags::none) {
    integers =
        b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    if (auto vector = dyn_cast<VectorType>(type))
      integers = vector.clone(integers);
  }

  Value emit(Value x);

private:
  Value number(double value) {
    Type element = getElementTypeOrSelf(type);
    return splat(type, b.getFloatAttr(element, value));
  }
  Value integer(int64_t value) {
    Type element = getElementTypeOrSelf(integers);
    return splat(integers, b.getIntegerAttr(element, value));
  }
  Value splat(Type all, TypedAttr element) {
    if (auto vector = dyn_cast<VectorType>(all))
      element = DenseElementsAttr::get(vector, Attribute(element));
    return arith::ConstantOp::create(b, element);
  }
  /// a c + d.
  Value multiplyAdd(Value a, Value c, Value d) {
    Value product = arith::MulFOp::create(b, a, c, flags);
    return arith::AddFOp::create(b, product, d, flags);
  }
  /// `inside` where `x` compares, else `limit`; NaN compares with nothing.
  Value limit(Value x, arith::CmpFPredicate beyond, double limit) {
    Value is = arith::CmpFOp::create(b, beyond, x, number(limit));
    return arith::SelectOp::create(b, is, number(limit), x);
  }
  Value powerOfTwo(Value exponent);

  ImplicitLocOpBuilder &b;
  Type type, integers;
  const Format &format;
  arith::FastMathFlags flags;
};
} // namespace

Value Expansion::powerOfTwo(Value exponent) {
  Value biased = arith::AddIOp::create(b, exponent, integer(format.bias));
  Value bits = arith::ShLIOp::create(b, biased, integer(format.mantissaBits));
  return arith::BitcastOp::create(b, type, bits);
}

Value Expansion::emit(Value x) {
  x = limit(x, arith::CmpFPredicate::OLT, format.low);
  x = limit(x, arith::CmpFPredicate::OGT, format.high);
  // The integer is in the last bits of the sum.
  Value magic = number(format.toInteger);
  Value shifted = multiplyAdd(x, number(1.44269504088896340736), magic);
  Value n = arith::SubFOp::create(b, shifted, magic);
  Value r = multiplyAdd(n, number(-format.ln2High), x);
  r = multiplyAdd(n, number(-format.ln2Low), r);
  double factorial = 1;
  for (unsigned i = 2; i <= format.degree; ++i)
    factorial *= i;
  Value sum = number(1 / factorial);
  for (unsigned i = format.degree; i > 0; --i) {
    factorial /= i;
    sum = multiplyAdd(sum, r, number(1 / factorial));
  }
  // In two steps: 2^n itself may be too small or too large for the type.
  Value power =
      arith::SubIOp::create(b, arith::BitcastOp::create(b, integers, shifted),
                            arith::BitcastOp::create(b, integers, magic));
  Value half = arith::ShRSIOp::create(b, power, integer(1));
  Value rest = arith::SubIOp::create(b, power, half);
  Value scaled = arith::MulFOp::create(b, sum, powerOfTwo(half));
  return arith::MulFOp::create(b, scaled, powerOfTwo(rest));
}

bool astfe::hasExpExpansion(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64();
}

Value astfe::expandExp(ImplicitLocOpBuilder &b, Value x, bool contract) {
  return Expansion(b, x.getType(), contract).emit(x);
}
