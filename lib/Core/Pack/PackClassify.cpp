//===- PackClassify.cpp - sorted nonzeros become spans and segments -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within a chunk, at least kTileRows stored rows in a row that all cover the
// same kTileColumns or more consecutive columns make a dense tile, and those
// that have the same columns, wherever they are, a tile of rows: a list is
// compared with the first row's up to the first difference. What is left
// between tiles is stored by rows, or nonzero by nonzero where rows are so
// short that their ends would cost more than they save.
//
//===----------------------------------------------------------------------===//

#include "Pack/PackStages.h"
#include <algorithm>

namespace astfe::core {
namespace {

constexpr size_t kTileRows = 4;
constexpr int64_t kTileColumns = 4;

/// The nonzeros of one row in a chunk.
struct StoredRow {
  int64_t begin, end;
  int32_t first, last; ///< columns

  int64_t count() const { return end - begin; }
};

/// Rows [begin, end) of a chunk over columns from `column` on.
struct Tile {
  size_t begin, end;
  int64_t column, width;
};

class Classifier {
public:
  Classifier(const SortedNonzeros &nonzeros, const Layout &layout,
             int64_t maxSpanSlots, SpanRoom &room)
      : nonzeros(nonzeros), layout(layout), maxWidth(maxSpanSlots),
        starts(room.starts.data()), rows(room.rows) {}

  void run(size_t chunk) {
    firstColumn = nonzeros.chunks[chunk].firstColumn;
    findRows(nonzeros.chunks[chunk].begin, nonzeros.chunkEnd(chunk));
    splitRows();
  }

  std::vector<PlannedSpan> spans;

private:
  void findRows(int64_t begin, int64_t end);
  StoredRow rowAt(size_t row) const {
    int64_t begin = starts[row], end = starts[row + 1];
    return {begin, end, nonzeros.column[size_t(begin)],
            nonzeros.column[size_t(end) - 1]};
  }
  bool isDistinct(const StoredRow &run) const;
  bool isFull(const StoredRow &run) const;
  void splitRows();
  Tile tileAt(size_t row) const;
  Tile fullTileAt(size_t row) const;
  Tile filledTileAt(size_t row) const;
  Tile rowTileAt(size_t row) const;
  void addTile(SegmentClass kind, const Tile &tile);
  void addRest(size_t begin, size_t end);

