//===- PackStages.h - the stages of pack ----------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pack in four steps, each a function of what the one before returns:
//
//   sortNonzeros   view, graph -> nonzeros by (group, window, row, column)
//   classify       -> spans and segments; every nonzero gets its slot here
//   cutSpans       -> workers, and spans that no worker's bound crosses
//   shareRows      -> rows of several workers, their partials, the combine list
//
// Slots are final after `classify`: cutting only splits spans. So the slot map
// and the values of a tensor do not depend on the number of workers.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACKSTAGES_H
#define ASTFE_LIB_CORE_PACKSTAGES_H

#include "ASTFE/Core/Pack.h"

namespace astfe::core {

/// A run of sorted nonzeros that no span leaves: a group, or one column window
/// of it.
struct SortedChunk {
  int64_t begin;       ///< first nonzero; the next chunk's is the end
  int32_t firstColumn; ///< of the window; stored columns are relative to it
};

struct SortedNonzeros {
  /// Row and column of each nonzero, in sorted order.
  std::vector<int32_t> row, column;
  /// The nonzero's number in the caller's order; empty if that is the order.
  std::vector<int64_t> source;
  std::vector<SortedChunk> chunks;

  int64_t count() const { return int64_t(row.size()); }
  int64_t sourceOf(int64_t i) const {
    return source.empty() ? i : source[size_t(i)];
  }
  int64_t chunkEnd(size_t chunk) const {
    return chunk + 1 < chunks.size() ? chunks[chunk + 1].begin : count();
  }
};

/// `view` has passed check() and has the graph's shape. Stable: equal
/// coordinates keep the caller's order.
SortedNonzeros sortNonzeros(const SparseView &view, const Graph &graph,
                            unsigned columnBits, unsigned threads);

/// A span before workers are known.
struct PlannedSpan {
  SegmentClass kind;
  int32_t column, width;
  int64_t firstSegment; ///< its slots start at that segment's
};

struct PackPlan {
  std::vector<PlannedSpan> spans;
  std::vector<int32_t> segmentRow;
  /// Segments + 1 entries: the prefix sums that assignment works on.
  std::vector<int64_t> segmentSlot{0};
  /// The column of each slot, relative to its span's column unless 32 bits.
  std::vector<int32_t> columns;
  std::vector<int64_t> slotOf;

  int64_t segments() const { return int64_t(segmentRow.size()); }
  int64_t slots() const { return segmentSlot.back(); }
  int64_t spanEnd(size_t span) const {
    return span + 1 < spans.size() ? spans[span + 1].firstSegment : segments();
  }
};

PackPlan classify(const SortedNonzeros &nonzeros, const Layout &layout,
                  int64_t maxSpanSlots);

/// Fills workerSpan, the span tables, segmentRow and segmentEnd.
void cutSpans(const PackPlan &plan, const PackOptions &options, Packed &packed);

/// Marks shared rows and fills segmentTarget and the combine tables. Fails if
/// there are more partial rows than 32 bits count.
Status shareRows(Packed &packed);

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACKSTAGES_H
