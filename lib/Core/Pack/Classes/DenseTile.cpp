//===- DenseTile.cpp - rows with the same consecutive columns -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At least kTileRows stored rows in a row that all cover the same kTileColumns
// or more consecutive columns, or kOneColumnTile where slices may have them. A
// tile is full, unless dense operands are finite: then three quarters will do,
// and the other slots hold 0.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/Tiles.h"

namespace astfe::core {
namespace {

/// Every column from the first to the last, once.
bool isFull(const ChunkRows &chunk, const StoredRow &run) {
  return int64_t(run.last) - run.first + 1 == run.count() &&
         chunk.isDistinct(run);
}

/// The rows from `row` on that hold exactly its columns, if it is full.
Tile fullTileAt(const ChunkRows &chunk, size_t row) {
  const StoredRow first = chunk.rowAt(row);
  Tile tile{row, row, first.first, first.count()};
  if (tile.width < chunk.leastDenseWidth() || tile.width > chunk.maxWidth ||
      !isFull(chunk, first))
    return tile;
  for (++tile.end; tile.end < chunk.rows; ++tile.end) {
    const StoredRow next = chunk.rowAt(tile.end);
    if (next.first != first.first || next.last != first.last ||
        !isFull(chunk, next))
      break;
  }
  return tile;
}

/// The rows from `row` on that fill their common columns to three quarters.
/// The first kTileRows of them are only judged together.
Tile filledTileAt(const ChunkRows &chunk, size_t row) {
  const StoredRow first = chunk.rowAt(row);
  Tile tile{row, row, first.first, 0};
  int64_t last = first.last, count = 0;
  for (; tile.end < chunk.rows; ++tile.end) {
    const StoredRow next = chunk.rowAt(tile.end);
    if (!chunk.isDistinct(next))
      break;
    int64_t column = std::min<int64_t>(tile.column, next.first);
    int64_t width = std::max<int64_t>(last, next.last) - column + 1;
    size_t height = tile.end - row + 1;
    int64_t slots = int64_t(height) * width;
    bool sparse = count + next.count() < slots - slots / rules::kTileGap;
    if (width > chunk.maxWidth || (height >= kTileRows && sparse))
      break;
    tile.column = column;
    tile.width = width;
    last = column + width - 1;
    count += next.count();
  }
  if (tile.width < chunk.leastDenseWidth())
    tile.end = row;
  return tile;
}

Tile find(const ChunkRows &chunk, size_t row) {
  Tile full = fullTileAt(chunk, row);
  if (full.end - full.begin >= kTileRows || !chunk.layout.assumeFinite)
    return full;
  return filledTileAt(chunk, row);
}

void place(const SortedNonzeros &nonzeros, PackPlan &plan, size_t span,
           int64_t end) {
  BlockClass::placeRows(nonzeros, plan, span, end);
  const PlannedSpan &planned = plan.spans[span];
  int64_t *ends = plan.segmentSlot.data() + plan.firstSegment[span] + 1;
  for (int64_t i = 0; i < planned.segments; ++i)
    ends[i] = plan.firstSlot[span] + (i + 1) * planned.width;
}

Status check(const Packed &packed, size_t span) {
  if (Status status = checkTileRows(packed, span); !status)
    return status;
  const int64_t width = packed.spanWidth[span], begin = packed.spanSlot[span];
  for (int64_t k = begin; k < packed.spanSlot[span + 1]; ++k)
    if (Status status = checkTileColumn(
            packed, span, k, packed.spanColumn[span] + (k - begin) % width);
        !status)
      return status;
  return Success{};
}

void walk(SpanWalker &walker, const PlannedSpan &span, int64_t) {
  walker.tile(span, /*implicit=*/true);
}

constexpr BlockClass record() {
  BlockClass blocks;
  blocks.hasWidth = true;
  blocks.isFilled = true;
  blocks.find = find;
  blocks.place = place;
  blocks.cut = cutTile;
  blocks.check = check;
  blocks.walk = walk;
  return blocks;
}

} // namespace

const BlockClass kDenseTileBlocks = record();

} // namespace astfe::core
