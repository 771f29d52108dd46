//===- SlotNonzeros.cpp - which nonzero each slot holds -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/SlotNonzeros.h"
#include "ASTFE/Core/Support/Parallel.h"
#include <algorithm>

namespace astfe::core {

template <typename T>
static Table<T> inverseOf(const Packed &packed, unsigned threads) {
  Table<T> nonzeros(size_t(packed.slots));
  if (packed.slots != packed.nonzeros)
    std::fill(nonzeros.begin(), nonzeros.end(), T(-1));
  constexpr int64_t kPiece = int64_t(1) << 16;
  const int64_t count = packed.nonzeros;
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t piece) {
    const int64_t end = std::min(count, (piece + 1) * kPiece);
    for (int64_t n = piece * kPiece; n < end; ++n)
      nonzeros[size_t(packed.slotOf[size_t(n)])] = T(n);
  });
  return nonzeros;
}

SlotNonzeros slotNonzeros(const Packed &packed, unsigned threads,
                          int64_t mostNarrow) {
  SlotNonzeros made;
  if (packed.isInOrder())
    return made;
  if (packed.nonzeros <= mostNarrow)
    made.narrow = inverseOf<int32_t>(packed, threads);
  else
    made.wide = inverseOf<int64_t>(packed, threads);
  return made;
}

} // namespace astfe::core