  const SortedNonzeros &nonzeros;
  const Layout &layout;
  int64_t maxWidth;
  int32_t firstColumn = 0;
  /// Where rows begin, and the end; those of the chunk are the last ones.
  int64_t *starts;
  size_t &rows;
  size_t firstRow = 0;
  bool anyDuplicate = false;
};

/// Short rows end too often for a branch: each nonzero writes where the next
/// row would begin.
void Classifier::findRows(int64_t begin, int64_t end) {
  const int32_t *row = nonzeros.row.data(), *column = nonzeros.column.data();
  firstRow = rows;
  int64_t *next = starts + rows;
  *next++ = begin;
  int32_t equal = 0;
  for (int64_t i = begin + 1; i < end; ++i) {
    bool sameRow = row[i] == row[i - 1];
    *next = i;
    next += !sameRow;
    equal |= int32_t(sameRow & (column[i] == column[i - 1]));
  }
  *next = end;
  rows = size_t(next - starts);
  anyDuplicate = equal != 0;
}

/// No column twice.
bool Classifier::isDistinct(const StoredRow &run) const {
  auto first = nonzeros.column.begin() + run.begin;
  return !anyDuplicate ||
         std::adjacent_find(first, first + run.count()) == first + run.count();
}

/// Every column from the first to the last, once.
bool Classifier::isFull(const StoredRow &run) const {
  return int64_t(run.last) - run.first + 1 == run.count() && isDistinct(run);
}

void Classifier::splitRows() {
  bool dense = layout.classes.contains(SegmentClass::DenseTile);
  bool any = layout.classes.contains(SegmentClass::RowTiles);
  size_t rest = firstRow;
  for (size_t row = firstRow; row < rows && (dense || any);) {
    SegmentClass kind = SegmentClass::DenseTile;
    Tile tile = dense ? tileAt(row) : Tile{row, row, 0, 0};
    if (tile.end - tile.begin < kTileRows && any) {
      kind = SegmentClass::RowTiles;
      tile = rowTileAt(row);
    }
    if (tile.end - tile.begin < kTileRows) {
      ++row;
      continue;
    }
    addRest(rest, row);
    addTile(kind, tile);
    rest = row = tile.end;
  }
  addRest(rest, rows);
}

Tile Classifier::tileAt(size_t row) const {
  Tile full = fullTileAt(row);
  if (full.end - full.begin >= kTileRows || !layout.assumeFinite)
    return full;
  return filledTileAt(row);
}

/// The rows from `row` on that hold exactly its columns, if it is full.
Tile Classifier::fullTileAt(size_t row) const {
  const StoredRow first = rowAt(row);
  Tile tile{row, row, first.first, first.count()};
  if (tile.width < kTileColumns || tile.width > maxWidth || !isFull(first))
    return tile;
  for (++tile.end; tile.end < rows; ++tile.end) {
    const StoredRow next = rowAt(tile.end);
    if (next.first != first.first || next.last != first.last || !isFull(next))
      break;
  }
  return tile;
}

/// The rows from `row` on that fill their common columns to three quarters.
/// The first kTileRows of them are only judged together.
Tile Classifier::filledTileAt(size_t row) const {
  const StoredRow first = rowAt(row);
  Tile tile{row, row, first.first, 0};
  int64_t last = first.last, count = 0;
  for (; tile.end < rows; ++tile.end) {
    const StoredRow next = rowAt(tile.end);
    if (!isDistinct(next))
      break;
    int64_t column = std::min<int64_t>(tile.column, next.first);
    int64_t width = std::max<int64_t>(last, next.last) - column + 1;
    size_t height = tile.end - row + 1;
    int64_t slots = int64_t(height) * width;
    bool sparse = count + next.count() < slots - slots / 4;
    if (width > maxWidth || (height >= kTileRows && sparse))
      break;
    tile.column = column;
    tile.width = width;
    last = column + width - 1;
    count += next.count();
  }
  if (tile.width < kTileColumns)
    tile.end = row;
  return tile;
}

/// The rows from `row` on that hold exactly its columns, if none comes twice.
Tile Classifier::rowTileAt(size_t row) const {
  const StoredRow first = rowAt(row);
  Tile tile{row, row, firstColumn, first.count()};
  if (tile.width < kTileColumns || tile.width > maxWidth || !isDistinct(first))
    return tile;
  const int32_t *column = nonzeros.column.data();
  for (++tile.end; tile.end < rows; ++tile.end) {
    const StoredRow next = rowAt(tile.end);
    if (next.count() != tile.width ||
        !std::equal(column + next.begin, column + next.end,
                    column + first.begin))
      break;
  }
  return tile;
}

void Classifier::addTile(SegmentClass kind, const Tile &tile) {
  spans.push_back({kind, int32_t(tile.column), int32_t(tile.width),
                   starts[tile.begin], int64_t(tile.end - tile.begin)});
}

/// Rows that belong to no tile; the whole run gets one class.
void Classifier::addRest(size_t begin, size_t end) {
  if (begin == end)
    return;
  int64_t count = starts[end] - starts[begin];
  bool shortRows = 2 * count < 3 * int64_t(end - begin);
  bool byRows =
      layout.classes.contains(SegmentClass::RowSegments) &&
      !(shortRows && layout.classes.contains(SegmentClass::Scattered));
  spans.push_back({byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
                   firstColumn, 0, starts[begin],
                   byRows ? int64_t(end - begin) : count});
}

} // namespace

std::vector<PlannedSpan> classify(const SortedNonzeros &nonzeros,
                                  size_t firstChunk, size_t lastChunk,
                                  const Layout &layout, int64_t maxSpanSlots,
                                  SpanRoom &room) {
  const int64_t count =
      nonzeros.chunkEnd(lastChunk - 1) - nonzeros.chunks[firstChunk].begin;
  if (int64_t(room.starts.size()) <= count)
    room.starts = Table<int64_t>(size_t(count) + 1);
  room.rows = 0;
  Classifier classifier(nonzeros, layout, maxSpanSlots, room);
  for (size_t chunk = firstChunk; chunk < lastChunk; ++chunk)
    classifier.run(chunk);
  return std::move(classifier.spans);
}

} // namespace astfe::core
