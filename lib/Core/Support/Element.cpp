//===- Element.cpp - the element types ------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Element.h"

namespace astfe::core {
namespace {

constexpr std::string_view kNames[] = {
#define ASTFE_ELEMENT(Name, name, Type) #name,
#include "ASTFE/Core/Support/Elements.def"
};
constexpr int64_t kBytes[] = {
#define ASTFE_ELEMENT(Name, name, Type) sizeof(Type),
#include "ASTFE/Core/Support/Elements.def"
};

} // namespace

NameList elementNames() { return NameList(kNames); }

std::string_view elementName(Element element) {
  return kNames[size_t(element)];
}

std::optional<Element> parseElement(std::string_view name) {
  if (std::optional<size_t> value = elementNames().find(name))
    return Element(*value);
  return std::nullopt;
}

int64_t elementBytes(Element element) { return kBytes[size_t(element)]; }

std::optional<Element> elementOfBits(int64_t bits) {
  for (size_t i = 0; i < std::size(kBytes); ++i)
    if (8 * kBytes[i] == bits)
      return Element(i);
  return std::nullopt;
}

std::string elementBitsText() {
  std::string text;
  for (size_t i = 0; i < std::size(kBytes); ++i)
    text += (i == 0                      ? ""
             : i + 1 < std::size(kBytes) ? ", "
                                         : " or ") +
            std::to_string(8 * kBytes[i]);
  return text;
}

} // namespace astfe::core
