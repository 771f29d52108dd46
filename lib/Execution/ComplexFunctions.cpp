//===- ComplexFunctions.cpp - what ops on complex numbers compute ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexFunctions.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

using namespace mlir;
using namespace astfe;

static Number number(double real, double imaginary, double magnitude) {
  Number result{real, magnitude};
  result.imaginary = imaginary;
  return result;
}

#define FN(expression)                                                         \
  +[]([[maybe_unused]] Number a, [[maybe_unused]] Number b,                    \
      [[maybe_unused]] Number c) -> Number { return expression; }

static ScalarFunction function(NumberFunction apply) {
  ScalarFunction result;
  result.numbers = apply;
  return result;
}

/// Products as upstream lowers them: infinities are not looked at again.
static const llvm::StringMap<NumberFunction> &functions() {
  static const llvm::StringMap<NumberFunction> table = {
      {"complex.add", FN(number(a.value + b.value, a.imaginary + b.imaginary,
                                a.magnitude + b.magnitude))},
      {"complex.sub", FN(number(a.value - b.value, a.imaginary - b.imaginary,
                                a.magnitude + b.magnitude))},
      {"complex.mul", FN(number(a.value * b.value - a.imaginary * b.imaginary,
                                a.imaginary * b.value + a.value * b.imaginary,
                                a.magnitude * b.magnitude))},
      {"complex.neg", FN(number(-a.value, -a.imaginary, a.magnitude))},
      {"complex.conj", FN(number(a.value, -a.imaginary, a.magnitude))},
      {"complex.create",
       FN(number(a.value, b.value, a.magnitude + b.magnitude))},
      {"complex.re", FN(number(a.value, 0, a.magnitude))},
      {"complex.im", FN(number(a.imaginary, 0, a.magnitude))},
      {"arith.select", FN(a.whole() != 0 ? b : c)},
  };
  return table;
}
#undef FN

std::optional<ScalarFunction> astfe::complexFunction(Operation *op) {
  auto isComplex = [](Type type) { return isa<ComplexType>(type); };
  auto found = functions().find(op->getName().getStringRef());
  if (found == functions().end() ||
      (llvm::none_of(op->getOperandTypes(), isComplex) &&
       llvm::none_of(op->getResultTypes(), isComplex)))
    return std::nullopt;
  return function(found->second);
}

std::optional<ScalarFunction>
astfe::complexCombiner(arith::AtomicRMWKind kind) {
  if (kind != arith::AtomicRMWKind::addf)
    return std::nullopt;
  return function(functions().lookup("complex.add"));
}

Number astfe::complexConstant(complex::ConstantOp op) {
  auto part = [&](unsigned i) {
    return cast<FloatAttr>(op.getValue()[i]).getValueAsDouble();
  };
  return number(part(0), part(1), std::fabs(part(0)) + std::fabs(part(1)));
}
