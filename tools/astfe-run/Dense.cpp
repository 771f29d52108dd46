//===- Dense.cpp - a dense operand or result ------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dense.h"
#include "ElementBits.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace astfe::run {

Dense Dense::zero(int64_t rows, int64_t columns, core::Element element) {
  Dense d;
  d.rows = rows;
  d.columns = columns;
  d.element = element;
  d.bytes.assign(size_t(rows * columns * core::elementBytes(element)), 0);
  return d;
}

/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
static uint64_t splitMix(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

Dense Dense::random(int64_t rows, int64_t columns, core::Element element,
                    uint64_t seed) {
  Dense d = zero(rows, columns, element);
  for (int64_t i = 0, n = d.size(); i < n; ++i)
    for (int64_t part = 0; part < d.parts(); ++part) {
      const double x = double(splitMix(seed) >> 40) * 0x1p-23 - 1;
      d.set(i, core::isInteger(element) ? std::floor(8 * x) : x, part);
    }
  return d;
}

void Dense::fill(uint32_t word) {
  for (size_t i = 0; i < bytes.size(); i += sizeof(word))
    std::memcpy(bytes.data() + i, &word,
                std::min(sizeof(word), bytes.size() - i));
}

double Dense::otherAt(int64_t i, int64_t part) const {
  return ElementFormat::of(element).load(data(), i * parts() + part);
}

int64_t Dense::integerAt(int64_t i) const {
  return ElementFormat::of(element).loadInteger(data(), i);
}

void Dense::set(int64_t i, double number, int64_t part) {
  switch (element) {
  case core::Element::F32:
    as<float>()[i] = float(number);
    return;
  case core::Element::F64:
    as<double>()[i] = number;
    return;
  default:
    ElementFormat::of(element).store(data(), i * parts() + part, number);
  }
}

} // namespace astfe::run
