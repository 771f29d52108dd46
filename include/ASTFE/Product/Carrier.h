//===- Carrier.h - the C++ type that moves an element ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_PRODUCT_CARRIER_H
#define ASTFE_PRODUCT_CARRIER_H

#include "ASTFE/Core/Support/Element.h"

namespace astfe::product {

/// Calls body(T()) with the type that Core moves elements of this width as:
/// only their bits are moved, whatever they mean.
template <typename Body>
void withCarrier(core::Element element, Body body) {
  switch (core::elementBytes(element)) {
  case 1:
    return body(uint8_t());
  case 2:
    return body(uint16_t());
  case 4:
    return body(float());
  default:
    return body(double());
  }
}

} // namespace astfe::product

#endif // ASTFE_PRODUCT_CARRIER_H
