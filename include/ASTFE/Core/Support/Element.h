//===- Element.h - the element types --------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_ELEMENT_H
#define ASTFE_CORE_SUPPORT_ELEMENT_H

#include "ASTFE/Core/Support/NameList.h"
#include <cstdint>

namespace astfe::core {

/// What values are packed and computed with (Elements.def).
enum class Element : uint8_t {
#define ASTFE_ELEMENT(Name, name, Type) Name,
#include "ASTFE/Core/Support/Elements.def"
};

/// "f32 or f64", as text.
NameList elementNames();
std::string_view elementName(Element element);
std::optional<Element> parseElement(std::string_view name);

int64_t elementBytes(Element element);
/// The element of so many bits; none has two of one width.
std::optional<Element> elementOfBits(int64_t bits);
/// "32 or 64".
std::string elementBitsText();

inline Element realElement(bool isDouble) {
  return isDouble ? Element::F64 : Element::F32;
}

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_ELEMENT_H
