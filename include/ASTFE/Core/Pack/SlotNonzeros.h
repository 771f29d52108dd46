//===- SlotNonzeros.h - which nonzero each slot holds -----------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of slotOf: a kernel that computes in slots writes what it makes
// for each nonzero where that nonzero is.
//
// Worked example: slotOf 2 0 3, four slots, of which a zero-filled tile has one
//   narrow 1 -1 0 2
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_SLOTNONZEROS_H
#define ASTFE_CORE_PACK_SLOTNONZEROS_H

#include "ASTFE/Core/Pack/Packed.h"
#include <limits>

namespace astfe::core {

/// One of the two has an entry for each slot, -1 where it holds no nonzero;
/// none has where slots are in the order of the nonzeros.
struct SlotNonzeros {
  Table<int32_t> narrow;
  Table<int64_t> wide;
};

/// Narrow for up to `mostNarrow` nonzeros. O(slots).
SlotNonzeros
slotNonzeros(const Packed &packed, unsigned threads,
             int64_t mostNarrow = std::numeric_limits<int32_t>::max());

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_SLOTNONZEROS_H
