//===- Arithmetic.cpp - what products are computed with -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Arithmetic.h"

namespace astfe::core {

static constexpr std::string_view kNames[] = {
#define ASTFE_SEMIRING(Name, name, What) #name,
#include "ASTFE/Core/Kernel/Semirings.def"
};

NameList semiringNames() { return NameList(kNames); }

std::string_view semiringName(Semiring semiring) {
  return kNames[size_t(semiring)];
}

std::optional<Semiring> parseSemiring(std::string_view name) {
  if (std::optional<size_t> value = semiringNames().find(name))
    return Semiring(*value);
  return std::nullopt;
}

Element Arithmetic::result() const {
  return element == Element::I8 && semiring == Semiring::PlusTimes
             ? Element::I32
             : element;
}

Status Arithmetic::check() const {
  if (semiring == Semiring::OrAnd && !isInteger(element))
    return Error{"expected integers for " +
                 std::string(semiringName(semiring)) + " but got " +
                 std::string(elementName(element))};
  if (semiring != Semiring::PlusTimes && isComplex(element))
    return Error{"expected real numbers for " +
                 std::string(semiringName(semiring)) + " but got " +
                 std::string(elementName(element))};
  return Success();
}

std::string Arithmetic::text() const {
  std::string text(elementName(element));
  if (semiring != Semiring::PlusTimes)
    text += ", " + std::string(semiringName(semiring));
  return text;
}

} // namespace astfe::core
