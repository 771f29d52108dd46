//===- Tiles.h - what all tiles have in common --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_CLASSES_TILES_H
#define ASTFE_LIB_CORE_PACK_CLASSES_TILES_H

#include "Pack/Classes/ChunkRows.h"
#include "Pack/Classes/SpanWalker.h"
#include "Pack/SpanCutter.h"

namespace astfe::core {

/// Whole rows stay a tile; the parts of rows at both ends are stored by rows,
/// or nonzero by nonzero.
void cutTile(SpanCutter &cutter, SegmentClass kind, int64_t begin, int64_t end);
/// All segments have spanWidth slots.
Status checkTileRows(const Packed &packed, size_t span);
/// Slot `k` of a tile has that column.
Status checkTileColumn(const Packed &packed, size_t span, int64_t k,
                       int64_t column);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_CLASSES_TILES_H
