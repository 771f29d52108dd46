//===- ScalarFunctions.cpp - what scalar ops compute ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>

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
      {"arith.addi", {FN(a + b), Rule::Sum}},
      {"arith.subf", {FN(a - b), Rule::Sum}},
      {"arith.subi", {FN(a - b), Rule::Sum}},
      {"arith.mulf", {FN(a * b), Rule::Product}},
      {"arith.muli", {FN(a * b), Rule::Product}},
      {"arith.divf", {FN(a / b), Rule::Quotient}},
      {"arith.divsi", {FN(std::trunc(a / b)), Rule::Result}},
      {"arith.remf", {FN(std::fmod(a, b)), Rule::Larger}},
      {"arith.divui", {FN(std::trunc(a / b)), Rule::Result}},
      {"arith.remsi", {FN(std::fmod(a, b)), Rule::Result}},
      {"arith.remui", {FN(std::fmod(a, b)), Rule::Result}},
      {"arith.negf", {FN(-a), Rule::Sum}},
      {"arith.maximumf", {FN(nan2(a, b, std::fmax(a, b))), Rule::Larger}},
      {"arith.minimumf", {FN(nan2(a, b, std::fmin(a, b))), Rule::Larger}},
      {"arith.maxnumf", {FN(std::fmax(a, b)), Rule::Larger}},
      {"arith.minnumf", {FN(std::fmin(a, b)), Rule::Larger}},
      {"arith.maxsi", {FN(std::fmax(a, b)), Rule::Larger}},
      {"arith.minsi", {FN(std::fmin(a, b)), Rule::Larger}},
      {"arith.andi", {FN(double(int64_t(a) & int64_t(b))), Rule::Result}},
      {"arith.ori", {FN(double(int64_t(a) | int64_t(b))), Rule::Result}},
      {"arith.xori", {FN(double(int64_t(a) ^ int64_t(b))), Rule::Result}},
      {"arith.select", {FN(a != 0 ? b : c), Rule::Larger}},
      {"arith.extf", {FN(a), Rule::Sum}},
      {"arith.truncf", {FN(a), Rule::Sum}},
      {"arith.extsi", {FN(a), Rule::Sum}},
      {"arith.sitofp", {FN(a), Rule::Sum}},
      {"arith.index_cast", {FN(a), Rule::Sum}},
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

/// Negative numbers are above all others.
static double asUnsigned(double a) { return a < 0 ? a + 0x1p64 : a; }

static std::optional<ScalarFunction>
compareInteger(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return ScalarFunction{FN(a == b), Rule::Result};
  case P::ne:
    return ScalarFunction{FN(a != b), Rule::Result};
  case P::slt:
    return ScalarFunction{FN(a < b), Rule::Result};
  case P::sle:
    return ScalarFunction{FN(a <= b), Rule::Result};
  case P::sgt:
    return ScalarFunction{FN(a > b), Rule::Result};
  case P::sge:
    return ScalarFunction{FN(a >= b), Rule::Result};
  case P::ult:
    return ScalarFunction{FN(asUnsigned(a) < asUnsigned(b)), Rule::Result};
  case P::ule:
    return ScalarFunction{FN(asUnsigned(a) <= asUnsigned(b)), Rule::Result};
  case P::ugt:
    return ScalarFunction{FN(asUnsigned(a) > asUnsigned(b)), Rule::Result};
  case P::uge:
    return ScalarFunction{FN(asUnsigned(a) >= asUnsigned(b)), Rule::Result};
  }
  return std::nullopt;
}

std::optional<ScalarFunction> astfe::scalarFunction(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return compareFloat(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compareInteger(compare.getPredicate());
  auto found = functions().find(op->getName().getStringRef());
  if (found == functions().end())
    return std::nullopt;
  return found->second;
}

std::optional<ScalarFunction> astfe::combiner(arith::AtomicRMWKind kind) {
  // Combiners of signed integers are named without the i of their ops.
  StringRef name = arith::stringifyAtomicRMWKind(kind);
  bool signedChoice = name == "maxs" || name == "mins";
  auto found =
      functions().find(("arith." + name + (signedChoice ? "i" : "")).str());
  if (found == functions().end())
    return std::nullopt;
  return found->second;
}

#undef FN

Number ScalarFunction::operator()(Number a, Number b, Number c) const {
  double value = apply(a.value, b.value, c.value);
  switch (rule) {
  case Rule::Sum:
    return {value, a.magnitude + b.magnitude};
  case Rule::Product:
    return {value, a.magnitude * b.magnitude};
  case Rule::Quotient:
    return {value, a.magnitude / std::fabs(b.value)};
  case Rule::Larger:
    return {value, std::max({std::fabs(value), a.magnitude, b.magnitude,
                             c.magnitude})};
  case Rule::MultiplyAdd:
    return {value, a.magnitude * b.magnitude + c.magnitude};
  case Rule::Result:
    return {value, std::fabs(value)};
  }
  llvm_unreachable("a rule that does not exist");
}
