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

using namespace mlir;

namespace astfe::run {

bool isElement(Type type) {
  if (type.isSignlessInteger())
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                              type.getIntOrFloatBitWidth());
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

size_t bytesOfElement(Type type) {
  return type.isIndex() ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

static ElementFormat formatOf(Type type) {
  auto floats = dyn_cast<FloatType>(type);
  return {floats ? &floats.getFloatSemantics() : nullptr,
          type.isIndex() ? 64 : type.getIntOrFloatBitWidth()};
}

int64_t loadInteger(Type type, const void *from, int64_t i) {
  return formatOf(type).loadInteger(from, i);
}

double loadElement(Type type, const void *from, int64_t i) {
  return formatOf(type).load(from, i);
}

double roundedTo(Type type, double number) {
  return formatOf(type).rounded(number);
}

bool canHold(Type type, double number) {
  return formatOf(type).canHold(number);
}

Elements::Elements(Type type, int64_t count)
    : type(type), count(count), bytes(size_t(count) * bytesOfElement(type)) {}

void Elements::set(int64_t i, double number) {
  formatOf(type).store(bytes.data(), i, number);
}

Elements Elements::random(Type type, int64_t count, uint64_t seed) {
  Elements elements(type, count);
  const Dense numbers = Dense::random(
      count, 1, type.isF64() ? core::Element::F64 : core::Element::F32, seed);
  for (int64_t i = 0; i < count; ++i) {
    const double number = numbers.at(i);
    elements.set(i, isa<FloatType>(type) ? number
                    : type.isInteger(1)  ? number >= 0
                                         : std::floor(8 * number));
  }
  return elements;
}

} // namespace astfe::run
