//===- CheckPacked.cpp - the tables of a packed pattern are sound ------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/BlockClass.h"
#include "Pack/PackedChecks.h"
#include <limits>

namespace astfe::core {

Error unexpected(const std::string &what, int64_t expected, int64_t got) {
  return Error{"expected " + what + " " + std::to_string(expected) +
               " but got " + std::to_string(got)};
}

std::string at(const char *table, int64_t index) {
  return std::string(table) + "[" + std::to_string(index) + "]";
}

namespace {

Status checkSize(const char *table, size_t size, int64_t expected) {
  if (int64_t(size) == expected)
    return Success{};
  return unexpected(std::string("the number of entries of ") + table + " to be",
                    expected, int64_t(size));
}

/// Starts at 0, never falls (or, `strict`, always rises), ends at `last`.
Status checkOffsets(const char *table, const std::vector<int64_t> &offsets,
                    int64_t last, bool strict) {
  if (offsets.front() != 0)
    return unexpected(at(table, 0) + " to be", 0, offsets.front());
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1] + (strict ? 1 : 0))
      return Error{"expected " + at(table, int64_t(i)) + " to be " +
                   (strict ? "above " : "at least ") +
                   std::to_string(offsets[i - 1]) + " but got " +
                   std::to_string(offsets[i])};
  if (offsets.back() != last)
    return unexpected("the last entry of " + std::string(table) + " to be",
                      last, offsets.back());
  return Success{};
}

class TablesChecker {
public:
  explicit TablesChecker(const Packed &packed) : packed(packed) {}

  Status run() {
    using Step = Status (TablesChecker::*)();
    for (Step step : {&TablesChecker::header, &TablesChecker::sizes,
                      &TablesChecker::offsets, &TablesChecker::spans})
      if (Status status = (this->*step)(); !status)
        return status;
    return Success{};
  }
  Status slotMap();

private:
  Status header();
  Status sizes();
  Status offsets();
  Status spans();
  Status span(size_t s);
  Status segments(size_t s);
  Status columns(size_t s);

  const Packed &packed;
};

Status TablesChecker::header() {
  if (packed.shape.size() != 2)
    return unexpected("the number of extents to be", 2,
                      int64_t(packed.shape.size()));
  for (int64_t extent : packed.shape)
    if (extent < 0 || extent > std::numeric_limits<int32_t>::max())
      return Error{"expected extents in 0..2147483647 but got " +
                   std::to_string(extent)};
  if (packed.nonzeros < 0 || packed.slots < packed.nonzeros)
    return Error{"expected at least as many slots as nonzeros but got " +
                 std::to_string(packed.slots) + " and " +
                 std::to_string(packed.nonzeros)};
  if (packed.groups < 0)
    return unexpected("the number of groups to be at least", 0, packed.groups);
  constexpr int64_t kMostTiles = std::numeric_limits<uint16_t>::max();
  if (packed.tilesTogether < 0 || packed.tilesTogether > kMostTiles)
    return Error{"expected at most " + std::to_string(kMostTiles) +
                 " tiles at the same time but got " +
                 std::to_string(packed.tilesTogether)};
  if (packed.stripBytes < 0 || packed.stripBytes > kWidestStrip ||
      packed.stripBytes % kStripUnit != 0)
    return Error{"expected strips of a multiple of " +
                 std::to_string(kStripUnit) + " bytes, at most " +
                 std::to_string(kWidestStrip) + ", but got " +
                 std::to_string(packed.stripBytes)};
  return packed.layout.check();
}

Status TablesChecker::sizes() {
  bool view = packed.layout.storage == Storage::View;
  int64_t spans = view ? 0 : packed.spans();
  int64_t segments = view ? 0 : packed.segments();
  int64_t slots = view ? 0 : packed.slots;
  unsigned bits = packed.layout.columnBits;
  int64_t shared = int64_t(packed.combineRow.size());
  if (packed.workerSpan.size() < 2)
    return Error{"expected at least 1 worker but got 0"};
  for (const Status &status :
       {checkSize("spanSlot", packed.spanSlot.size(), spans + 1),
        checkSize("spanSegment", packed.spanSegment.size(), spans + 1),
        checkSize("spanColumn", packed.spanColumn.size(), spans),
        checkSize("spanClass", packed.spanClass.size(), spans),
        checkSize("spanWidth", packed.spanWidth.size(), spans),
        checkSize("segmentRow", packed.segmentRow.size(), segments),
        checkSize("segmentTarget", packed.segmentTarget.size(), segments),
        checkSize("segmentEnd", packed.segmentEnd.size(), segments),
        checkSize("columns8", packed.columns8.size(), bits == 8 ? slots : 0),
        checkSize("columns16", packed.columns16.size(), bits == 16 ? slots : 0),
        checkSize("columns32", packed.columns32.size(), bits == 32 ? slots : 0),
        checkSize("slotOf", packed.slotOf.size(),
                  packed.isInOrder() ? 0 : packed.nonzeros),
        checkSize("combineRow", size_t(shared), view ? 0 : shared),
        checkSize("combineBegin", packed.combineBegin.size(), shared + 1),
        checkSize("segmentFirst", packed.segmentFirst.size(),
                  packed.segmentFirst.empty() ? 0 : segments),
        checkSize("workerGap", packed.workerGap.size(), packed.workers() + 1),
        checkSize("gapBegin", packed.gapBegin.size(), view ? 0 : packed.gaps()),
        checkSize("gapEnd", packed.gapEnd.size(), packed.gaps())})
    if (!status)
      return status;
  return Success{};
}

