//===- Packed.cpp - what the tables of a packed pattern say ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Packed.h"

namespace astfe::core {

int64_t Packed::columnAt(size_t span, size_t slot) const {
  switch (layout.columnBits) {
  case 8:
    return spanColumn[span] + columns8[slot];
  case 16:
    return spanColumn[span] + columns16[slot];
  default:
    return columns32[slot];
  }
}

ClassSet Packed::classes() const {
  ClassSet found;
  for (int32_t kind : spanClass)
    found = found.with(SegmentClass(kind));
  return found;
}

std::vector<int64_t> Packed::workerOffsets() const {
  std::vector<int64_t> offsets;
  offsets.reserve(workerSpan.size());
  for (int64_t span : workerSpan)
    offsets.push_back(spanSlot[size_t(span)]);
  return offsets;
}

} // namespace astfe::core
