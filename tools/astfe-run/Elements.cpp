//===- Elements.cpp - arrays of a type's elements -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>

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

/// Little-endian, as all hosts that code is compiled for.
static uint64_t loadBits(Type type, const void *from, int64_t i) {
  const size_t bytes = bytesOfElement(type);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(from) + size_t(i) * bytes,
              bytes);
  return bits;
}

static llvm::APFloat asFloat(Type type, uint64_t bits) {
  auto floats = cast<FloatType>(type);
  return llvm::APFloat(floats.getFloatSemantics(),
                       llvm::APInt(floats.getWidth(), bits));
}

int64_t loadInteger(Type type, const void *from, int64_t i) {
  const uint64_t bits = loadBits(type, from, i);
  if (type.isInteger(1))
    return bits & 1;
  const unsigned unused = 64 - unsigned(8 * bytesOfElement(type));
  return int64_t(bits << unused) >> unused;
}

double loadElement(Type type, const void *from, int64_t i) {
  if (!isa<FloatType>(type))
    return double(loadInteger(type, from, i));
  double number = 0;
  float narrow = 0;
  const uint64_t bits = loadBits(type, from, i);
  if (type.isF64()) {
    std::memcpy(&number, &bits, sizeof(number));
    return number;
  }
  if (!type.isF32())
    return asFloat(type, bits).convertToDouble();
  std::memcpy(&narrow, &bits, sizeof(narrow));
  return narrow;
}

/// The bits of the nearest element.
static uint64_t bitsOf(Type type, double number) {
  if (type.isInteger(1))
    return number != 0;
  if (!isa<FloatType>(type))
    return uint64_t(int64_t(number));
  llvm::APFloat value(number);
  bool loses = false;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

double roundedTo(Type type, double number) {
  const uint64_t bits = bitsOf(type, number);
  return loadElement(type, &bits);
}

bool canHold(Type type, double number) {
  if (isa<FloatType>(type) || type.isInteger(1))
    return true;
  const double limit = std::ldexp(1, int(type.getIntOrFloatBitWidth()) - 1);
  return number >= -limit && number < limit && number == std::trunc(number);
}

Elements::Elements(Type type, int64_t count)
    : type(type), count(count), bytes(size_t(count) * bytesOfElement(type)) {}

void Elements::set(int64_t i, double number) {
  const uint64_t bits = bitsOf(type, number);
  const size_t width = bytesOfElement(type);
  std::memcpy(bytes.data() + size_t(i) * width, &bits, width);
}

Elements Elements::random(Type type, int64_t count, uint64_t seed) {
  Elements elements(type, count);
  const Dense numbers = Dense::random(count, 1, type.isF64(), seed);
  for (int64_t i = 0; i < count; ++i) {
    const double number = numbers.at(i);
    elements.set(i, isa<FloatType>(type) ? number
                    : type.isInteger(1)  ? number >= 0
                                         : std::floor(8 * number));
  }
  return elements;
}

} // namespace astfe::run
