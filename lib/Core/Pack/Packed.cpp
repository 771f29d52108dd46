//===- Packed.cpp - what a packed pattern promises ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed::check proves every sentence of Packed.h's comment, so that a kernel
// which trusts the tables of a checked pattern stays inside all of its arrays.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Packed.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/RowNumbers.h"
#include <algorithm>
#include <limits>

namespace astfe::core {
namespace {

Error unexpected(const std::string &what, int64_t expected, int64_t got) {
  return Error{"expected " + what + " " + std::to_string(expected) +
               " but got " + std::to_string(got)};
}

std::string at(const char *table, int64_t index) {
  return std::string(table) + "[" + std::to_string(index) + "]";
}

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

class PackedChecker {
public:
  explicit PackedChecker(const Packed &packed) : packed(packed) {}

  Status run() {
    using Step = Status (PackedChecker::*)();
    for (Step step : {&PackedChecker::header, &PackedChecker::sizes,
                      &PackedChecker::offsets, &PackedChecker::spans,
                      &PackedChecker::partials, &PackedChecker::sharing,
                      &PackedChecker::starts, &PackedChecker::gaps,
                      &PackedChecker::slotMap})
      if (Status status = (this->*step)(); !status)
        return status;
    return Success{};
  }

private:
  Status header();
  Status sizes();
  Status offsets();
  Status spans();
  Status span(size_t s);
  Status segments(size_t s);
  Status columns(size_t s);
  Status partials();
  Status sharing();
  Status sharedSegment(int64_t worker, size_t g);
  Status starts();
  Status gaps();
  Status slotMap();

  static int32_t rowOf(int32_t entry) { return entry < 0 ? ~entry : entry; }

