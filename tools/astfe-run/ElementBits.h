//===- ElementBits.h - elements in memory, as numbers -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_TOOLS_RUN_ELEMENTBITS_H
#define ASTFE_TOOLS_RUN_ELEMENTBITS_H

#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/Half.h"
#include <optional>

namespace astfe::run {

/// How an element is stored: a float, or a signed integer of so many bits (of
/// one bit, a byte that is 0 or 1).
struct ElementFormat {
  bool isFloat = false;
  unsigned bits = 32;
  std::optional<core::HalfFormat> half = {}; ///< of floats of 16 bits

  /// Of a complex element that of its parts.
  static ElementFormat of(core::Element element);

  size_t bytes() const { return (bits + 7) / 8; }
  /// Element `i` of an array.
  double load(const void *from, int64_t i) const;
  /// The same of integers, exactly.
  int64_t loadInteger(const void *from, int64_t i) const;
  /// The bits of the nearest element.
  uint64_t bitsOf(double number) const;
  void store(void *to, int64_t i, double number) const;
  /// The number that the nearest element is.
  double rounded(double number) const {
    const uint64_t nearest = bitsOf(number);
    return load(&nearest, 0);
  }
};

} // namespace astfe::run

#endif // ASTFE_TOOLS_RUN_ELEMENTBITS_H
