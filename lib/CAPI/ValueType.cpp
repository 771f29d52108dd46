//===- ValueType.cpp - types and semirings as callers say them ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueType.h"

using namespace astfe;

static_assert(ASTFE_PLUS_TIMES == int(core::Semiring::PlusTimes) &&
              ASTFE_MIN_PLUS == int(core::Semiring::MinPlus) &&
              ASTFE_MAX_PLUS == int(core::Semiring::MaxPlus) &&
              ASTFE_MAX_TIMES == int(core::Semiring::MaxTimes) &&
              ASTFE_OR_AND == int(core::Semiring::OrAnd));

static std::optional<core::Element> elementOf(int32_t valueType) {
  switch (valueType) {
#define ASTFE_ELEMENT(Name, name, Type)                                        \
  case ASTFE_##Name:                                                           \
    return core::Element::Name;
#define ASTFE_HOST_ELEMENT(Name, name, Type) ASTFE_ELEMENT(Name, name, Type)
#include "ASTFE/Core/Support/Elements.def"
  default:
    return std::nullopt;
  }
}

core::Result<core::Arithmetic> capi::arithmeticOf(int32_t valueType,
                                                  int32_t semiring) {
  const std::optional<core::Element> element = elementOf(valueType);
  if (!element)
    return core::Error{"values: expected an AstfeValueType (" +
                       core::elementNames().text() + ") but got " +
                       std::to_string(valueType)};
  if (semiring < 0 || semiring >= int32_t(core::semiringNames().size()))
    return core::Error{"expected an AstfeSemiring (" +
                       core::semiringNames().text() + ") but got " +
                       std::to_string(semiring)};
  const core::Arithmetic arithmetic{*element, core::Semiring(semiring)};
  if (auto status = arithmetic.check(); !status)
    return status.error();
  return arithmetic;
}

core::Result<core::Element> capi::chainElement(int32_t valueType) {
  const std::optional<core::Element> element = elementOf(valueType);
  if (!element || !core::isFloat(*element))
    return core::Error{"values: expected ASTFE_F16, ASTFE_BF16, ASTFE_F32 or "
                       "ASTFE_F64 but got " +
                       std::to_string(valueType)};
  return *element;
}
