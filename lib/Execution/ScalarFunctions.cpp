//===- ScalarFunctions.cpp - what scalar ops compute ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexFunctions.h"
#include "IntegerFunctions.h"
#include "ScalarProgram.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace astfe;

using Rule = MagnitudeRule;
#define FN(expression)                                                         \
  +[]([[maybe_unused]] double a, [[maybe_unused]] double b,                    \
      [[maybe_unused]] double c) -> double { return expression; }

static double nan2(double a, double b, double chosen) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : chosen;
}

static const llvm::StringMap<ScalarFunction> &functions() {
  static const llvm::StringMap<ScalarFunction> table = {
      {"arith.addf", {FN(a + b), Rule::Sum}},
      {"arith.subf", {FN(a - b), Rule::Sum}},
      {"arith.mulf", {FN(a * b), Rule::Product}},
      {"arith.divf", {FN(a / b), Rule::Quotient}},
      {"arith.remf", {FN(std::fmod(a, b)), Rule::Larger}},
      {"arith.negf", {FN(-a), Rule::Sum}},
      {"arith.maximumf", {FN(nan2(a, b, std::fmax(a, b))), Rule::Nearest}},
      {"arith.minimumf", {FN(nan2(a, b, std::fmin(a, b))), Rule::Nearest}},
      {"arith.maxnumf", {FN(std::fmax(a, b)), Rule::Nearest}},
      {"arith.minnumf", {FN(std::fmin(a, b)), Rule::Nearest}},
      {"arith.select", {FN(a != 0 ? b : c), Rule::Larger}},
      {"arith.extf", {FN(a), Rule::Sum}},
      {"arith.fptosi", {FN(std::trunc(a)), Rule::Result}},
      {"math.absf", {FN(std::fabs(a)), Rule::Sum}},
      {"math.ceil", {FN(std::ceil(a)), Rule::Result}},
      {"math.cos", {FN(std::cos(a)), Rule::Result}},
      {"math.erf", {FN(std::erf(a)), Rule::Result}},
      {"math.exp", {FN(std::exp(a)), Rule::Result}},
      {"math.exp2", {FN(std::exp2(a)), Rule::Result}},
      {"math.expm1", {FN(std::expm1(a)), Rule::Result}},
      {"math.fma", {FN(std::fma(a, b, c)), Rule::MultiplyAdd}},
      {"math.floor", {FN(std::floor(a)), Rule::Result}},
      {"math.log", {FN(std::log(a)), Rule::Result}},
      {"math.log1p", {FN(std::log1p(a)), Rule::Result}},
      {"math.log2", {FN(std::log2(a)), Rule::Result}},
      {"math.powf", {FN(std::pow(a, b)), Rule::Result}},
      {"math.rsqrt", {FN(1 / std::sqrt(a)), Rule::Result}},
      {"math.sin", {FN(std::sin(a)), Rule::Result}},
      {"math.sqrt", {FN(std::sqrt(a)), Rule::Result}},
      {"math.tanh", {FN(std::tanh(a)), Rule::Result}},
  };
  return table;
}

static bool unordered(double a, double b) {
  return std::isnan(a) || std::isnan(b);
}

static ScalarFunction compareFloat(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OEQ:
    return {FN(a == b), Rule::Result};
  case P::ONE:
    return {FN(a < b || a > b), Rule::Result};
  case P::OLT:
    return {FN(a < b), Rule::Result};
  case P::OLE:
    return {FN(a <= b), Rule::Result};
  case P::OGT:
    return {FN(a > b), Rule::Result};
  case P::OGE:
    return {FN(a >= b), Rule::Result};
  case P::UEQ:
    return {FN(a == b || unordered(a, b)), Rule::Result};
  case P::UNE:
    return {FN(a != b), Rule::Result};
  case P::ULT:
    return {FN(!(a >= b)), Rule::Result};
  case P::ULE:
    return {FN(!(a > b)), Rule::Result};
  case P::UGT:
    return {FN(!(a <= b)), Rule::Result};
  case P::UGE:
    return {FN(!(a < b)), Rule::Result};
  case P::ORD:
    return {FN(!unordered(a, b)), Rule::Result};
  case P::UNO:
    return {FN(unordered(a, b)), Rule::Result};
  case P::AlwaysFalse:
    return {FN(0), Rule::Result};
  case P::AlwaysTrue:
    return {FN(1), Rule::Result};
  }
  llvm_unreachable("a comparison that arith does not have");
}