  const Packed &packed;
  /// The shared row and the worker of each partial row; -1 where unknown.
  std::vector<int32_t> partialRow;
  std::vector<int64_t> partialWorker;
  /// Whether a segment writes a row, by its number.
  std::vector<bool> written;
};

Status PackedChecker::header() {
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
  if (packed.stripBytes < 0 || packed.stripBytes > kWidestStrip ||
      packed.stripBytes % kStripUnit != 0)
    return Error{"expected strips of a multiple of " +
                 std::to_string(kStripUnit) + " bytes, at most " +
                 std::to_string(kWidestStrip) + ", but got " +
                 std::to_string(packed.stripBytes)};
  return packed.layout.check();
}

Status PackedChecker::sizes() {
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
        checkSize("slotOf", packed.slotOf.size(), view ? 0 : packed.nonzeros),
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

Status PackedChecker::offsets() {
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

Status PackedChecker::spans() {
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

Status PackedChecker::span(size_t s) {
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

Status PackedChecker::segments(size_t s) {
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

Status PackedChecker::columns(size_t s) {
  for (int64_t k = packed.spanSlot[s]; k < packed.spanSlot[s + 1]; ++k) {
    const int64_t column = packed.columnAt(s, size_t(k));
    if (column < 0 || column >= packed.shape[1])
      return Error{"expected the column of slot " + std::to_string(k) +
                   " in 0.." + std::to_string(packed.shape[1] - 1) +
                   " but got " + std::to_string(column)};
  }
  return Success{};
}

/// Shared rows ascend, and their partial rows are 0, 1, ..., each once.
Status PackedChecker::partials() {
  partialRow.assign(size_t(packed.partialRows()), -1);
  partialWorker.assign(size_t(packed.partialRows()), -1);
  for (size_t i = 0; i < packed.combineRow.size(); ++i) {
    int32_t row = packed.combineRow[i];
    if (row < 0 || row >= packed.shape[0] ||
        (i != 0 && row <= packed.combineRow[i - 1]))
      return Error{"expected " + at("combineRow", int64_t(i)) +
                   " to be an ascending row but got " + std::to_string(row)};
    if (packed.combineBegin[i + 1] - packed.combineBegin[i] < 2)
      return Error{"expected at least 2 partial rows for the shared row " +
                   std::to_string(row) + " but got 1"};
    for (int64_t j = packed.combineBegin[i]; j < packed.combineBegin[i + 1];
         ++j) {
      int64_t partial = packed.combinePartial[size_t(j)];
      if (partial < 0 || partial >= packed.partialRows() ||
          partialRow[size_t(partial)] != -1)
        return Error{"expected " + at("combinePartial", j) +
                     " to be a partial row not used before but got " +
                     std::to_string(partial)};
      partialRow[size_t(partial)] = row;
    }
  }
  return Success{};
}

/// Rows of one worker go straight to the output, shared ones to a partial row
/// that no other worker writes.
Status PackedChecker::sharing() {
  RowNumbers numbers(packed);
  std::vector<int64_t> owner(numbers.count(), -1);
  int32_t shared = std::numeric_limits<int32_t>::max();
  for (int64_t worker = 0; worker < packed.workers(); ++worker) {
    int64_t end =
        packed.spanSegment[size_t(packed.workerSpan[size_t(worker) + 1])];
    for (int64_t g =
             packed.spanSegment[size_t(packed.workerSpan[size_t(worker)])];
         g < end; ++g) {
      if (Status status = sharedSegment(worker, size_t(g)); !status)
        return status;
      int32_t row = packed.segmentRow[size_t(g)];
      if (row < 0)
        continue;
      int64_t &first = owner[numbers.number(row)];
      if (first != -1 && first != worker)
        shared = std::min(shared, row);
      first = worker;
    }
  }
  for (size_t p = 0; p < partialWorker.size(); ++p)
    if (partialWorker[p] == -1)
      return Error{"expected partial row " + std::to_string(p) +
                   " to be written but no segment does"};
  if (shared != std::numeric_limits<int32_t>::max())
    return Error{"expected row " + std::to_string(shared) +
                 " to be shared, as more than one worker writes it"};
  // Their partial rows are written, so that all of these have a number.
  for (int32_t row : packed.combineRow)
    if (owner[numbers.number(row)] != -1)
      return Error{"expected all segments of the shared row " +
                   std::to_string(row) + " to be marked as shared"};
  return Success{};
}

Status PackedChecker::sharedSegment(int64_t worker, size_t g) {
  int32_t row = packed.segmentRow[g], target = packed.segmentTarget[g];
  if (row >= 0) {
    if (target != row)
      return unexpected(at("segmentTarget", int64_t(g)) + " to be", row,
                        target);
    return Success{};
  }
  if (target >= 0 || ~target >= packed.partialRows())
    return Error{"expected " + at("segmentTarget", int64_t(g)) +
                 " to be the complement of a partial row but got " +
                 std::to_string(target)};
  size_t partial = size_t(~target);
  if (partialRow[partial] != ~row)
    return unexpected("partial row " + std::to_string(partial) +
                          " to belong to row",
                      partialRow[partial], ~row);
  if (partialWorker[partial] != -1 && partialWorker[partial] != worker)
    return unexpected("partial row " + std::to_string(partial) +
                          " to be written by worker",
                      partialWorker[partial], worker);
  partialWorker[partial] = worker;
  return Success{};
}

/// The first segment that writes a target is marked, and no other.
Status PackedChecker::starts() {
  RowNumbers numbers(packed);
  written.assign(numbers.count(), false);
  std::vector<bool> begun(numbers.count() + size_t(packed.partialRows()));
  bool repeats = false;
  for (size_t g = 0; g < size_t(packed.segments()); ++g) {
    written[numbers.number(rowOf(packed.segmentRow[g]))] = true;
    int32_t target = packed.segmentTarget[g];
    size_t place =
        target < 0 ? numbers.count() + size_t(~target) : numbers.number(target);
    bool first = !begun[place];
    begun[place] = true;
    repeats |= !first;
    bool marked = packed.segmentFirst.empty() || packed.segmentFirst[g] == 1;
    if (marked != first || (!marked && packed.segmentFirst[g] != 0))
      return Error{"expected segment " + std::to_string(g) +
                   (first ? " to be marked as the first of its target"
                          : " to be marked as not the first of its target")};
  }
  if (!packed.segmentFirst.empty() && !repeats)
    return unexpected("the number of entries of segmentFirst, as all are first,"
                      " to be",
                      0, packed.segments());
  return Success{};
}

/// Gaps ascend and are just the rows that no segment writes.
Status PackedChecker::gaps() {
  RowNumbers numbers(packed);
  int64_t unwritten =
      packed.layout.storage == Storage::View
          ? 0
          : packed.shape[0] - std::count(written.begin(), written.end(), true);
  int64_t next = 0;
  size_t n = 0;
  for (size_t i = 0; i < packed.gapBegin.size(); ++i) {
    int64_t begin = packed.gapBegin[i], end = packed.gapEnd[i];
    if (begin < next || end <= begin || end > packed.shape[0])
      return Error{"expected " + at("gapBegin", int64_t(i)) +
                   " to begin an ascending run of rows but got " +
                   std::to_string(begin) + ".." + std::to_string(end)};
    while (n < written.size() && (!written[n] || numbers.row(n) < begin))
      ++n;
    if (n < written.size() && numbers.row(n) < end)
      return Error{"expected no segment to write row " +
                   std::to_string(numbers.row(n)) + " of a gap"};
    unwritten -= end - begin;
    next = end;
  }
  if (unwritten != 0)
    return unexpected("the rows without a segment that are in no gap to be", 0,
                      unwritten);
  return Success{};
}

Status PackedChecker::slotMap() {
  if (packed.layout.storage == Storage::View)
    return packed.slots == packed.nonzeros
               ? Status(Success{})
               : unexpected("the slots of a view to be", packed.nonzeros,
                            packed.slots);
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

int64_t Packed::columnAt(size_t span, size_t slot) const {
  switch (layout.columnBits) {
  case 8:
    return spanColumn[span] + columns8[slot];
  case 16:
    return spanColumn[span] + columns16[slot];
  default:
    return columns32[slot];
  }
}

ClassSet Packed::classes() const {
  ClassSet found;
  for (int32_t kind : spanClass)
    found = found.with(SegmentClass(kind));
  return found;
}

std::vector<int64_t> Packed::workerOffsets() const {
  std::vector<int64_t> offsets;
  offsets.reserve(workerSpan.size());
  for (int64_t span : workerSpan)
    offsets.push_back(spanSlot[size_t(span)]);
  return offsets;
}

Status Packed::check() const { return PackedChecker(*this).run(); }

} // namespace astfe::core
