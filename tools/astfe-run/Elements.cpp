//===- Elements.cpp - arrays of a type's elements -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "ElementBits.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace astfe::run {

bool isElement(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return complex.getElementType().isF32() || complex.getElementType().isF64();
  if (type.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                              type.getIntOrFloatBitWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

int64_t partsOf(Type type) { return isa<ComplexType>(type) ? 2 : 1; }

/// The type of a part.
static Type partOf(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

size_t bytesOfElement(Type type) {
  const size_t part =
      type.isIndex() ? 8 : (partOf(type).getIntOrFloatBitWidth() + 7) / 8;
  return size_t(partsOf(type)) * part;
}

static ElementFormat formatOf(Type type) {
  type = partOf(type);
  ElementFormat format{isa<FloatType>(type),
                       type.isIndex() ? 64 : type.getIntOrFloatBitWidth()};
  if (type.isF16())
    format.half = core::HalfFormat::f16();
  if (type.isBF16())
    format.half = core::HalfFormat::bf16();
  return format;
}

int64_t loadInteger(Type type, const void *from, int64_t i) {
  return formatOf(type).loadInteger(from, i);
}

double loadElement(Type type, const void *from, int64_t i, int64_t part) {
  return formatOf(type).load(from, partsOf(type) * i + part);
}

double roundedTo(Type type, double number) {
  return formatOf(type).rounded(number);
}

Elements::Elements(Type type, int64_t count)
    : type(type), count(count), bytes(size_t(count) * bytesOfElement(type)) {}

void Elements::set(int64_t i, double number, int64_t part) {
  formatOf(type).store(bytes.data(), partsOf(type) * i + part, number);
}

void Elements::setInteger(int64_t i, int64_t number) {
  std::memcpy(bytes.data() + size_t(i) * sizeof(number), &number,
              sizeof(number));
}

std::vector<double> Elements::imaginaries() const {
  std::vector<double> parts;
  for (int64_t i = 0; type && isa<ComplexType>(type) && i < count; ++i)
    parts.push_back(at(i, 1));
  return parts;
}

Elements Elements::random(Type type, int64_t count, uint64_t seed) {
  Elements elements(type, count);
  const int64_t parts = partsOf(type);
  const Dense numbers = Dense::random(
      count * parts, 1,
      partOf(type).isF64() ? core::Element::F64 : core::Element::F32, seed);
  for (int64_t i = 0; i < count * parts; ++i) {
    const double number = numbers.at(i);
    elements.set(i / parts,
                 isa<FloatType, ComplexType>(type) ? number
                 : type.isInteger(1)               ? number >= 0
                                                   : std::floor(8 * number),
                 i % parts);
  }
  return elements;
}

} // namespace astfe::run
