//===- PackClassify.cpp - sorted nonzeros become spans ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within a chunk, each class that has tiles looks for one from row after row
// on. What is left between tiles is stored by rows, or nonzero by nonzero where
// rows are so short that their ends would cost more than they save.
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/ChunkRows.h"

namespace astfe::core {

/// Short rows end too often for a branch: each nonzero writes where the next
/// row would begin.
void ChunkRows::findRows(int64_t begin, int64_t end, int32_t column) {
  firstColumn = column;
  const int32_t *row = nonzeros.row.data(), *columns = nonzeros.column.data();
  firstRow = rows;
  int64_t *next = starts + rows;
  *next++ = begin;
  int32_t equal = 0;
  for (int64_t i = begin + 1; i < end; ++i) {
    bool sameRow = row[i] == row[i - 1];
    *next = i;
    next += !sameRow;
    equal |= int32_t(sameRow & (columns[i] == columns[i - 1]));
  }
  *next = end;
  rows = size_t(next - starts);
  anyDuplicate = equal != 0;
}

namespace {

class Classifier {
public:
  Classifier(const SortedNonzeros &nonzeros, const Layout &layout,
             int64_t maxSpanSlots, SpanRoom &room)
      : nonzeros(nonzeros), layout(layout),
        rows(nonzeros, layout, maxSpanSlots, room) {
    for (SegmentClass kind : layout.classes.list())
      if (blockClass(kind).find)
        withTiles.push_back(kind);
  }

  void run(size_t chunk) {
    rows.findRows(nonzeros.chunks[chunk].begin, nonzeros.chunkEnd(chunk),
                  nonzeros.chunks[chunk].firstColumn);
    splitRows();
  }

  std::vector<PlannedSpan> spans;

private:
  void splitRows();
  bool addTileAt(size_t row, size_t rest, size_t &end);
  void addRest(size_t begin, size_t end);

  const SortedNonzeros &nonzeros;
  const Layout &layout;
  ChunkRows rows;
  std::vector<SegmentClass> withTiles;
};

void Classifier::splitRows() {
  size_t rest = rows.firstRow;
  for (size_t row = rest; row < rows.rows && !withTiles.empty();) {
    size_t end = 0;
    if (addTileAt(row, rest, end))
      rest = row = end;
    else
      ++row;
  }
  addRest(rest, rows.rows);
}

/// Adds the rest before a tile, and the tile that the first class finds.
bool Classifier::addTileAt(size_t row, size_t rest, size_t &end) {
  for (SegmentClass kind : withTiles) {
    const Tile tile = blockClass(kind).find(rows, row);
    if (tile.end - tile.begin < kTileRows)
      continue;
    addRest(rest, row);
    spans.push_back({kind, int32_t(tile.column), int32_t(tile.width),
                     rows.starts[tile.begin], int64_t(tile.end - tile.begin)});
    end = tile.end;
    return true;
  }
  return false;
}

/// Rows that belong to no tile; the whole run gets one class.
void Classifier::addRest(size_t begin, size_t end) {
  if (begin == end)
    return;
  int64_t count = rows.starts[end] - rows.starts[begin];
  bool shortRows = 2 * count < 3 * int64_t(end - begin);
  bool byRows =
      layout.classes.contains(SegmentClass::RowSegments) &&
      !(shortRows && layout.classes.contains(SegmentClass::Scattered));
  spans.push_back({byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
                   rows.firstColumn, 0, rows.starts[begin],
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
