//===- PackCut.cpp - workers, and spans that no bound crosses -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers get runs of slots from the exact assignment; a planned span is cut
// where a worker's run ends and where it would outgrow 32-bit segment ends. A
// tile that is cut inside a row keeps its whole rows; the halves of that
// row become row segments (or scattered nonzeros). Slices are kept whole; what
// is cut off one is scattered.
//
// The pieces of spans are listed first; then all segments are written at once.
// Where no segment was cut their rows are the planned ones, which stay in
// place.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Pack/PackStages.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// A span of the result: the slots [begin, end) of a planned one.
struct Piece {
  size_t span;
  SegmentClass kind;
  int64_t begin, end;
  int64_t firstSegment; ///< the planned segment that holds `begin`
};

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

  std::vector<Piece> pieces;
  /// Every piece is made of whole planned segments.
  bool whole = true;

private:
  /// The segment of planned span `s` that holds a slot.
  int64_t segmentOf(size_t s, int64_t slot) const {
    if (slot == plan.firstSlot[s])
      return plan.firstSegment[s];
    const int64_t *slots = plan.segmentSlot.data();
    return std::upper_bound(slots + plan.firstSegment[s],
                            slots + plan.firstSegment[s + 1], slot) -
           slots - 1;
  }

  void cutRun(int64_t begin, int64_t end);
  void cutTile(SegmentClass kind, int64_t begin, int64_t end);
  void cutGroups(SegmentClass kind, int64_t size, SegmentClass rest,
                 int64_t begin, int64_t end);
  void cutByLimit(SegmentClass kind, int64_t begin, int64_t end);
  void emit(SegmentClass kind, int64_t begin, int64_t end);
  void emitPartsOfRows(int64_t begin, int64_t end);

  const PackPlan &plan;
  const Layout &layout;
  int64_t limit;
  Packed &packed;
  size_t span = 0; ///< the first planned span that is not used up
};

/// The pieces of spans in a worker's slots [begin, end).
void Cutter::cutRun(int64_t begin, int64_t end) {
  while (begin < end) {
    while (plan.firstSlot[span + 1] <= begin)
      ++span;
    int64_t pieceEnd = std::min(end, plan.firstSlot[span + 1]);
    SegmentClass kind = plan.spans[span].kind;
    if (kind == SegmentClass::DenseTile || kind == SegmentClass::RowTiles)
      cutTile(kind, begin, pieceEnd);
    else if (kind == SegmentClass::RowSlices)
      cutGroups(kind, kSliceRows, SegmentClass::Scattered, begin, pieceEnd);
    else
      cutByLimit(kind, begin, pieceEnd);
    begin = pieceEnd;
  }
}

void Cutter::cutTile(SegmentClass kind, int64_t begin, int64_t end) {
  int64_t firstSlot = plan.firstSlot[span], width = plan.spans[span].width;
  int64_t wholeBegin =
      firstSlot + (begin - firstSlot + width - 1) / width * width;
  int64_t wholeEnd = firstSlot + (end - firstSlot) / width * width;
  if (wholeBegin >= wholeEnd) {
    emitPartsOfRows(begin, end);
    return;
  }
  emitPartsOfRows(begin, wholeBegin);
  cutByLimit(kind, wholeBegin, wholeEnd);
  emitPartsOfRows(wholeEnd, end);
}

/// Groups of `size` segments are kept whole; of others the pieces are `rest`.
void Cutter::cutGroups(SegmentClass kind, int64_t size, SegmentClass rest,
                       int64_t begin, int64_t end) {
  while (begin < end) {
    int64_t segment = segmentOf(span, begin);
    segment -= (segment - plan.firstSegment[span]) % size;
    auto groupSlot = [&](int64_t groups) {
      return plan.segmentSlot[size_t(segment + groups * size)];
    };
    int64_t bound = std::min(end, begin + limit), whole = 0;
    int64_t last = bound == plan.firstSlot[span + 1]
                       ? plan.firstSegment[span + 1]
                       : segmentOf(span, bound);
    if (groupSlot(0) == begin)
      whole = (last - segment) / size;
    int64_t stop = whole ? groupSlot(whole) : std::min(bound, groupSlot(1));
    emit(whole ? kind : rest, begin, stop);
    begin = stop;
  }
}

void Cutter::emitPartsOfRows(int64_t begin, int64_t end) {
  if (begin == end)
    return;
  bool byRows = layout.classes.contains(SegmentClass::RowSegments);
  cutByLimit(byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
             begin, end);
}

/// Emits pieces of at most `limit` slots, cut between segments where possible.
void Cutter::cutByLimit(SegmentClass kind, int64_t begin, int64_t end) {
  while (end - begin > limit) {
    int64_t cut = begin + limit;
    int64_t between = plan.segmentSlot[size_t(segmentOf(span, cut))];
    if (between > begin)
      cut = between;
    emit(kind, begin, cut);
    begin = cut;
  }
  emit(kind, begin, end);
}

void Cutter::emit(SegmentClass kind, int64_t begin, int64_t end) {
  const PlannedSpan &from = plan.spans[span];
  bool wide = hasWidth(kind);
  packed.spanClass.push_back(int32_t(kind));
  packed.spanWidth.push_back(wide ? from.width : 0);
  packed.spanColumn.push_back(wide || layout.columnBits != 32 ? from.column
                                                              : 0);
  int64_t first = segmentOf(span, begin);
  int64_t last = end == plan.firstSlot[span + 1]
                     ? plan.firstSegment[span + 1] - 1
                     : segmentOf(span, end - 1);
  bool scattered = kind == SegmentClass::Scattered;
  whole &= !scattered || from.kind == kind;
  int64_t segments = scattered ? end - begin : last - first + 1;
  whole &= segments == last - first + 1 &&
           plan.segmentSlot[size_t(first)] == begin &&
           plan.segmentSlot[size_t(last) + 1] == end;
  pieces.push_back({span, kind, begin, end, first});
  packed.spanSlot.push_back(end);
  packed.spanSegment.push_back(packed.spanSegment.back() + segments);
}

