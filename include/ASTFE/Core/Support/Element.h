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
#define ASTFE_HOST_ELEMENT(Name, name, Type) Name,
#include "ASTFE/Core/Support/Elements.def"
};

/// All of them.
NameList elementNames();
/// Those that saved kernels of a GPU have: "f32 or f64", as text.
NameList gpuElementNames();
std::string_view elementName(Element element);
std::optional<Element> parseElement(std::string_view name);

int64_t elementBytes(Element element);
bool isInteger(Element element);
/// A pair of floats, whose width is half of the element's.
bool isComplex(Element element);
/// f16, bf16, f32 or f64.
bool isFloat(Element element);
/// f16 or bf16: sums are kept in f32, and rounded once.
bool isHalf(Element element);
/// Whether saved kernels of a GPU have it.
bool isOnGPU(Element element);

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_ELEMENT_H
