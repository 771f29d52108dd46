//===- BodyText.cpp - the ops of an arithmetic, as MLIR -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Compiler/BodyText.h"
#include <cstdio>

using namespace astfe;
using core::Element;
using core::Semiring;

/// Positive or negative infinity, or the largest or least integer.
static std::string extreme(Element element, bool isLargest) {
  const int64_t bits = 8 * core::elementBytes(element);
  if (core::isInteger(element)) {
    const auto largest = int64_t(~uint64_t(0) >> (65 - bits));
    return std::to_string(isLargest ? largest : -largest - 1);
  }
  const int64_t exponentBits = element == Element::F64   ? 11
                               : element == Element::F16 ? 5
                                                         : 8;
  const uint64_t exponent = ((uint64_t(1) << exponentBits) - 1)
                            << (bits - 1 - exponentBits);
  char text[32];
  std::snprintf(
      text, sizeof(text), "0x%0*llX", int(bits / 4),
      (unsigned long long)(exponent | uint64_t(!isLargest) << (bits - 1)));
  return text;
}

std::string compiler::typeText(Element element) {
  switch (element) {
  case Element::C64:
    return "complex<f32>";
  case Element::C128:
    return "complex<f64>";
  default:
    return std::string(core::elementName(element));
  }
}

compiler::SemiringOps compiler::opsOf(const core::Arithmetic &arithmetic) {
  const Element element = arithmetic.result();
  if (core::isComplex(element)) {
    const std::string zero =
        element == Element::C64 ? "0.0 : f32" : "0.0 : f64";
    return {"complex.mul", "complex.add", "addf",
            "complex.constant [" + zero + ", " + zero + "]"};
  }
  const bool isInteger = core::isInteger(element);
  const std::string constant = "arith.constant ";
  const std::string add = isInteger ? "addi" : "addf",
                    multiply = isInteger ? "arith.muli" : "arith.mulf";
  auto least = [&](const std::string &times) {
    return SemiringOps{times, isInteger ? "arith.minsi" : "arith.minimumf",
                       isInteger ? "mins" : "minimumf",
                       constant + extreme(element, /*isLargest=*/true)};
  };
  auto largest = [&](const std::string &times) {
    return SemiringOps{times, isInteger ? "arith.maxsi" : "arith.maximumf",
                       isInteger ? "maxs" : "maximumf",
                       constant + extreme(element, /*isLargest=*/false)};
  };
  switch (arithmetic.semiring) {
  case Semiring::PlusTimes:
    return {multiply, "arith." + add, add,
            constant + (isInteger ? "0" : "0.0")};
  case Semiring::MinPlus:
    return least("arith." + add);
  case Semiring::MaxPlus:
    return largest("arith." + add);
  case Semiring::MaxTimes:
    return largest(multiply);
  case Semiring::OrAnd:
    return {"arith.andi", "arith.ori", "ori", constant + "0"};
  }
  return {};
}

compiler::ProductText
compiler::productText(const core::Arithmetic &arithmetic,
                      const std::vector<std::string> &factors,
                      const std::string &indent) {
  const std::string from = typeText(arithmetic.element),
                    to = typeText(arithmetic.result()),
                    times = opsOf(arithmetic).times;
  std::string lines;
  auto widened = [&](const std::string &factor) {
    if (from == to)
      return factor;
    const std::string wide = factor + "_wide";
    lines += indent + wide + " = arith.extsi " + factor + " : " + from +
             " to " + to + "\n";
    return wide;
  };
  std::string product = widened(factors.front());
  for (size_t i = 1; i < factors.size(); ++i) {
    const std::string factor = widened(factors[i]),
                      next = "%product" + std::to_string(i);
    lines += indent + next + " = " + times + " " + product + ", " + factor +
             " : " + to + "\n";
    product = next;
  }
  return {lines, product};
}
