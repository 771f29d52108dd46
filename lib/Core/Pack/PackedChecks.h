//===- PackedChecks.h - what a packed pattern promises -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed::check proves every sentence of Packed.h's comment, so that a kernel
// which trusts the tables of a checked pattern stays inside all of its arrays.
// The tables come first, then who writes which row.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_PACKEDCHECKS_H
#define ASTFE_LIB_CORE_PACK_PACKEDCHECKS_H

#include "ASTFE/Core/Pack/Packed.h"

namespace astfe::core {

/// Rows that several workers write, their partials, which segment of a worker
/// writes a row first, and the rows that none writes. The tables are sound but
/// for these.
Status checkWrittenRows(const Packed &packed);

/// The row of an entry of segmentRow: ~row if several workers write it.
inline int32_t rowOf(int32_t entry) { return entry < 0 ? ~entry : entry; }

/// "expected WHAT EXPECTED but got GOT".
Error unexpected(const std::string &what, int64_t expected, int64_t got);
/// "spanSlot[3]".
std::string at(const char *table, int64_t index);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_PACKEDCHECKS_H
