//===- Element.cpp - the element types ------------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Element.h"
#include <complex>

namespace astfe::core {
namespace {

constexpr std::string_view kNames[] = {
#define ASTFE_ELEMENT(Name, name, Type) #name,
#define ASTFE_HOST_ELEMENT(Name, name, Type) #name,
#include "ASTFE/Core/Support/Elements.def"
};
constexpr int64_t kBytes[] = {
#define ASTFE_ELEMENT(Name, name, Type) sizeof(Type),
#define ASTFE_HOST_ELEMENT(Name, name, Type) sizeof(Type),
#include "ASTFE/Core/Support/Elements.def"
};
constexpr std::string_view kGPUNames[] = {
#define ASTFE_ELEMENT(Name, name, Type) #name,
#include "ASTFE/Core/Support/Elements.def"
};

} // namespace

NameList elementNames() { return NameList(kNames); }
NameList gpuElementNames() { return NameList(kGPUNames); }

std::string_view elementName(Element element) {
  return kNames[size_t(element)];
}

std::optional<Element> parseElement(std::string_view name) {
  if (std::optional<size_t> value = elementNames().find(name))
    return Element(*value);
  return std::nullopt;
}

int64_t elementBytes(Element element) { return kBytes[size_t(element)]; }

bool isInteger(Element element) { return elementName(element).front() == 'i'; }

bool isComplex(Element element) { return elementName(element).front() == 'c'; }

bool isFloat(Element element) {
  return !isInteger(element) && !isComplex(element);
}

bool isHalf(Element element) {
  return isFloat(element) && elementBytes(element) == 2;
}

bool isOnGPU(Element element) { return size_t(element) < std::size(kGPUNames); }

} // namespace astfe::core
