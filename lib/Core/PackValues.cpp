//===- PackValues.cpp - values into packed order and back -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack.h"
#include <algorithm>

namespace astfe::core {

template <typename T>
static void gather(const Packed &packed, const T *source, T *result) {
  if (packed.slotOf.empty()) {
    std::copy_n(source, packed.nonzeros, result);
    return;
  }
  if (packed.slots != packed.nonzeros)
    std::fill_n(result, packed.slots, T(0));
  for (int64_t n = 0; n < packed.nonzeros; ++n)
    result[packed.slotOf[size_t(n)]] = source[n];
}

template <typename T>
static void scatter(const Packed &packed, const T *source, T *result) {
  if (packed.slotOf.empty()) {
    std::copy_n(source, packed.nonzeros, result);
    return;
  }
  for (int64_t n = 0; n < packed.nonzeros; ++n)
    result[n] = source[packed.slotOf[size_t(n)]];
}

void gatherValues(const Packed &packed, const float *source, float *result) {
  gather(packed, source, result);
}
void gatherValues(const Packed &packed, const double *source, double *result) {
  gather(packed, source, result);
}
void scatterValues(const Packed &packed, const float *source, float *result) {
  scatter(packed, source, result);
}
void scatterValues(const Packed &packed, const double *source, double *result) {
  scatter(packed, source, result);
}

} // namespace astfe::core