/// The nearest number of a format, ties to even.
static double nearest(double value, const llvm::fltSemantics &format) {
  llvm::APFloat number(value);
  bool losesInfo = false;
  number.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

/// Rounds as the op does: what is left out is no error of a sum, whose unit may
/// be a much smaller one.
static ScalarFunction narrowed(Type element) {
  if (element.isBF16())
    return {FN(nearest(a, llvm::APFloat::BFloat())), Rule::Sum};
  if (element.isF16())
    return {FN(nearest(a, llvm::APFloat::IEEEhalf())), Rule::Sum};
  return {FN(double(float(a))), Rule::Sum};
}

namespace {
struct F16 {
  static auto &format() { return llvm::APFloat::IEEEhalf(); }
};
struct BF16 {
  static auto &format() { return llvm::APFloat::BFloat(); }
};
struct F32 {
  static auto &format() { return llvm::APFloat::IEEEsingle(); }
};
struct F64 {
  static auto &format() { return llvm::APFloat::IEEEdouble(); }
};
} // namespace

/// The bits of the nearest number of a format, as an integer.
template <typename Float>
static Number bitsOf(Number a, Number, Number) {
  llvm::APFloat number(a.value);
  bool losesInfo = false;
  number.convert(Float::format(), llvm::APFloat::rmNearestTiesToEven,
                 &losesInfo);
  const int64_t bits = number.bitcastToAPInt().getSExtValue();
  return {double(bits), std::fabs(double(bits)), bits, /*isExact=*/true};
}

/// The number of a format that has an integer's bits.
template <typename Float>
static Number numberOf(Number a, Number, Number) {
  const unsigned bits = llvm::APFloat::getSizeInBits(Float::format());
  const llvm::APInt integer(64, uint64_t(a.whole()));
  const double value =
      llvm::APFloat(Float::format(), integer.trunc(bits)).convertToDouble();
  return {value, std::fabs(value)};
}

/// Between a float and an integer.
static std::optional<ScalarFunction> bitcastFunction(arith::BitcastOp op) {
  const bool isFloat = isa<FloatType>(op.getIn().getType());
  if (isFloat == isa<FloatType>(op.getType()))
    return std::nullopt;
  const Type type = isFloat ? op.getIn().getType() : op.getType();
  auto make = [&](auto format) {
    using Float = decltype(format);
    ScalarFunction function;
    function.numbers = isFloat ? bitsOf<Float> : numberOf<Float>;
    return function;
  };
  if (type.isF16())
    return make(F16());
  if (type.isBF16())
    return make(BF16());
  if (type.isF32())
    return make(F32());
  if (type.isF64())
    return make(F64());
  return std::nullopt;
}

std::optional<ScalarFunction> astfe::scalarFunction(Operation *op) {
  if (std::optional<ScalarFunction> exact = integerFunction(op))
    return exact;
  if (std::optional<ScalarFunction> ofParts = complexFunction(op))
    return ofParts;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloat(compare.getPredicate());
  if (auto bitcast = dyn_cast<arith::BitcastOp>(op))
    return bitcastFunction(bitcast);
  if (auto narrow = dyn_cast<arith::TruncFOp>(op))
    return narrowed(narrow.getType());
  auto found = functions().find(op->getName().getStringRef());
  if (found == functions().end())
    return std::nullopt;
  ScalarFunction function = found->second;
  if (op->getNumResults() == 1)
    function.resultBits = integerBits(op->getResult(0).getType());
  return function;
}

std::optional<ScalarFunction> astfe::combiner(arith::AtomicRMWKind kind,
                                              Type element) {
  StringRef name = arith::stringifyAtomicRMWKind(kind);
  if (const unsigned bits = integerBits(element))
    return integerCombiner(name, bits);
  if (isa<ComplexType>(element))
    return complexCombiner(kind);
  auto found = functions().find(("arith." + name).str());
  if (found == functions().end())
    return std::nullopt;
  return found->second;
}

#undef FN

int64_t Number::whole() const {
  if (isExact)
    return integer;
  // Also false for NaN.
  return std::fabs(value) < 0x1p63 ? int64_t(value) : 0;
}

/// Of what is compared, an error is at most this share of the magnitude.
static constexpr double kReach = 0x1p-5;
static constexpr double kAny = std::numeric_limits<double>::infinity();

/// Of a choice: of those operands whose errors may reach the result. What is
/// infinite has none: it is the result, or it is far from that.
static double largestMagnitude(double value,
                               std::initializer_list<Number> operands,
                               double reach) {
  double magnitude = std::fabs(value);
  for (const Number &operand : operands)
    if (std::isfinite(operand.value) &&
        !(std::fabs(operand.value - value) > reach * operand.magnitude))
      magnitude = std::max(magnitude, operand.magnitude);
  return magnitude;
}

Number ScalarFunction::operator()(Number a, Number b, Number c) const {
  if (numbers)
    return numbers(a, b, c);
  if (integers) {
    const int64_t whole = wrapped(
        integers(a.whole(), b.whole(), c.whole(), operandBits), resultBits);
    return {double(whole), std::fabs(double(whole)), whole, resultBits != 0};
  }
  double value = apply(a.value, b.value, c.value);
  switch (rule) {
  case Rule::Sum:
    return {value, a.magnitude + b.magnitude};
  case Rule::Product:
    return {value, a.magnitude * b.magnitude};
  case Rule::Quotient:
    return {value, a.magnitude / std::fabs(b.value)};
  case Rule::Larger:
    return {value, largestMagnitude(value, {a, b, c}, /*reach=*/kAny)};
  case Rule::Nearest:
    return {value, largestMagnitude(value, {a, b}, kReach)};
  case Rule::MultiplyAdd:
    return {value, a.magnitude * b.magnitude + c.magnitude};
  case Rule::Result:
    return {value, std::fabs(value)};
  }
  llvm_unreachable("a rule that does not exist");
}
