//===- PackSegments.cpp - spans get segments, nonzeros their slots --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorted nonzeros are slots already, and their columns those to be stored,
// unless a tile has slots to fill or columns are stored in less than 32 bits.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "Pack/Classes/BlockClass.h"
#include <algorithm>
#include <numeric>

namespace astfe::core {
namespace {

/// Nonzeros in a piece of a parallel loop, about.
constexpr int64_t kPiece = int64_t(1) << 16;

class Placer {
public:
  Placer(SortedNonzeros &nonzeros, const PackOptions &options, Packed &packed)
      : nonzeros(nonzeros), options(options), layout(options.layout),
        threads(options.threads), limit(options.maxSpanSlots), packed(packed) {}

  PackPlan run() {
    findSpans();
    countUp();
    plan.segmentRow.resize(size_t(plan.segments()));
    plan.segmentSlot = Scratch<int64_t>(size_t(plan.segments()) + 1);
    plan.segmentSlot[0] = 0;
    filled = plan.slots() != nonzeros.count();
    if (filled)
      slotAt = Scratch<int64_t>(size_t(nonzeros.count()));
    makeColumns();
    forSpans([&](size_t span) {
      blockClass(plan.spans[span].kind)
          .place(nonzeros, plan, span, spanEnd(span));
      fillSlots(span);
    });
    makeSlotMap();
    return std::move(plan);
  }

private:
  void findSpans();
  void follow(Table<int64_t> moved);
  void countUp();
  void makeColumns();
  void makeSlotMap();
  template <typename Body>
  void forSpans(Body body);
  int64_t spanEnd(size_t span) const {
    return span + 1 < plan.spans.size() ? plan.spans[span + 1].begin
                                        : nonzeros.count();
  }
  void fillSlots(size_t span);
  bool isFilled(size_t span) const {
    return blockClass(plan.spans[span].kind).isFilled;
  }
  template <typename T>
  void fillColumns(size_t span, Table<T> &columns);

