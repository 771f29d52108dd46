//===- PackStages.h - the stages of pack ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pack in seven steps, each a function of what the ones before return:
//
//   sortNonzeros   view, graph -> nonzeros by (group, window, row, column)
//   classify       -> spans: runs of nonzeros with a class
//   repack        -> slices and windows, where permitted: sorted anew
//   placeNonzeros  -> segments; every nonzero gets its slot here
//   cutSpans       -> workers, and spans that no worker's bound crosses; of a
//                  GPU's multiprocessor rows may change places (DealRows.h)
//   shareRows      -> rows of several workers, their partials, the combine list
//   findStarts     -> segments that store rather than add, rows without any
//
// Slots of a host are final before cutting, which only splits spans. So the slot
// map and the values of a tensor do not depend on the number of workers there.
//
// Each step runs over fixed pieces of its input on any number of threads, and
// writes tables that grow with the nonzeros where they stay. Beside the result
// there are at most 4 bytes of row and 4 of group a nonzero at a time (8 more
// where the input is not sorted by rows, or slices or windows are permitted; 16
// bytes a row where rows have new numbers), then 8 bytes a segment, and on a GPU
// 12 a slot while rows change places.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_PACKSTAGES_H
#define ASTFE_LIB_CORE_PACK_PACKSTAGES_H

#include "ASTFE/Core/Pack/Pack.h"
#include "Support/LargeArray.h"

namespace astfe::core {

/// A run of sorted nonzeros that no span leaves: a group, one column window of
/// it, or what it has of a run of rows whose columns are of one window.
struct SortedChunk {
  int64_t begin;       ///< first nonzero; the next chunk's is the end
  int32_t firstColumn; ///< of a window or run: stored columns count from it
};

struct SortedNonzeros {
  /// Row and column of each nonzero, in sorted order.
  Scratch<int32_t> row{0};
  Table<int32_t> column;
  /// place[n]: where nonzero n of the caller's order is in the sorted one;
  /// empty if it is the n-th there too.
  Table<int64_t> place;
  std::vector<SortedChunk> chunks;
  /// New numbers of rows, by which a chunk ascends; empty if rows keep theirs.
  ArrayRef<int64_t> numbers;
  /// Where these are a sample of a matrix, how many that has; 0: these are all.
  int64_t ofMatrix = 0;

  int64_t count() const { return int64_t(row.size()); }
  int64_t chunkEnd(size_t chunk) const {
    return chunk + 1 < chunks.size() ? chunks[chunk + 1].begin : count();
  }
};

/// `view` has passed check() and has the graph's shape. Stable: equal
/// coordinates keep the caller's order.
SortedNonzeros sortNonzeros(const SparseView &view, const Graph &graph,
                            unsigned columnBits, unsigned threads);

/// A span before workers are known: sorted nonzeros from `begin` to the next
/// span's. A DenseTile has a segment of `width` slots for each of its rows,
/// whatever is stored there, Scattered one for each nonzero, the others one for
/// each row (of `width` nonzeros where these are RowTiles).
struct PlannedSpan {
  SegmentClass kind;
  int32_t column, width;
  int64_t begin;
  int64_t segments;
};

/// Room to find spans in, used again from call to call.
struct SpanRoom {
  /// Where each row begins that classify() saw last, and the end.
  Table<int64_t> starts;
  size_t rows = 0;
  Table<int32_t> row, column; ///< of nonzeros in a new order
};

/// The spans of the chunks [firstChunk, lastChunk), not empty.
std::vector<PlannedSpan> classify(const SortedNonzeros &nonzeros,
                                  size_t firstChunk, size_t lastChunk,
                                  const Layout &layout, int64_t maxSpanSlots,
                                  SpanRoom &room);

/// Makes slices, windows or rows sorted by length of what the spans that
/// classify() found last in this room, up to nonzero `end`, hold beside tiles,
/// where the layout permits them and rows suit.
/// Returns whether there are any: then nonzeros changed their order in that
/// range, moved[i] is where the i-th went (set for the whole range), and
/// `spans` are those of the new order. `columns` is the matrix's extent.
bool repack(SortedNonzeros &nonzeros, int64_t end, int64_t columns,
            const PackOptions &options, std::vector<PlannedSpan> &spans,
            int64_t *moved, SpanRoom &room);

struct PackPlan {
  std::vector<PlannedSpan> spans;
  /// By span, and the ends: spans + 1 entries.
  std::vector<int64_t> firstSegment, firstSlot;
  Table<int32_t> segmentRow;
  /// Segments + 1 entries: the prefix sums that assignment works on.
  Scratch<int64_t> segmentSlot{0};

  int64_t segments() const { return firstSegment.back(); }
  int64_t slots() const { return firstSlot.back(); }
};

/// Classifies all chunks and fills the plan, packed.columns* and packed.slotOf.
PackPlan placeNonzeros(SortedNonzeros nonzeros, const PackOptions &options,
                       Packed &packed);

/// The slots that workers begin with, and the end, so that warps of a GPU have
/// equal work in kernels of one column; `workers` are those of equal numbers of
/// slots. O(slots).
std::vector<int64_t> cutForWarps(const PackPlan &plan, const Packed &packed,
                                 ArrayRef<int64_t> workers);

/// Fills workerSpan, the span tables, segmentRow and segmentEnd.
void cutSpans(PackPlan plan, const PackOptions &options, Packed &packed);

/// Marks shared rows and fills segmentTarget and the combine tables. Fails if
/// there are more partial rows than 32 bits count.
Status shareRows(Packed &packed, unsigned threads);

/// Fills segmentFirst and the gaps from the other tables. O(segments).
void findStarts(Packed &packed, unsigned threads);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_PACKSTAGES_H
