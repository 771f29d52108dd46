//===- PackCut.cpp - workers, and spans that no bound crosses -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers get runs of slots from the exact assignment; a planned span is cut
// where a worker's run ends and where it would outgrow 32-bit segment ends. A
// dense tile that is cut inside a row keeps its whole rows; the halves of that
// row become row segments (or scattered nonzeros).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Assign.h"
#include "PackStages.h"
#include <algorithm>

namespace astfe::core {
namespace {

class Cutter {
public:
  Cutter(const PackPlan &plan, const PackOptions &options, Packed &packed)
      : plan(plan), layout(options.layout), limit(options.maxSpanSlots),
        packed(packed) {
    packed.spanSlot.assign(1, 0);
    packed.spanSegment.assign(1, 0);
    packed.workerSpan.assign(1, 0);
  }

  void run(ArrayRef<int64_t> workerSlots) {
    for (size_t worker = 0; worker + 1 < workerSlots.size(); ++worker) {
      cutRun(workerSlots[worker], workerSlots[worker + 1]);
      packed.workerSpan.push_back(packed.spans());
    }
  }

private:
  int64_t spanSlot(size_t span) const {
    return plan.segmentSlot[size_t(plan.spans[span].firstSegment)];
  }
  int64_t spanSlotEnd(size_t span) const {
    return plan.segmentSlot[size_t(plan.spanEnd(span))];
  }
  /// The segment that holds a slot.
  int64_t segmentOf(int64_t slot) const {
    return std::upper_bound(plan.segmentSlot.begin(), plan.segmentSlot.end(),
                            slot) -
           plan.segmentSlot.begin() - 1;
  }

  void cutRun(int64_t begin, int64_t end);
  void cutTile(const PlannedSpan &span, int64_t begin, int64_t end);
  void cutByLimit(const PlannedSpan &span, SegmentClass kind, int64_t begin,
                  int64_t end);
  void emit(const PlannedSpan &span, SegmentClass kind, int64_t begin,
            int64_t end);
  void emitPartsOfRows(const PlannedSpan &span, int64_t begin, int64_t end);

  const PackPlan &plan;
  const Layout &layout;
  int64_t limit;
  Packed &packed;
  size_t span = 0; ///< the first planned span that is not used up
};

/// The pieces of spans in a worker's slots [begin, end).
void Cutter::cutRun(int64_t begin, int64_t end) {
  while (begin < end) {
    while (spanSlotEnd(span) <= begin)
      ++span;
    int64_t pieceEnd = std::min(end, spanSlotEnd(span));
    const PlannedSpan &planned = plan.spans[span];
    if (planned.kind == SegmentClass::DenseTile)
      cutTile(planned, begin, pieceEnd);
    else
      cutByLimit(planned, planned.kind, begin, pieceEnd);
    begin = pieceEnd;
  }
}

void Cutter::cutTile(const PlannedSpan &tile, int64_t begin, int64_t end) {
  int64_t firstSlot = plan.segmentSlot[size_t(tile.firstSegment)];
  int64_t wholeBegin = firstSlot + (begin - firstSlot + tile.width - 1) /
                                       tile.width * tile.width;
  int64_t wholeEnd = firstSlot + (end - firstSlot) / tile.width * tile.width;
  if (wholeBegin >= wholeEnd) {
    emitPartsOfRows(tile, begin, end);
    return;
  }
  emitPartsOfRows(tile, begin, wholeBegin);
  cutByLimit(tile, SegmentClass::DenseTile, wholeBegin, wholeEnd);
  emitPartsOfRows(tile, wholeEnd, end);
}

void Cutter::emitPartsOfRows(const PlannedSpan &tile, int64_t begin,
                             int64_t end) {
  if (begin == end)
    return;
  bool byRows = layout.classes.contains(SegmentClass::RowSegments);
  cutByLimit(tile, byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
             begin, end);
}

/// Emits pieces of at most `limit` slots, cut between segments where possible.
void Cutter::cutByLimit(const PlannedSpan &from, SegmentClass kind,
                        int64_t begin, int64_t end) {
  while (end - begin > limit) {
    int64_t cut = begin + limit;
    int64_t between = plan.segmentSlot[size_t(segmentOf(cut))];
    if (between > begin)
      cut = between;
    emit(from, kind, begin, cut);
    begin = cut;
  }
  emit(from, kind, begin, end);
}

void Cutter::emit(const PlannedSpan &from, SegmentClass kind, int64_t begin,
                  int64_t end) {
  bool tile = kind == SegmentClass::DenseTile;
  packed.spanClass.push_back(int32_t(kind));
  packed.spanWidth.push_back(tile ? from.width : 0);
  packed.spanColumn.push_back(tile || layout.columnBits != 32 ? from.column
                                                              : 0);
  for (int64_t segment = segmentOf(begin);
       segment < plan.segments() && plan.segmentSlot[size_t(segment)] < end;
       ++segment) {
    int64_t first = std::max(begin, plan.segmentSlot[size_t(segment)]);
    int64_t last = std::min(end, plan.segmentSlot[size_t(segment) + 1]);
    // A row of a tile may be scattered here: then it has one segment a slot.
    int64_t step = kind == SegmentClass::Scattered ? 1 : last - first;
    for (int64_t stop = first + step; stop <= last; stop += step) {
      packed.segmentRow.push_back(plan.segmentRow[size_t(segment)]);
      packed.segmentEnd.push_back(int32_t(stop - begin));
    }
  }
  packed.spanSlot.push_back(end);
  packed.spanSegment.push_back(packed.segments());
}

} // namespace

void cutSpans(const PackPlan &plan, const PackOptions &options,
              Packed &packed) {
  std::vector<int64_t> slots = assign(plan.segmentSlot, options.workers);
  packed.segmentRow.reserve(size_t(plan.segments()));
  packed.segmentEnd.reserve(size_t(plan.segments()));
  Cutter(plan, options, packed).run(slots);
}

} // namespace astfe::core
