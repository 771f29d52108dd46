//===- Half.cpp - numbers in 16 bits --------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Half.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace astfe::core {

double HalfFormat::load(uint16_t bits) const {
  const int most = 2 * bias + 1, exponent = (bits >> fraction) & most;
  const int rest = bits & ((1 << fraction) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == most)
    return rest ? std::numeric_limits<double>::quiet_NaN()
                : sign * std::numeric_limits<double>::infinity();
  // Below the least normal number there is no hidden bit.
  const int hidden = exponent ? 1 << fraction : 0;
  return sign *
         std::ldexp(rest + hidden, std::max(exponent, 1) - bias - fraction);
}

uint16_t HalfFormat::store(double number) const {
  const uint16_t sign = std::signbit(number) ? 0x8000 : 0;
  const int infinity = (2 * bias + 1) << fraction;
  if (std::isnan(number))
    return uint16_t(sign | infinity | 1 << (fraction - 1));
  const double size = std::fabs(number);
  if (size == 0)
    return sign;
  if (std::isinf(size))
    return uint16_t(sign | infinity);
  int exponent = 0;
  std::frexp(size, &exponent);
  // Of the last bit.
  const int unit = std::max(exponent - 1, 1 - bias) - fraction;
  if (unit + bias + fraction > 2 * bias)
    return uint16_t(sign | infinity);
  const auto units = int(std::nearbyint(std::ldexp(size, -unit)));
  // The hidden bit adds one to the exponent, as a carry into it does.
  const int bits = ((unit + bias + fraction - 1) << fraction) + units;
  return uint16_t(sign | std::min(bits, infinity));
}

} // namespace astfe::core
