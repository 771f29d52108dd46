//===- PackValues.cpp - values into packed order and back -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Pack.h"
#include "Pack/Pieces.h"
#include <algorithm>

namespace astfe::core {

/// Copies `count` values, piece by piece.
template <typename T>
static void copyValues(int64_t count, const T *source, T *result,
                       unsigned threads) {
  forPieces(count, threads, [&](int64_t begin, int64_t end) {
    std::copy(source + begin, source + end, result + begin);
  });
}

template <typename T>
static void gather(const Packed &packed, const T *source, T *result,
                   unsigned threads) {
  if (packed.isInOrder()) {
    copyValues(packed.nonzeros, source, result, threads);
    return;
  }
  if (packed.slots != packed.nonzeros)
    std::fill_n(result, packed.slots, T(0));
  const int64_t *slotOf = packed.slotOf.data();
  forPieces(packed.nonzeros, threads, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n)
      result[slotOf[n]] = source[n];
  });
}

template <typename T>
static void scatter(const Packed &packed, const T *source, T *result,
                    unsigned threads) {
  if (packed.isInOrder()) {
    copyValues(packed.nonzeros, source, result, threads);
    return;
  }
  const int64_t *slotOf = packed.slotOf.data();
  forPieces(packed.nonzeros, threads, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n)
      result[n] = source[slotOf[n]];
  });
}

#define ASTFE_VALUES(T)                                                        \
  void packValues(const Packed &packed, const T *source, T *result,            \
                  unsigned threads) {                                          \
    gather(packed, source, result, threads);                                   \
  }                                                                            \
  void unpackValues(const Packed &packed, const T *source, T *result,          \
                    unsigned threads) {                                        \
    scatter(packed, source, result, threads);                                  \
  }
ASTFE_VALUES(uint8_t)
ASTFE_VALUES(uint16_t)
ASTFE_VALUES(float)
ASTFE_VALUES(double)
ASTFE_VALUES(std::complex<float>)
ASTFE_VALUES(std::complex<double>)
#undef ASTFE_VALUES

} // namespace astfe::core
