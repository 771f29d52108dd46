//===- RowTiles.cpp - rows with the same columns, anywhere --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a dense tile becomes when columns are permuted. A list of columns is
// compared with the first row's up to the first difference.
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/Tiles.h"

namespace astfe::core {
namespace {

/// The rows from `row` on that hold exactly its columns, if none comes twice.
Tile find(const ChunkRows &chunk, size_t row) {
  const StoredRow first = chunk.rowAt(row);
  Tile tile{row, row, chunk.firstColumn, first.count()};
  if (tile.width < kTileColumns || tile.width > chunk.maxWidth ||
      !chunk.isDistinct(first))
    return tile;
  const int32_t *column = chunk.nonzeros.column.data();
  for (++tile.end; tile.end < chunk.rows; ++tile.end) {
    const StoredRow next = chunk.rowAt(tile.end);
    if (next.count() != tile.width ||
        !std::equal(column + next.begin, column + next.end,
                    column + first.begin))
      break;
  }
  return tile;
}

Status check(const Packed &packed, size_t span) {
  if (Status status = checkTileRows(packed, span); !status)
    return status;
  const int64_t width = packed.spanWidth[span];
  for (int64_t k = packed.spanSlot[span] + width; k < packed.spanSlot[span + 1];
       ++k)
    if (Status status = checkTileColumn(
            packed, span, k, packed.columnAt(span, size_t(k - width)));
        !status)
      return status;
  return Success{};
}

void walk(SpanWalker &walker, const PlannedSpan &span, int64_t) {
  walker.tile(span, /*implicit=*/false);
}

/// Each row of the dense operand is read once for several rows.
bool pays(const DenseUse &use) { return use.least > 0; }

constexpr BlockClass record() {
  BlockClass blocks;
  blocks.hasWidth = true;
  blocks.find = find;
  blocks.cut = cutTile;
  blocks.check = check;
  blocks.walk = walk;
  blocks.pays = pays;
  return blocks;
}

} // namespace

const BlockClass kRowTilesBlocks = record();

} // namespace astfe::core
