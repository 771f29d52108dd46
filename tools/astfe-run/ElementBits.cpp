//===- ElementBits.cpp - elements in memory, as numbers -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"
#include <cmath>
#include <cstring>

namespace astfe::run {

static const llvm::fltSemantics *semanticsOf(core::Element element) {
  switch (element) {
  case core::Element::F16:
    return &llvm::APFloat::IEEEhalf();
  case core::Element::BF16:
    return &llvm::APFloat::BFloat();
  case core::Element::F32:
  case core::Element::C64:
    return &llvm::APFloat::IEEEsingle();
  case core::Element::F64:
  case core::Element::C128:
    return &llvm::APFloat::IEEEdouble();
  default:
    return nullptr;
  }
}

ElementFormat ElementFormat::of(core::Element element) {
  const auto bits = unsigned(8 * core::elementBytes(element));
  return {semanticsOf(element), core::isComplex(element) ? bits / 2 : bits};
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
  if (!floats)
    return double(loadInteger(from, i));
  double number = 0;
  float narrow = 0;
  const uint64_t stored = loadBits(from, i, bytes());
  if (bits == 64) {
    std::memcpy(&number, &stored, sizeof(number));
    return number;
  }
  if (bits == 16)
    return llvm::APFloat(*floats, llvm::APInt(16, stored)).convertToDouble();
  std::memcpy(&narrow, &stored, sizeof(narrow));
  return narrow;
}

uint64_t ElementFormat::bitsOf(double number) const {
  if (bits == 1)
    return number != 0;
  if (!floats)
    return uint64_t(int64_t(number));
  llvm::APFloat value(number);
  bool loses = false;
  value.convert(*floats, llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.bitcastToAPInt().getZExtValue();
}

void ElementFormat::store(void *to, int64_t i, double number) const {
  const uint64_t stored = bitsOf(number);
  std::memcpy(static_cast<char *>(to) + size_t(i) * bytes(), &stored, bytes());
}

bool ElementFormat::canHold(double number) const {
  if (floats || bits == 1)
    return true;
  const double limit = std::ldexp(1, int(bits) - 1);
  return number >= -limit && number < limit && number == std::trunc(number);
}

} // namespace astfe::run
