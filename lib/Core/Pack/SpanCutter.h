//===- SpanCutter.h - pieces of planned spans ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A planned span is cut where a worker's run of slots ends, and where it would
// outgrow 32-bit segment ends. How is up to its class, in the terms of this
// class.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PACK_SPANCUTTER_H
#define ASTFE_LIB_CORE_PACK_SPANCUTTER_H

#include "Pack/PackStages.h"

namespace astfe::core {

/// A span of the result: the slots [begin, end) of a planned one.
struct SpanPiece {
  size_t span;
  SegmentClass kind;
  int64_t begin, end;
  int64_t firstSegment; ///< the planned segment that holds `begin`
};

class SpanCutter {
public:
  SpanCutter(const PackPlan &plan, const PackOptions &options, Packed &packed);

  /// Workers have the slots between these offsets.
  void run(ArrayRef<int64_t> workerSlots);

  std::vector<SpanPiece> pieces;
  /// Every piece is made of whole planned segments.
  bool whole = true;

  // For classes: the planned span that is cut.
  const PlannedSpan &planned() const { return plan.spans[span]; }
  int64_t firstSlot() const { return plan.firstSlot[span]; }
  /// Emits pieces of at most `limit` slots, cut between segments where
  /// possible, of rows between which gaps are cleared of kGapSpanSlots, or one
  /// row.
  void cutByLimit(SegmentClass kind, int64_t begin, int64_t end);
  /// Groups of `size` segments are kept whole; of others the pieces are `rest`.
  void cutGroups(SegmentClass kind, int64_t size, SegmentClass rest,
                 int64_t begin, int64_t end);
  /// Rows that are cut inside: by rows, or nonzero by nonzero.
  void emitPartsOfRows(int64_t begin, int64_t end);

private:
  void cutRun(int64_t begin, int64_t end);
  int64_t segmentOf(size_t s, int64_t slot) const;
  void emit(SegmentClass kind, int64_t begin, int64_t end);

  const PackPlan &plan;
  const Layout &layout;
  int64_t limit;
  int64_t rowLimit; ///< of whole rows
  Packed &packed;
  size_t span = 0; ///< the first planned span that is not used up
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PACK_SPANCUTTER_H
