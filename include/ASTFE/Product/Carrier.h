//===- Carrier.h - the C++ type that moves an element ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_CARRIER_H
#define ASTFE_PRODUCT_CARRIER_H

#include "ASTFE/Core/Support/Element.h"
#include <complex>

namespace astfe::product {

/// Calls body(T()) with the type that Core moves elements of this width as:
/// only their bits are moved, whatever they mean. Pairs of floats are as
/// aligned as floats are.
template <typename Body>
void withCarrier(core::Element element, Body body) {
  if (element == core::Element::C64)
    return body(std::complex<float>());
  switch (core::elementBytes(element)) {
  case 1:
    return body(uint8_t());
  case 2:
    return body(uint16_t());
  case 4:
    return body(float());
  case 8:
    return body(double());
  default:
    return body(std::complex<double>());
  }
}

} // namespace astfe::product

#endif // ASTFE_PRODUCT_CARRIER_H
