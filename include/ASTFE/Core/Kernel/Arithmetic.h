//===- Arithmetic.h - what products are computed with ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of a product's operands, and the product's semiring. Entries of
// a sparse operand that are not stored take no part: a row without any is
// the identity of the sum, 0 of plus-times and infinity of min-plus.
//
// Worked example: {I8, PlusTimes} multiplies bytes and adds up in i32;
// {F16, PlusTimes} has sums in f32, rounded once to a result in f16; {F32,
// MinPlus} finds shortest paths. Integers wrap around. Complex numbers have
// plus-times only, as the others compare or take bits.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_KERNEL_ARITHMETIC_H
#define ASTFE_CORE_KERNEL_ARITHMETIC_H

#include "ASTFE/Core/Support/Element.h"
#include "ASTFE/Core/Support/Status.h"

namespace astfe::core {

enum class Semiring : uint8_t {
#define ASTFE_SEMIRING(Name, name, What) Name,
#include "ASTFE/Core/Kernel/Semirings.def"
};

NameList semiringNames();
std::string_view semiringName(Semiring semiring);
std::optional<Semiring> parseSemiring(std::string_view name);

struct Arithmetic {
  Element element = Element::F32; ///< of all operands
  Semiring semiring = Semiring::PlusTimes;

  /// The element of results: sums of bytes have 32 bits.
  Element result() const;
  /// Whether the semiring has these elements.
  Status check() const;
  /// Whether no GPU has an atomic instruction that sums results up: rows of
  /// matrices that several workers write want a deterministic layout.
  bool needsPartialRows() const { return elementBytes(result()) < 4; }
  /// "f32", or "f32, min-plus".
  std::string text() const;
};

} // namespace astfe::core

#endif // ASTFE_CORE_KERNEL_ARITHMETIC_H
