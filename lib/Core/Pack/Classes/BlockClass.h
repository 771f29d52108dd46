//===- BlockClass.h - what pack knows of a class of blocks ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// **Definition.** A class of blocks is one record: how its runs are found among
// sorted nonzeros, placed in segments, cut at a worker's bound, proved, walked
// by the cost model, and for which products it pays. Pack, Packed::check,
// countWork and ChooseLayout go through the records and name no class.
//
// **Worked example.** DenseTile (DenseTile.cpp) finds four rows or more over
// the same consecutive columns; its segments have spanWidth slots each; a bound
// inside a row leaves whole rows on both sides and two parts of a row; check
// proves that columns follow each other; the cost model counts a row of B once
// for four rows of C. A class that leaves all of that as it is by default is
// RowSegments: two lines.
//
// The list of records is Kernel/Classes.def. O(1) to look one up.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_CLASSES_BLOCKCLASS_H
#define ASTFE_LIB_CORE_PACK_CLASSES_BLOCKCLASS_H

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "Pack/PackStages.h"

namespace astfe::core {

class RowRepacker;
class ChunkRows;
class SpanCutter;
class SpanWalker;

/// Rows [begin, end) of a chunk over `width` columns from `column` on.
struct Tile {
  size_t begin, end;
  int64_t column, width;
};

struct BlockClass {
  /// Spans have a number of columns, spanWidth.
  bool hasWidth = false;
  /// A segment has a slot for each column, whatever is stored there: slots
  /// without a nonzero hold 0.
  bool isFilled = false;

  /// The rows of a chunk from one on that make a tile; fewer than kTileRows:
  /// none does. Null: the class has no tiles.
  Tile (*find)(const ChunkRows &rows, size_t row) = nullptr;
  /// Stores the rows between tiles anew, if they suit; false leaves them as
  /// they are. Null: it does not.
  bool (*repack)(RowRepacker &rows) = nullptr;
  /// Whether it may do so in such a layout, which permits the class. Null: yes.
  bool (*repacks)(const Layout &layout) = nullptr;
  /// Writes the row and the end of each segment of a planned span, whose
  /// nonzeros end at `end`.
  void (*place)(const SortedNonzeros &nonzeros, PackPlan &plan, size_t span,
                int64_t end) = placeRows;
  /// Emits the pieces of the slots [begin, end) of the current span.
  void (*cut)(SpanCutter &cutter, SegmentClass kind, int64_t begin,
              int64_t end) = cutBetweenRows;
  /// The segment of each slot of the group of segments that `segment` is in;
  /// null where slots have the order of segments.
  std::vector<int64_t> (*segmentsOfSlots)(const PackPlan &plan, size_t span,
                                          int64_t segment) = nullptr;
  /// What Packed.h promises of a span of the class beyond what it does of all.
  Status (*check)(const Packed &packed, size_t span) = nullptr;
  /// What a kernel reads and writes of a span whose nonzeros end at `end`.
  void (*walk)(SpanWalker &walker, const PlannedSpan &span,
               int64_t end) = walkRows;
  /// Whether the class pays for these products on a host. Null: it is permitted
  /// on every target.
  bool (*pays)(const DenseUse &use) = nullptr;

  // The defaults.
  static void placeRows(const SortedNonzeros &nonzeros, PackPlan &plan,
                        size_t span, int64_t end);
  static void cutBetweenRows(SpanCutter &cutter, SegmentClass kind,
                             int64_t begin, int64_t end);
  static void walkRows(SpanWalker &walker, const PlannedSpan &span,
                       int64_t end);
};

// Each class has a file of its name in this folder that defines its record.
#define ASTFE_CLASS(Name, name, Rest) extern const BlockClass k##Name##Blocks;
#include "ASTFE/Core/Kernel/Classes.def"

const BlockClass &blockClass(SegmentClass kind);

/// Whether a permitted class stores rows anew in a layout.
bool mayRepack(SegmentClass kind, const Layout &layout);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_CLASSES_BLOCKCLASS_H
