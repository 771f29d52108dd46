//===- PackClassify.cpp - sorted nonzeros become spans and segments -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within a chunk, at least kTileRows stored rows in a row that all cover the
// same kTileColumns or more consecutive columns make a dense tile. What is left
// between tiles is stored by rows, or nonzero by nonzero where rows are so
// short that their ends would cost more than they save.
//
//===----------------------------------------------------------------------===//

#include "PackStages.h"
#include <algorithm>

namespace astfe::core {
namespace {

constexpr size_t kTileRows = 4;
constexpr int64_t kTileColumns = 4;

/// The nonzeros of one row in a chunk.
struct RowRun {
  int64_t begin, end;
  int32_t first, last; ///< columns
  bool distinct;       ///< no column twice

  int64_t count() const { return end - begin; }
  bool full() const { return distinct && int64_t(last) - first + 1 == count(); }
};

/// Rows [begin, end) of a chunk over columns from `column` on.
struct Tile {
  size_t begin, end;
  int64_t column, width;
};

class Classifier {
public:
  Classifier(const SortedNonzeros &nonzeros, const Layout &layout,
             int64_t maxSpanSlots)
      : nonzeros(nonzeros), layout(layout), maxWidth(maxSpanSlots) {}

  void run(size_t chunk) {
    firstColumn = nonzeros.chunks[chunk].firstColumn;
    findRows(nonzeros.chunks[chunk].begin, nonzeros.chunkEnd(chunk));
    splitRows();
  }

  std::vector<PlannedSpan> spans;

private:
  void findRows(int64_t begin, int64_t end);
  void splitRows();
  Tile tileAt(size_t row) const;
  Tile fullTileAt(size_t row) const;
  Tile filledTileAt(size_t row) const;
  void addTile(const Tile &tile);
  void addRest(size_t begin, size_t end);

  const SortedNonzeros &nonzeros;
  const Layout &layout;
  int64_t maxWidth;
  int32_t firstColumn = 0;
  std::vector<RowRun> rows;
};

void Classifier::findRows(int64_t begin, int64_t end) {
  rows.clear();
  const int32_t *row = nonzeros.row.data(), *column = nonzeros.column.data();
  for (int64_t i = begin; i < end; ++i) {
    if (i == begin || row[i] != row[i - 1])
      rows.push_back({i, i, column[i], column[i], true});
    else if (column[i] == column[i - 1])
      rows.back().distinct = false;
    rows.back().end = i + 1;
    rows.back().last = column[i];
  }
}

void Classifier::splitRows() {
  if (!layout.classes.contains(SegmentClass::DenseTile)) {
    addRest(0, rows.size());
    return;
  }
  size_t rest = 0;
  for (size_t row = 0; row < rows.size();) {
    Tile tile = tileAt(row);
    if (tile.end - tile.begin < kTileRows) {
      ++row;
      continue;
    }
    addRest(rest, row);
    addTile(tile);
    rest = row = tile.end;
  }
  addRest(rest, rows.size());
}

Tile Classifier::tileAt(size_t row) const {
  Tile full = fullTileAt(row);
  if (full.end - full.begin >= kTileRows || !layout.assumeFinite)
    return full;
  return filledTileAt(row);
}

/// The rows from `row` on that hold exactly its columns, if it is full.
Tile Classifier::fullTileAt(size_t row) const {
  const RowRun &first = rows[row];
  Tile tile{row, row, first.first, first.count()};
  if (!first.full() || tile.width < kTileColumns || tile.width > maxWidth)
    return tile;
  while (tile.end < rows.size() && rows[tile.end].full() &&
         rows[tile.end].first == first.first &&
         rows[tile.end].last == first.last)
    ++tile.end;
  return tile;
}

/// The rows from `row` on that fill their common columns to three quarters.
/// The first kTileRows of them are only judged together.
Tile Classifier::filledTileAt(size_t row) const {
  Tile tile{row, row, rows[row].first, 0};
  int64_t last = rows[row].last, count = 0;
  for (; tile.end < rows.size() && rows[tile.end].distinct; ++tile.end) {
    const RowRun &next = rows[tile.end];
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

void Classifier::addTile(const Tile &tile) {
  spans.push_back({SegmentClass::DenseTile, int32_t(tile.column),
                   int32_t(tile.width), rows[tile.begin].begin,
                   int64_t(tile.end - tile.begin)});
}

/// Rows that belong to no tile; the whole run gets one class.
void Classifier::addRest(size_t begin, size_t end) {
  if (begin == end)
    return;
  int64_t count = rows[end - 1].end - rows[begin].begin;
  bool shortRows = 2 * count < 3 * int64_t(end - begin);
  bool byRows =
      layout.classes.contains(SegmentClass::RowSegments) && !shortRows;
  spans.push_back({byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
                   firstColumn, 0, rows[begin].begin,
                   byRows ? int64_t(end - begin) : count});
}

} // namespace

std::vector<PlannedSpan> classify(const SortedNonzeros &nonzeros,
                                  size_t firstChunk, size_t lastChunk,
                                  const Layout &layout, int64_t maxSpanSlots) {
  Classifier classifier(nonzeros, layout, maxSpanSlots);
  for (size_t chunk = firstChunk; chunk < lastChunk; ++chunk)
    classifier.run(chunk);
  return std::move(classifier.spans);
}

} // namespace astfe::core
