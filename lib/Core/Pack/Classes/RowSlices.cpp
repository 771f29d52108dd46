//===- RowSlices.cpp - rows of about the same length, in slices ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 512 rows are sorted by length, longest first and stable, and sixteen at a
// time make a slice if they fill four fifths of it. Rows that make none, long
// ones above all, follow, stored by rows. (SELL-C-sigma with C = 16 and sigma =
// 512, where nothing is padded.)
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/RowLengths.h"
#include "Pack/Classes/SpanWalker.h"
#include "Pack/SpanCutter.h"
#include <algorithm>
#include <array>

namespace astfe::core {
namespace {

class Slicer {
public:
  explicit Slicer(RowRepacker &of) : of(of), rows(of.rows) {}

  void run() {
    for (size_t begin = 0; begin < rows.size(); begin += rules::kSortedRows)
      makeSlices(begin, std::min(rows.size(), begin + rules::kSortedRows));
  }

private:
  void makeSlices(size_t begin, size_t end);
  bool slicesAt(size_t r, size_t end) const;
  void makeSlice(size_t r);
  void makeRest(std::vector<SortedRow> &rest);

  RowRepacker &of;
  std::vector<SortedRow> &rows;
  LengthSorter lengths;
};

void Slicer::makeSlices(size_t begin, size_t end) {
  lengths.sort(rows, begin, end);
  std::vector<SortedRow> rest;
  for (size_t r = begin; r < end;) {
    if (!slicesAt(r, end)) {
      rest.push_back(rows[r++]);
      continue;
    }
    of.openUnlessOpen(SegmentClass::RowSlices);
    makeSlice(r);
    r += size_t(kSliceRows);
  }
  makeRest(rest);
}

/// Whether the rows from `r` on fill a slice to four fifths.
bool Slicer::slicesAt(size_t r, size_t end) const {
  if (end - r < size_t(kSliceRows))
    return false;
  int64_t count = 0;
  for (size_t lane = 0; lane < size_t(kSliceRows); ++lane)
    count += rows[r + lane].count();
  int64_t slots = kSliceRows * rows[r].count();
  return slots <= of.options.maxSpanSlots && count >= slots - slots / 5;
}

void Slicer::makeSlice(size_t r) {
  constexpr auto kLanes = size_t(kSliceRows);
  std::array<int32_t, kLanes> laneRow;
  std::array<int64_t, kLanes> next;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    next[lane] = rows[r + lane].begin;
    laneRow[lane] = of.row(next[lane]);
  }
  const int32_t *column = of.columnData();
  size_t lanes = kLanes; // that are not used up: the longest rows
  for (int64_t round = 0; round < rows[r].count(); ++round) {
    while (rows[r + lanes - 1].count() <= round)
      --lanes;
    // Rows of all lanes: the next round overwrites what is too much.
    std::copy_n(laneRow.data(), kLanes, of.nextRow());
    int32_t *columns = of.nextColumn();
    int64_t *const places = of.places();
    const int64_t place = of.nextPlace();
    for (size_t lane = 0; lane < lanes; ++lane) {
      columns[lane] = column[next[lane]];
      places[next[lane]++] = place + int64_t(lane);
    }
    of.took(int64_t(lanes));
  }
  of.addSegments(kSliceRows);
}

void Slicer::makeRest(std::vector<SortedRow> &rest) {
  if (rest.empty())
    return;
  std::sort(
      rest.begin(), rest.end(),
      [](const SortedRow &a, const SortedRow &b) { return a.begin < b.begin; });
  bool byRows = of.permits(SegmentClass::RowSegments);
  of.openUnlessOpen(byRows ? SegmentClass::RowSegments
                           : SegmentClass::Scattered);
  for (const SortedRow &run : rest) {
    of.take(run);
    of.addSegments(byRows ? 1 : run.count());
  }
}

bool repack(RowRepacker &rows) {
  if (rows.rows.size() < size_t(kSliceRows))
    return false;
  Slicer(rows).run();
  return true;
}

/// The rows of a slice come one after the other, round after round: a row that
/// is neither the round's next nor the slice's first begins another slice.
void place(const SortedNonzeros &nonzeros, PackPlan &plan, size_t span,
           int64_t end) {
  const int32_t *row = nonzeros.row.data();
  int32_t *rows = plan.segmentRow.data() + plan.firstSegment[span];
  int64_t *ends = plan.segmentSlot.data() + plan.firstSegment[span] + 1;
  int64_t slices = plan.spans[span].segments / kSliceRows;
  int64_t i = plan.spans[span].begin, slot = plan.firstSlot[span];
  for (int64_t slice = 0; slice < slices; ++slice) {
    int64_t lengths[kSliceRows] = {};
    std::copy(row + i, row + i + kSliceRows, rows);
    for (int64_t lane = 0; i < end; ++lane) {
      if (lane == kSliceRows || row[i] != rows[lane])
        lane = 0;
      if (row[i] != rows[lane])
        break;
      ++lengths[lane];
      ++i;
    }
    for (int64_t length : lengths)
      *ends++ = slot += length;
    rows += kSliceRows;
  }
}

/// Slices are kept whole; what is cut off one is scattered.
void cut(SpanCutter &cutter, SegmentClass kind, int64_t begin, int64_t end) {
  cutter.cutGroups(kind, kSliceRows, SegmentClass::Scattered, begin, end);
}

/// The segment of each slot of the slice that holds a segment.
std::vector<int64_t> segmentsOfSlots(const PackPlan &plan, size_t span,
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

/// Slices are whole and have their longest rows first.
Status check(const Packed &packed, size_t s) {
  int64_t first = packed.spanSegment[s], last = packed.spanSegment[s + 1];
  if ((last - first) % kSliceRows != 0)
    return Error{"expected the segments of span " + std::to_string(s) +
                 " to make slices of " + std::to_string(kSliceRows) +
                 " but got " + std::to_string(last - first)};
  int64_t begin = 0, above = 0;
  for (int64_t g = first; g < last; ++g) {
    int64_t length = packed.segmentEnd[size_t(g)] - begin;
    if ((g - first) % kSliceRows != 0 && length > above)
      return Error{"expected segment " + std::to_string(g) +
                   " of a slice to be no longer than " + std::to_string(above) +
                   " but got " + std::to_string(length)};
    above = length;
    begin += length;
  }
  return Success{};
}

void walk(SpanWalker &walker, const PlannedSpan &span, int64_t end) {
  walker.interleaved(span.begin, end);
}

/// With dense columns the lanes of a vector are columns.
bool pays(const DenseUse &use) { return use.oneColumn; }

constexpr BlockClass record() {
  BlockClass blocks;
  blocks.repack = repack;
  blocks.place = place;
  blocks.cut = cut;
  blocks.segmentsOfSlots = segmentsOfSlots;
  blocks.check = check;
  blocks.walk = walk;
  blocks.pays = pays;
  return blocks;
}

} // namespace

const BlockClass kRowSlicesBlocks = record();

} // namespace astfe::core