/// Writes the segments of all pieces.
class SegmentWriter {
public:
  SegmentWriter(PackPlan &plan, ArrayRef<Piece> pieces, Packed &packed)
      : plan(plan), pieces(pieces), packed(packed) {}

  void run(bool whole, unsigned threads) {
    int64_t segments = packed.spanSegment.back();
    packed.segmentEnd.resize(size_t(segments));
    if (whole)
      packed.segmentRow = std::move(plan.segmentRow);
    else
      packed.segmentRow.resize(size_t(segments));
    constexpr int64_t kTask = int64_t(1) << 16;
    parallelFor((segments + kTask - 1) / kTask, threads, [&](int64_t task) {
      int64_t end = std::min(segments, (task + 1) * kTask);
      for (int64_t g = task * kTask; g < end;) {
        size_t piece = size_t(std::upper_bound(packed.spanSegment.begin(),
                                               packed.spanSegment.end(), g) -
                              packed.spanSegment.begin()) -
                       1;
        int64_t last = std::min(end, packed.spanSegment[piece + 1]);
        write(piece, g, last, whole);
        g = last;
      }
    });
  }

private:
  void write(size_t piece, int64_t begin, int64_t end, bool whole);
  void writeSlots(size_t piece, int64_t begin, int64_t end);
  void writePartOfSlice(size_t piece, int64_t begin, int64_t end);

  PackPlan &plan;
  ArrayRef<Piece> pieces;
  Packed &packed;
};

void SegmentWriter::write(size_t index, int64_t begin, int64_t end,
                          bool whole) {
  const Piece &piece = pieces[index];
  if (piece.kind == SegmentClass::Scattered &&
      plan.spans[piece.span].kind != SegmentClass::Scattered)
    return writeSlots(index, begin, end);
  int64_t shift = piece.firstSegment - packed.spanSegment[index];
  const int64_t *slot = plan.segmentSlot.data() + shift + 1;
  for (int64_t g = begin; g < end; ++g)
    packed.segmentEnd[size_t(g)] =
        int32_t(std::min(piece.end, slot[g]) - piece.begin);
  if (!whole)
    std::copy(plan.segmentRow.begin() + (begin + shift),
              plan.segmentRow.begin() + (end + shift),
              packed.segmentRow.begin() + begin);
}

/// The segment of each slot of the slice that holds a segment.
static std::vector<int64_t> segmentsOfSlice(const PackPlan &plan, size_t span,
                                            int64_t segment) {
  int64_t first = segment - (segment - plan.firstSegment[span]) % kSliceRows;
  const int64_t *slot = plan.segmentSlot.data() + first;
  std::vector<int64_t> segments;
  for (int64_t round = 0; round < slot[1] - slot[0]; ++round)
    for (int64_t lane = 0; lane < kSliceRows; ++lane)
      if (round < slot[lane + 1] - slot[lane])
        segments.push_back(first + lane);
  return segments;
}

/// A part of a slice that is scattered.
void SegmentWriter::writePartOfSlice(size_t index, int64_t begin, int64_t end) {
  const Piece &piece = pieces[index];
  std::vector<int64_t> segments =
      segmentsOfSlice(plan, piece.span, piece.firstSegment);
  int64_t first = piece.firstSegment;
  first -= (first - plan.firstSegment[piece.span]) % kSliceRows;
  for (int64_t g = begin; g < end; ++g) {
    int64_t slot = piece.begin + (g - packed.spanSegment[index]);
    int64_t segment = segments[size_t(slot - plan.segmentSlot[size_t(first)])];
    packed.segmentRow[size_t(g)] = plan.segmentRow[size_t(segment)];
    packed.segmentEnd[size_t(g)] = int32_t(slot + 1 - piece.begin);
  }
}

/// Rows of a tile that are scattered: a segment for each slot.
void SegmentWriter::writeSlots(size_t index, int64_t begin, int64_t end) {
  const Piece &piece = pieces[index];
  if (plan.spans[piece.span].kind == SegmentClass::RowSlices)
    return writePartOfSlice(index, begin, end);
  int64_t segment = piece.firstSegment;
  for (int64_t g = begin; g < end; ++g) {
    int64_t slot = piece.begin + (g - packed.spanSegment[index]);
    while (plan.segmentSlot[size_t(segment) + 1] <= slot)
      ++segment;
    packed.segmentRow[size_t(g)] = plan.segmentRow[size_t(segment)];
    packed.segmentEnd[size_t(g)] = int32_t(slot + 1 - piece.begin);
  }
}

} // namespace

/// The slots of the workers, and the end.
static std::vector<int64_t> workerSlots(const PackPlan &plan,
                                        const PackOptions &options,
                                        const Packed &packed) {
  ArrayRef<int64_t> slots(plan.segmentSlot.data(), plan.segmentSlot.size());
  std::vector<int64_t> workers =
      assign(slots, options.workers, options.segmentCost);
  if (options.segmentCost != gpuSegmentCost(/*columnTile=*/0))
    return workers;
  return cutForWarps(plan, packed, workers);
}

void cutSpans(PackPlan plan, const PackOptions &options, Packed &packed) {
  std::vector<int64_t> slots = workerSlots(plan, options, packed);
  Cutter cutter(plan, options, packed);
  cutter.run(slots);
  SegmentWriter(plan, cutter.pieces, packed).run(cutter.whole, options.threads);
}

} // namespace astfe::core
