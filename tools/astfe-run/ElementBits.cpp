//===- ElementBits.cpp - elements in memory, as numbers -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"
#include <cstring>

namespace astfe::run {

ElementFormat ElementFormat::of(core::Element element) {
  const auto bits = unsigned(8 * core::elementBytes(element));
  if (core::isHalf(element))
    return {/*isFloat=*/true, bits,
            element == core::Element::F16 ? core::HalfFormat::f16()
                                          : core::HalfFormat::bf16()};
  return {!core::isInteger(element),
          core::isComplex(element) ? bits / 2 : bits};
}

/// Little-endian, as all hosts that code is compiled for.
static uint64_t loadBits(const void *from, int64_t i, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(from) + size_t(i) * bytes,
              bytes);
  return bits;
}

int64_t ElementFormat::loadInteger(const void *from, int64_t i) const {
  const uint64_t stored = loadBits(from, i, bytes());
  if (bits == 1)
    return stored & 1;
  const unsigned unused = 64 - unsigned(8 * bytes());
  return int64_t(stored << unused) >> unused;
}

double ElementFormat::load(const void *from, int64_t i) const {
  if (!isFloat)
    return double(loadInteger(from, i));
  double number = 0;
  float narrow = 0;
  const uint64_t stored = loadBits(from, i, bytes());
  if (bits == 64) {
    std::memcpy(&number, &stored, sizeof(number));
    return number;
  }
  if (half)
    return half->load(uint16_t(stored));
  std::memcpy(&narrow, &stored, sizeof(narrow));
  return narrow;
}

uint64_t ElementFormat::bitsOf(double number) const {
  if (bits == 1)
    return number != 0;
  if (!isFloat)
    return uint64_t(int64_t(number));
  if (half)
    return half->store(number);
  uint64_t stored = 0;
  const auto narrow = float(number);
  if (bits == 64)
    std::memcpy(&stored, &number, sizeof(number));
  else
    std::memcpy(&stored, &narrow, sizeof(narrow));
  return stored;
}

void ElementFormat::store(void *to, int64_t i, double number) const {
  const uint64_t stored = bitsOf(number);
  std::memcpy(static_cast<char *>(to) + size_t(i) * bytes(), &stored, bytes());
}

} // namespace astfe::run
