//===- ChunkRows.h - the stored rows of a chunk -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of sorted nonzeros as those that look for tiles see them: where they
// begin and end, their first and last column, whether they have holes.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_CLASSES_CHUNKROWS_H
#define ASTFE_LIB_CORE_PACK_CLASSES_CHUNKROWS_H

#include "ASTFE/Core/Target/Constants.h"
#include "Pack/PackStages.h"
#include <algorithm>

namespace astfe::core {

/// The least rows and columns of a tile.
constexpr size_t kTileRows = rules::kTileRows;
using rules::kTileColumns;

/// The nonzeros of one row in a chunk.
struct StoredRow {
  int64_t begin, end;
  int32_t first, last; ///< columns

  int64_t count() const { return end - begin; }
};

class ChunkRows {
public:
  ChunkRows(const SortedNonzeros &nonzeros, const Layout &layout,
            int64_t maxWidth, SpanRoom &room)
      : nonzeros(nonzeros), layout(layout), maxWidth(maxWidth),
        starts(room.starts.data()), rows(room.rows) {}

  /// The rows of another chunk, behind those that were found before.
  void findRows(int64_t begin, int64_t end, int32_t column);

  StoredRow rowAt(size_t row) const {
    int64_t begin = starts[row], end = starts[row + 1];
    return {begin, end, nonzeros.column[size_t(begin)],
            nonzeros.column[size_t(end) - 1]};
  }
  /// The columns of a dense tile, at least: nonzeros of several rows side by
  /// side, in slices, fill vectors that narrow rows do not.
  int64_t leastDenseWidth() const {
    return layout.classes.contains(SegmentClass::RowSlices)
               ? rules::kOneColumnTile
               : kTileColumns;
  }
  /// No column twice.
  bool isDistinct(const StoredRow &run) const {
    auto first = nonzeros.column.begin() + run.begin;
    return !anyDuplicate || std::adjacent_find(first, first + run.count()) ==
                                first + run.count();
  }

  const SortedNonzeros &nonzeros;
  const Layout &layout;
  int64_t maxWidth; ///< of a tile
  /// Where rows begin, and the end; those of the chunk are the last ones.
  int64_t *starts;
  size_t &rows;
  size_t firstRow = 0;
  int32_t firstColumn = 0; ///< of the chunk
  bool anyDuplicate = false;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_CLASSES_CHUNKROWS_H
