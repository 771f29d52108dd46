//===- Tiles.cpp - what all tiles have in common ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/Tiles.h"

namespace astfe::core {

void cutTile(SpanCutter &cutter, SegmentClass kind, int64_t begin,
             int64_t end) {
  const int64_t firstSlot = cutter.firstSlot(), width = cutter.planned().width;
  const int64_t wholeBegin =
      firstSlot + (begin - firstSlot + width - 1) / width * width;
  const int64_t wholeEnd = firstSlot + (end - firstSlot) / width * width;
  if (wholeBegin >= wholeEnd)
    return cutter.emitPartsOfRows(begin, end);
  cutter.emitPartsOfRows(begin, wholeBegin);
  cutter.cutByLimit(kind, wholeBegin, wholeEnd);
  cutter.emitPartsOfRows(wholeEnd, end);
}

Status checkTileRows(const Packed &packed, size_t span) {
  int64_t begin = 0;
  for (int64_t g = packed.spanSegment[span]; g < packed.spanSegment[span + 1];
       ++g) {
    const int64_t end = packed.segmentEnd[size_t(g)];
    if (end - begin != packed.spanWidth[span])
      return Error{"expected segment " + std::to_string(g) +
                   " of a tile to have slots " +
                   std::to_string(packed.spanWidth[span]) + " but got " +
                   std::to_string(end - begin)};
    begin = end;
  }
  return Success{};
}

Status checkTileColumn(const Packed &packed, size_t span, int64_t k,
                       int64_t column) {
  const int64_t stored = packed.columnAt(span, size_t(k));
  if (stored == column)
    return Success{};
  return Error{"expected the column of slot " + std::to_string(k) +
               " of a tile to be " + std::to_string(column) + " but got " +
               std::to_string(stored)};
}

} // namespace astfe::core
