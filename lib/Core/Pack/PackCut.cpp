//===- PackCut.cpp - workers, and spans that no bound crosses -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers get runs of slots from the exact assignment; a planned span is cut
// where a worker's run ends and where it would outgrow 32-bit segment ends, as
// its class says. The pieces of spans are listed first; then all segments are
// written at once. Where no segment was cut their rows are the planned ones,
// which stay in place.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/GPUGrid.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/DealRows.h"
#include "Pack/SpanCutter.h"
#include <algorithm>

namespace astfe::core {

/// Whether kernels of a host clear gaps between spans: there are some, as rows
/// have a segment each or more, they are not joined with rows, and wide rows,
/// which kernels may take strip by strip, are not written several times.
static bool clearsBetween(const PackPlan &plan, const Layout &layout,
                          const Packed &packed) {
  return layout.target == PackTarget::Host && layout.joinedRows() == 0 &&
         layout.denseBytes <= kStripBytes && plan.segments() < packed.shape[0];
}

SpanCutter::SpanCutter(const PackPlan &plan, const PackOptions &options,
                       Packed &packed)
    : plan(plan), layout(options.layout), limit(options.maxSpanSlots),
      rowLimit(clearsBetween(plan, options.layout, packed)
                   ? std::min(limit, rules::kGapSpanSlots)
                   : limit),
      packed(packed) {
  packed.spanSlot.assign(1, 0);
  packed.spanSegment.assign(1, 0);
  packed.workerSpan.assign(1, 0);
}

void SpanCutter::run(ArrayRef<int64_t> workerSlots) {
  for (size_t worker = 0; worker + 1 < workerSlots.size(); ++worker) {
    cutRun(workerSlots[worker], workerSlots[worker + 1]);
    packed.workerSpan.push_back(packed.spans());
  }
}

/// The segment of planned span `s` that holds a slot.
int64_t SpanCutter::segmentOf(size_t s, int64_t slot) const {
  if (slot == plan.firstSlot[s])
    return plan.firstSegment[s];
  const int64_t *slots = plan.segmentSlot.data();
  return std::upper_bound(slots + plan.firstSegment[s],
                          slots + plan.firstSegment[s + 1], slot) -
         slots - 1;
}

/// The pieces of spans in a worker's slots [begin, end).
void SpanCutter::cutRun(int64_t begin, int64_t end) {
  while (begin < end) {
    while (plan.firstSlot[span + 1] <= begin)
      ++span;
    int64_t pieceEnd = std::min(end, plan.firstSlot[span + 1]);
    SegmentClass kind = plan.spans[span].kind;
    blockClass(kind).cut(*this, kind, begin, pieceEnd);
    begin = pieceEnd;
  }
}

void SpanCutter::cutGroups(SegmentClass kind, int64_t size, SegmentClass rest,
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

void SpanCutter::emitPartsOfRows(int64_t begin, int64_t end) {
  if (begin == end)
    return;
  bool byRows = layout.classes.contains(SegmentClass::RowSegments);
  cutByLimit(byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
             begin, end);
}

void SpanCutter::cutByLimit(SegmentClass kind, int64_t begin, int64_t end) {
  const int64_t most = kind == SegmentClass::RowSegments ? rowLimit : limit;
  while (end - begin > most) {
    int64_t cut = begin + most;
    const auto segment = size_t(segmentOf(span, cut));
    if (plan.segmentSlot[segment] > begin)
      cut = plan.segmentSlot[segment];
    else if (most < limit)
      cut = std::min({plan.segmentSlot[segment + 1], begin + limit, end});
    emit(kind, begin, cut);
    begin = cut;
  }
  if (begin < end)
    emit(kind, begin, end);
}

void SpanCutter::emit(SegmentClass kind, int64_t begin, int64_t end) {
  const PlannedSpan &from = plan.spans[span];
  bool wide = blockClass(kind).hasWidth;
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

namespace {

/// Writes the segments of all pieces.
class SegmentWriter {
public:
  SegmentWriter(PackPlan &plan, ArrayRef<SpanPiece> pieces, Packed &packed)
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
  void writePartOfGroup(size_t piece, int64_t begin, int64_t end,
                        ArrayRef<int64_t> segments);

  PackPlan &plan;
  ArrayRef<SpanPiece> pieces;
  Packed &packed;
};

void SegmentWriter::write(size_t index, int64_t begin, int64_t end,
                          bool whole) {
  const SpanPiece &piece = pieces[index];
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

/// A part of a group that is scattered, whose slots are interleaved.
void SegmentWriter::writePartOfGroup(size_t index, int64_t begin, int64_t end,
                                     ArrayRef<int64_t> segments) {
  const SpanPiece &piece = pieces[index];
  const int64_t first = plan.segmentSlot[size_t(segments.front())];
  for (int64_t g = begin; g < end; ++g) {
    int64_t slot = piece.begin + (g - packed.spanSegment[index]);
    int64_t segment = segments[size_t(slot - first)];
    packed.segmentRow[size_t(g)] = plan.segmentRow[size_t(segment)];
    packed.segmentEnd[size_t(g)] = int32_t(slot + 1 - piece.begin);
  }
}

/// Rows of a tile that are scattered: a segment for each slot.
void SegmentWriter::writeSlots(size_t index, int64_t begin, int64_t end) {
  const SpanPiece &piece = pieces[index];
  if (auto segmentsOf = blockClass(plan.spans[piece.span].kind).segmentsOfSlots)
    return writePartOfGroup(index, begin, end,
                            segmentsOf(plan, piece.span, piece.firstSegment));
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

/// Workers that follow each other on one multiprocessor, those of the kernels'
/// grid (GPUGrid.h); 0: neighbours are apart.
static int64_t sharingWorkers(const PackOptions &options) {
  const Layout &layout = options.layout;
  if (layout.target == PackTarget::Host || !options.multiprocessors ||
      !sharesL1(layout.columnTile))
    return 0;
  const int64_t blocks = (options.workers - 1) / kGPUBlockWarps + 1;
  const GPUGrid grid = gpuGrid(blocks, options.columnTiles, options.columnTiles,
                               options.multiprocessors);
  return kGPUBlockWarps * grid.z;
}

/// The slots of the workers, and the end.
static std::vector<int64_t> workerSlots(const PackPlan &plan,
                                        const PackOptions &options,
                                        const Packed &packed) {
  ArrayRef<int64_t> slots(plan.segmentSlot.data(), plan.segmentSlot.size());
  const int64_t cost = segmentCost(options.layout);
  if (options.layout.target == PackTarget::Host)
    return assign(slots, options.workers, cost);
  const int64_t tile = options.layout.columnTile;
  if (tile == 0)
    return cutForWarps(plan, packed, assign(slots, options.workers, cost));
  // A row that is cut is cleared first and added up by atomics, and reads of B
  // what other pieces read.
  return assignWhole(
      slots, options.workers, cost,
      {rules::kWholeRowSlack, rules::kWholeRows, sharingWorkers(options)});
}

void cutSpans(PackPlan plan, const PackOptions &options, Packed &packed) {
  std::vector<int64_t> slots = workerSlots(plan, options, packed);
  // Samples are left in slots, which are best in order. Their patterns have no
  // tiles; the few of products that have none either keep their runs.
  const int64_t sharing = sharingWorkers(options);
  if (sharing && options.layout.classes.contains(SegmentClass::DenseTile))
    dealRows(plan, options, slots, sharing, packed);
  SpanCutter cutter(plan, options, packed);
  cutter.run(slots);
  SegmentWriter(plan, cutter.pieces, packed).run(cutter.whole, options.threads);
}

} // namespace astfe::core