Status TablesChecker::offsets() {
  bool view = packed.layout.storage == Storage::View;
  for (const Status &status :
       {checkOffsets("workerSpan", packed.workerSpan, packed.spans(), false),
        checkOffsets("spanSlot", packed.spanSlot, view ? 0 : packed.slots,
                     true),
        checkOffsets("spanSegment", packed.spanSegment, packed.segments(),
                     true),
        checkOffsets("combineBegin", packed.combineBegin, packed.partialRows(),
                     true),
        checkOffsets("workerGap", packed.workerGap, packed.gaps(), false)})
    if (!status)
      return status;
  return Success{};
}

Status TablesChecker::spans() {
  for (size_t s = 0; s < size_t(packed.spans()); ++s) {
    if (Status status = span(s); !status)
      return status;
    if (Status status = segments(s); !status)
      return status;
    if (Status status = columns(s); !status)
      return status;
    auto check = blockClass(SegmentClass(packed.spanClass[s])).check;
    if (Status status = check ? check(packed, s) : Status(Success{}); !status)
      return status;
  }
  return Success{};
}

Status TablesChecker::span(size_t s) {
  int32_t kind = packed.spanClass[s];
  if (kind < 0 || unsigned(kind) >= kSegmentClasses ||
      !packed.layout.classes.contains(SegmentClass(kind)))
    return Error{"expected " + at("spanClass", int64_t(s)) +
                 " to be a permitted class but got " + std::to_string(kind)};
  int64_t column = packed.spanColumn[s];
  if (column < 0 || column >= packed.shape[1])
    return Error{"expected " + at("spanColumn", int64_t(s)) + " in 0.." +
                 std::to_string(packed.shape[1] - 1) + " but got " +
                 std::to_string(column)};
  int64_t slots = packed.spanSlot[s + 1] - packed.spanSlot[s];
  if (slots > std::numeric_limits<int32_t>::max())
    return unexpected("the slots of span " + std::to_string(s) +
                          " to be at most",
                      std::numeric_limits<int32_t>::max(), slots);
  bool wide = blockClass(SegmentClass(kind)).hasWidth;
  int64_t width = packed.spanWidth[s];
  // What else a width means its class proves.
  if (wide ? width < 1 || column + width > packed.shape[1] : width != 0)
    return Error{"expected " + at("spanWidth", int64_t(s)) +
                 (wide ? " to stay inside the columns" : " to be 0") +
                 " but got " + std::to_string(width)};
  return Success{};
}

Status TablesChecker::segments(size_t s) {
  int64_t slots = packed.spanSlot[s + 1] - packed.spanSlot[s];
  int64_t begin = 0;
  for (int64_t g = packed.spanSegment[s]; g < packed.spanSegment[s + 1]; ++g) {
    int64_t end = packed.segmentEnd[size_t(g)];
    if (end <= begin || end > slots)
      return Error{"expected " + at("segmentEnd", g) + " in " +
                   std::to_string(begin + 1) + ".." + std::to_string(slots) +
                   " but got " + std::to_string(end)};
    if (rowOf(packed.segmentRow[size_t(g)]) >= packed.shape[0])
      return Error{"expected the row of " + at("segmentRow", g) + " in 0.." +
                   std::to_string(packed.shape[0] - 1) + " but got " +
                   std::to_string(rowOf(packed.segmentRow[size_t(g)]))};
    begin = end;
  }
  if (begin != slots)
    return unexpected("the last segment of span " + std::to_string(s) +
                          " to end at",
                      slots, begin);
  return Success{};
}

Status TablesChecker::columns(size_t s) {
  for (int64_t k = packed.spanSlot[s]; k < packed.spanSlot[s + 1]; ++k) {
    const int64_t column = packed.columnAt(s, size_t(k));
    if (column < 0 || column >= packed.shape[1])
      return Error{"expected the column of slot " + std::to_string(k) +
                   " in 0.." + std::to_string(packed.shape[1] - 1) +
                   " but got " + std::to_string(column)};
  }
  return Success{};
}

Status TablesChecker::slotMap() {
  if (packed.isInOrder())
    return packed.slots == packed.nonzeros
               ? Status(Success{})
               : unexpected("slots in the order of the nonzeros to be",
                            packed.nonzeros, packed.slots);
  std::vector<bool> used(size_t(packed.slots), false);
  for (size_t n = 0; n < packed.slotOf.size(); ++n) {
    int64_t slot = packed.slotOf[n];
    if (slot < 0 || slot >= packed.slots || used[size_t(slot)])
      return Error{"expected " + at("slotOf", int64_t(n)) +
                   " to be a slot not used before but got " +
                   std::to_string(slot)};
    used[size_t(slot)] = true;
  }
  if (packed.layout.assumeFinite || packed.slots == packed.nonzeros)
    return Success{};
  return unexpected("slots without zero-filled ones to be", packed.nonzeros,
                    packed.slots);
}

} // namespace

Status Packed::check() const {
  TablesChecker tables(*this);
  if (Status status = tables.run(); !status)
    return status;
  if (Status status = checkWrittenRows(*this); !status)
    return status;
  return tables.slotMap();
}

} // namespace astfe::core