  SortedNonzeros &nonzeros;
  const PackOptions &options;
  const Layout &layout;
  unsigned threads;
  int64_t limit;
  Packed &packed;
  PackPlan plan;
  /// Some tile has slots without a nonzero; then slotAt has the slot of each
  /// sorted nonzero.
  bool filled = false;
  Scratch<int64_t> slotAt{0};
};

/// Where runs of about kPiece nonzeros begin among `count` items, item i being
/// the nonzeros from beginOf(i) on; and the end.
template <typename BeginOf>
std::vector<size_t> piecesOf(size_t count, BeginOf beginOf) {
  std::vector<size_t> firsts;
  for (size_t i = 0; i < count; ++i)
    if (firsts.empty() || beginOf(i) - beginOf(firsts.back()) >= kPiece)
      firsts.push_back(i);
  firsts.push_back(count);
  return firsts;
}

void Placer::findSpans() {
  std::vector<size_t> pieces =
      piecesOf(nonzeros.chunks.size(),
               [&](size_t chunk) { return nonzeros.chunks[chunk].begin; });
  const std::vector<SegmentClass> kinds = layout.classes.list();
  const bool repacks =
      std::any_of(kinds.begin(), kinds.end(),
                  [&](SegmentClass kind) { return mayRepack(kind, layout); });
  Table<int64_t> moved(repacks ? size_t(nonzeros.count()) : 0);
  std::vector<std::vector<PlannedSpan>> found(pieces.size() - 1);
  std::vector<uint8_t> repacked(found.size(), false);
  auto find = [&](SpanRoom &room, int64_t i) {
    const size_t piece = size_t(i), last = pieces[piece + 1];
    found[piece] = classify(nonzeros, pieces[piece], last, layout, limit, room);
    if (repacks)
      repacked[piece] =
          repack(nonzeros, nonzeros.chunkEnd(last - 1), packed.shape[1],
                 options, found[piece], moved.data(), room);
  };
  parallelForIn<SpanRoom>(int64_t(found.size()), threads, find);
  if (std::find(repacked.begin(), repacked.end(), true) != repacked.end()) {
    parallelFor(int64_t(found.size()), threads, [&](int64_t i) {
      size_t piece = size_t(i);
      int64_t begin = nonzeros.chunks[pieces[piece]].begin;
      int64_t end = nonzeros.chunkEnd(pieces[piece + 1] - 1);
      if (!repacked[piece])
        std::iota(moved.data() + begin, moved.data() + end, begin);
    });
    follow(std::move(moved));
  }
  for (const std::vector<PlannedSpan> &spans : found)
    plan.spans.insert(plan.spans.end(), spans.begin(), spans.end());
}

/// Nonzeros are where `moved` says.
void Placer::follow(Table<int64_t> moved) {
  if (nonzeros.place.empty()) {
    nonzeros.place = std::move(moved);
    return;
  }
  int64_t *place = nonzeros.place.data();
  int64_t count = nonzeros.count();
  parallelFor((count + kPiece - 1) / kPiece, threads, [&](int64_t p) {
    int64_t end = std::min(count, (p + 1) * kPiece);
    for (int64_t n = p * kPiece; n < end; ++n)
      place[n] = moved[size_t(place[n])];
  });
}

void Placer::countUp() {
  plan.firstSegment.assign(1, 0);
  plan.firstSlot.assign(1, 0);
  for (size_t span = 0; span < plan.spans.size(); ++span) {
    const PlannedSpan &planned = plan.spans[span];
    int64_t slots = isFilled(span) ? planned.segments * planned.width
                                   : spanEnd(span) - planned.begin;
    plan.firstSegment.push_back(plan.firstSegment.back() + planned.segments);
    plan.firstSlot.push_back(plan.firstSlot.back() + slots);
  }
}

template <typename Body>
void Placer::forSpans(Body body) {
  std::vector<size_t> pieces = piecesOf(
      plan.spans.size(), [&](size_t span) { return plan.spans[span].begin; });
  parallelFor(int64_t(pieces.size()) - 1, threads, [&](int64_t i) {
    for (size_t span = pieces[size_t(i)]; span < pieces[size_t(i) + 1]; ++span)
      body(span);
  });
}

void Placer::makeColumns() {
  size_t slots = size_t(plan.slots());
  switch (layout.columnBits) {
  case 8:
    return packed.columns8.resize(slots);
  case 16:
    return packed.columns16.resize(slots);
  default:
    if (filled)
      packed.columns32.resize(slots);
  }
}

/// The slot of each nonzero where tiles are filled, and the stored columns.
void Placer::fillSlots(size_t span) {
  const PlannedSpan &planned = plan.spans[span];
  if (filled) {
    bool tile = isFilled(span);
    int64_t begin = planned.begin, end = spanEnd(span);
    int64_t slot = plan.firstSlot[span];
    for (int64_t i = begin; i < end; ++i) {
      if (tile && i > begin &&
          nonzeros.row[size_t(i)] != nonzeros.row[size_t(i) - 1])
        slot += planned.width;
      slotAt[size_t(i)] =
          tile ? slot + nonzeros.column[size_t(i)] - planned.column
               : slot + (i - begin);
    }
  }
  switch (layout.columnBits) {
  case 8:
    return fillColumns(span, packed.columns8);
  case 16:
    return fillColumns(span, packed.columns16);
  default:
    if (filled)
      fillColumns(span, packed.columns32);
  }
}

template <typename T>
void Placer::fillColumns(size_t span, Table<T> &columns) {
  const PlannedSpan &planned = plan.spans[span];
  int32_t base = layout.columnBits == 32 ? 0 : planned.column;
  T *stored = columns.data() + plan.firstSlot[span];
  if (!isFilled(span)) {
    for (int64_t i = planned.begin, end = spanEnd(span); i < end; ++i)
      stored[i - planned.begin] = T(nonzeros.column[size_t(i)] - base);
    return;
  }
  for (int64_t segment = 0; segment < planned.segments; ++segment)
    for (int32_t j = 0; j < planned.width; ++j)
      *stored++ = T(planned.column - base + j);
}

void Placer::makeSlotMap() {
  if (layout.columnBits == 32 && !filled)
    packed.columns32 = std::move(nonzeros.column);
  nonzeros.row.release();
  Table<int32_t>().swap(nonzeros.column);
  bool identity = nonzeros.place.empty();
  packed.slotOf = std::move(nonzeros.place);
  if (!filled)
    return;
  if (identity)
    packed.slotOf.resize(size_t(packed.nonzeros));
  int64_t *slotOf = packed.slotOf.data();
  parallelFor((packed.nonzeros + kPiece - 1) / kPiece, threads, [&](int64_t p) {
    int64_t end = std::min(packed.nonzeros, (p + 1) * kPiece);
    for (int64_t n = p * kPiece; n < end; ++n) {
      int64_t sorted = identity ? n : slotOf[n];
      slotOf[n] = slotAt[size_t(sorted)];
    }
  });
}

} // namespace

PackPlan placeNonzeros(SortedNonzeros nonzeros, const PackOptions &options,
                       Packed &packed) {
  return Placer(nonzeros, options, packed).run();
}

} // namespace astfe::core
