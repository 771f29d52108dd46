//===- RowRepacker.h - rows between tiles, in a new order ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies between tiles may be stored anew, over the chunks of a piece whose
// rows follow each other (a chunk alone may have too few). A class that does so
// gets the rows, opens spans and takes nonzeros in their new order.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_ROWREPACKER_H
#define ASTFE_LIB_CORE_PACK_ROWREPACKER_H

#include "Pack/PackStages.h"

namespace astfe::core {

/// Sorted nonzeros of one row.
struct SortedRow {
  int64_t begin, end;
  int64_t count() const { return end - begin; }
};

class RowRepacker {
public:
  RowRepacker(SortedNonzeros &nonzeros, int64_t begin, int64_t columns,
              const PackOptions &options, int64_t *moved, SpanRoom &room);

  std::vector<PlannedSpan> run(const std::vector<PlannedSpan> &spans,
                               int64_t end);

  /// Something was moved.
  bool repacked = false;

  // For classes.
  const PackOptions &options;
  const int64_t columns; ///< the matrix's extent
  std::vector<SortedRow> rows;

  bool permits(SegmentClass kind) const {
    return options.layout.classes.contains(kind);
  }
  int32_t row(int64_t i) const { return nonzeros.row[size_t(i)]; }
  int32_t column(int64_t i) const { return nonzeros.column[size_t(i)]; }
  /// How many rows of the matrix have nonzeros, if all are as long as these.
  int64_t likeRows() const;
  const int32_t *columnData() const { return nonzeros.column.data(); }
  /// Opens a span of columns from one on; of these rows' chunk without.
  void open(SegmentClass kind, int64_t column, int64_t width) {
    result.push_back({kind, int32_t(column), int32_t(width), first + taken, 0});
  }
  /// Goes on with the last span of these rows where it is one of that kind.
  void openUnlessOpen(SegmentClass kind) {
    if (result.size() == firstSpan || result.back().kind != kind)
      open(kind, firstColumn, 0);
  }
  void addSegments(int64_t count) { result.back().segments += count; }
  /// All of a row, in its order.
  void take(const SortedRow &run);
  /// Room for the rows and columns of the next nonzeros; kSliceRows more than
  /// there are may be overwritten.
  int32_t *nextRow() { return room.row.data() + taken; }
  int32_t *nextColumn() { return room.column.data() + taken; }
  /// Where each nonzero goes, to be set for those that are taken: the next ones
  /// go to nextPlace() and on.
  int64_t *places() { return moved; }
  int64_t nextPlace() const { return first + taken; }
  void took(int64_t count) { taken += count; }

private:
  int64_t newRow(int64_t i) const {
    return nonzeros.numbers.empty() ? row(i) : nonzeros.numbers[size_t(row(i))];
  }
  bool continues(const PlannedSpan &first, const PlannedSpan &next) const;
  bool repackRows(int64_t begin, int64_t end, int32_t column);
  void findRows(int64_t begin, int64_t end);
  void leave(int64_t end);
  void move();

  SortedNonzeros &nonzeros;
  int64_t *moved;
  SpanRoom &room;
  std::vector<PlannedSpan> result;
  /// Nonzeros from here on have no entry in `moved` yet.
  int64_t left;
  int64_t first = 0;       ///< of the nonzeros that are being repacked
  int64_t taken = 0;       ///< those that have a new place, in the room
  size_t firstSpan = 0;    ///< of these rows, in `result`
  int32_t firstColumn = 0; ///< of these rows' chunk
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_ROWREPACKER_H
