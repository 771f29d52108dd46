//===- Half.h - numbers in 16 bits ----------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 has 5 bits of exponent and 10 of fraction, bf16 8 and 7.
//
// Worked example: 0x3c01 is 1 + 2^-10 of f16, and 1 + 2^-11, which lies halfway
// between it and 1, is rounded to the even one, 1.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_HALF_H
#define ASTFE_CORE_SUPPORT_HALF_H

#include <cstdint>

namespace astfe::core {

/// A format of 16 bits, by its bits of fraction and exponent's bias.
struct HalfFormat {
  int fraction, bias;

  static constexpr HalfFormat f16() { return {10, 15}; }
  static constexpr HalfFormat bf16() { return {7, 127}; }

  double load(uint16_t bits) const;
  /// The nearest one, of two the even one; infinity beyond the largest.
  uint16_t store(double number) const;
};

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_HALF_H
