//===- PackArrange.cpp - rows in slices, panels in windows ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lies between tiles is arranged for the host, over the chunks of a piece
// whose rows follow each other (a chunk alone may have too few).
//
// Slices: 512 rows are sorted by length, longest first and stable, and sixteen
// at a time make a slice if they fill four fifths of it. Rows that make none,
// long ones above all, follow, stored by rows. Windows: a panel of rows is cut
// at windows of columns, if its rows have enough nonzeros in a window and are
// not short ones that repeat the row before.
//
//===----------------------------------------------------------------------===//

#include "Pack/PackStages.h"
#include <algorithm>
#include <array>
#include <numeric>

namespace astfe::core {
namespace {

/// Rows of a panel that is cut at windows: their outputs fit the second cache
/// with room for much else.
constexpr size_t kPanelRows = 256;
/// Rows that are sorted by length together. The outputs of more would be shared
/// by workers line by line, and no longer be in the first cache: of cora's 2708
/// rows sorted all together a product took 1.4 times as long.
constexpr size_t kSortedRows = 512;
/// One in so many columns of a window is a nonzero of a row, or it is not worth
/// while: its sums are loaded and stored once for each window. Wider windows
/// are those of narrower operands, where a nonzero is less work.
constexpr int64_t kWindowSparsity = 12;
/// How often a panel uses a row of a window of the dense operand on average, at
/// least: where the operand is wider than a column tile the window is copied.
constexpr int64_t kWindowUses = 8;
/// Where a row has one in so many of its columns from the row before, and no
/// more than a window has, the first cache has their rows of the dense operand
/// anyway, and a window's own sums cost more than it saves; but not where those
/// rows are wider than a column tile, parts of which come from far apart. Every
/// so many rows are looked at, an odd number: rows often come in twos or fours.
constexpr int64_t kFromRowBefore = 2, kLookedAt = 7;

/// Sorted nonzeros of one row.
struct RowRun {
  int64_t begin, end;
  int64_t count() const { return end - begin; }
};

bool isTile(const PlannedSpan &span) {
  return span.kind == SegmentClass::DenseTile ||
         span.kind == SegmentClass::RowTiles;
}

class Arranger {
public:
  Arranger(SortedNonzeros &nonzeros, int64_t begin, int64_t columns,
           const PackOptions &options, int64_t *moved, SpanRoom &room)
      : nonzeros(nonzeros), columns(columns), layout(options.layout),
        limit(options.maxSpanSlots), windowColumns(options.windowColumns),
        isWide(options.denseBytes > kPanelBytes), moved(moved), room(room),
        left(begin) {}

  std::vector<PlannedSpan> run(const std::vector<PlannedSpan> &spans,
                               int64_t end);

  /// Something was moved.
  bool arranged = false;

private:
  bool permits(SegmentClass kind) const {
    return layout.classes.contains(kind);
  }
  int32_t row(int64_t i) const { return nonzeros.row[size_t(i)]; }
  int32_t column(int64_t i) const { return nonzeros.column[size_t(i)]; }
  int64_t newRow(int64_t i) const {
    return nonzeros.numbers.empty() ? row(i) : nonzeros.numbers[size_t(row(i))];
  }
  bool continues(const PlannedSpan &first, const PlannedSpan &next) const;
  bool arrangeRows(int64_t begin, int64_t end, int32_t base);
  void findRows(int64_t begin, int64_t end);
  bool windowed() const;
  int64_t columnsOf(const RowRun &before, const RowRun &run) const;
  void makeWindows();
  void makeWindow(int64_t window, std::vector<RowRun> &left);
  bool makeSlices(int32_t base);
  void makeSlices(size_t begin, size_t end, int32_t base);
  void sortByLength(size_t begin, size_t end);
  bool slicesAt(size_t r, size_t end) const;
  void makeSlice(size_t r);
  void makeRest(std::vector<RowRun> &rest, int32_t base);
  /// The next nonzero in the new order, or all of a row.
  void take(int64_t i) {
    room.row[size_t(taken)] = row(i);
    room.column[size_t(taken)] = column(i);
    moved[i] = first + taken++;
  }
  void take(const RowRun &run);
  void open(SegmentClass kind, int64_t column, int64_t width) {
    result.push_back({kind, int32_t(column), int32_t(width), first + taken, 0});
  }
  /// Goes on with the last span of these rows where it is one of that kind.
  void openUnlessOpen(SegmentClass kind, int64_t column) {
    if (result.size() == firstSpan || result.back().kind != kind)
      open(kind, column, 0);
  }
  void leave(int64_t end);
  void move();

  SortedNonzeros &nonzeros;
  int64_t columns;
  const Layout &layout;
  int64_t limit, windowColumns;
  bool isWide; ///< rows of the dense operands are, as far as is known
  int64_t *moved;
  SpanRoom &room;
  std::vector<PlannedSpan> result;
  std::vector<RowRun> rows;
  /// Nonzeros from here on have no entry in `moved` yet.
  int64_t left;
  int64_t first = 0;    ///< of the nonzeros that are being arranged
  int64_t taken = 0;    ///< those that have a new place, in the room
  size_t firstSpan = 0; ///< in `result`, of the slices that are made
  std::vector<uint32_t> lengths;
  std::vector<RowRun> sorted;
};

std::vector<PlannedSpan> Arranger::run(const std::vector<PlannedSpan> &spans,
                                       int64_t end) {
  for (size_t s = 0; s < spans.size();) {
    size_t last = s + 1;
    while (last < spans.size() && continues(spans[s], spans[last]))
      ++last;
    int64_t runEnd = last < spans.size() ? spans[last].begin : end;
    if (isTile(spans[s]) ||
        !arrangeRows(spans[s].begin, runEnd, spans[s].column)) {
      result.insert(result.end(), spans.begin() + int64_t(s),
                    spans.begin() + int64_t(last));
    } else {
      leave(spans[s].begin);
      move();
      left = runEnd;
    }
    s = last;
  }
  if (arranged)
    leave(end);
  return std::move(result);
}

/// What comes before `end` and was not moved stays where it is.
void Arranger::leave(int64_t end) {
  arranged = true;
  std::iota(moved + left, moved + end, left);
  left = end;
}

/// Whether the rows of a span may be arranged with those of spans before it:
/// ascending numbers, so that no row comes twice.
bool Arranger::continues(const PlannedSpan &first,
                         const PlannedSpan &next) const {
  return !isTile(first) && !isTile(next) && first.column == next.column &&
         newRow(next.begin) > newRow(next.begin - 1);
}

bool Arranger::arrangeRows(int64_t begin, int64_t end, int32_t base) {
  findRows(begin, end);
  first = begin;
  taken = 0;
  const auto size = size_t(end - begin + kSliceRows);
  if (room.row.size() < size) {
    room.row = Table<int32_t>(size);
    room.column = Table<int32_t>(size);
  }
  if (permits(SegmentClass::RowWindows) && windowed())
    makeWindows();
  else if (!permits(SegmentClass::RowSlices) || !makeSlices(base))
    return false;
  return true;
}

/// Those of the nonzeros [begin, end).
void Arranger::findRows(int64_t begin, int64_t end) {
  const int64_t *start = room.starts.data();
  start = std::lower_bound(start, start + room.rows, begin);
  rows.clear();
  for (; *start < end; ++start)
    rows.push_back({start[0], start[1]});
}

void Arranger::take(const RowRun &run) {
  std::fill_n(room.row.data() + taken, run.count(), row(run.begin));
  std::copy_n(nonzeros.column.data() + run.begin, run.count(),
              room.column.data() + taken);
  std::iota(moved + run.begin, moved + run.end, first + taken);
  taken += run.count();
}

/// The nonzeros of the run in their new order.
void Arranger::move() {
  std::copy_n(room.row.data(), taken, nonzeros.row.data() + first);
  std::copy_n(room.column.data(), taken, nonzeros.column.data() + first);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// How many columns of a row are those of another; both ascend.
int64_t Arranger::columnsOf(const RowRun &before, const RowRun &run) const {
  int64_t count = 0;
  for (int64_t i = run.begin, j = before.begin; i < run.end; ++i) {
    while (j < before.end && column(j) < column(i))
      ++j;
    if (j == before.end)
      break;
    count += column(j) == column(i);
  }
  return count;
}

bool Arranger::windowed() const {
  const int64_t all = rows.back().end - rows.front().begin;
  int64_t compared = 0, shared = 0;
  std::vector<int64_t> windows; // that rows touch, panel by panel
  std::vector<size_t> panels;   // where each ends
  for (size_t r = 0; r < rows.size(); ++r) {
    const RowRun &run = rows[r];
    for (int64_t i = run.begin, end = 0; i < run.end; ++i) {
      // Columns may be in a permutation's order: no windows then.
      if (i > run.begin && column(i) < column(i - 1))
        return false;
      if (i > run.begin && column(i) < end)
        continue;
      windows.push_back(column(i) / windowColumns);
      end = (windows.back() + 1) * windowColumns;
    }
    if (r % kLookedAt == 1) {
      compared += run.count();
      shared += columnsOf(rows[r - 1], run);
    }
    // Most matrices are far from it: few of their rows tell.
    if (windowColumns * int64_t(windows.size()) > kWindowSparsity * all)
      return false;
    if ((r + 1) % kPanelRows == 0 || r + 1 == rows.size())
      panels.push_back(windows.size());
  }
  int64_t used = 0;
  auto begin = windows.begin();
  for (size_t panel : panels) {
    auto end = windows.begin() + int64_t(panel);
    std::sort(begin, end);
    used += std::unique(begin, end) - begin;
    begin = end;
  }
  if (kWindowUses * windowColumns * used > all)
    return false;
  const bool isShort = all <= windowColumns * int64_t(rows.size());
  return isWide || !isShort || kFromRowBefore * shared <= compared;
}

void Arranger::makeWindows() {
  for (size_t begin = 0; begin < rows.size(); begin += kPanelRows) {
    size_t end = std::min(rows.size(), begin + kPanelRows);
    std::vector<RowRun> left(rows.begin() + int64_t(begin),
                             rows.begin() + int64_t(end));
    while (!left.empty()) {
      int32_t smallest = column(left.front().begin);
      for (const RowRun &run : left)
        smallest = std::min(smallest, column(run.begin));
      makeWindow(smallest / windowColumns, left);
    }
  }
}

/// The nonzeros of a window; `left` keeps the others.
void Arranger::makeWindow(int64_t window, std::vector<RowRun> &left) {
  int64_t begin = window * windowColumns;
  int64_t width = std::min(windowColumns, columns - begin);
  std::vector<RowRun> inside;
  size_t kept = 0;
  for (RowRun run : left) {
    int64_t i = run.begin;
    while (i < run.end && column(i) < begin + width)
      ++i;
    if (i != run.begin)
      inside.push_back({run.begin, i});
    if (i != run.end)
      left[kept++] = {i, run.end};
  }
  left.resize(kept);
  if (inside.empty())
    return;
  open(SegmentClass::RowWindows, begin, width);
  result.back().segments = int64_t(inside.size());
  for (const RowRun &run : inside)
    take(run);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

bool Arranger::makeSlices(int32_t base) {
  if (rows.size() < size_t(kSliceRows))
    return false;
  firstSpan = result.size();
  for (size_t begin = 0; begin < rows.size(); begin += kSortedRows)
    makeSlices(begin, std::min(rows.size(), begin + kSortedRows), base);
  return true;
}

/// Longest first, stably: the lengths are counted where they are few.
void Arranger::sortByLength(size_t begin, size_t end) {
  const auto from = rows.begin() + int64_t(begin),
             to = rows.begin() + int64_t(end);
  int64_t least = from->count(), most = least;
  for (auto row = from; row != to; ++row) {
    least = std::min(least, row->count());
    most = std::max(most, row->count());
  }
  if (most - least > int64_t(kSortedRows)) {
    std::sort(from, to, [](const RowRun &a, const RowRun &b) {
      return std::make_pair(-a.count(), a.begin) <
             std::make_pair(-b.count(), b.begin);
    });
    return;
  }
  // Where the rows of a length begin is how many are longer.
  lengths.assign(size_t(most - least) + 2, 0);
  for (auto row = from; row != to; ++row)
    ++lengths[size_t(most - row->count()) + 1];
  for (size_t i = 1; i < lengths.size(); ++i)
    lengths[i] += lengths[i - 1];
  sorted.resize(end - begin);
  for (auto row = from; row != to; ++row)
    sorted[lengths[size_t(most - row->count())]++] = *row;
  std::copy(sorted.begin(), sorted.end(), from);
}

void Arranger::makeSlices(size_t begin, size_t end, int32_t base) {
  sortByLength(begin, end);
  std::vector<RowRun> rest;
  for (size_t r = begin; r < end;) {
    if (!slicesAt(r, end)) {
      rest.push_back(rows[r++]);
      continue;
    }
    openUnlessOpen(SegmentClass::RowSlices, base);
    makeSlice(r);
    r += size_t(kSliceRows);
  }
  makeRest(rest, base);
}

/// Whether the rows from `r` on fill a slice to four fifths.
bool Arranger::slicesAt(size_t r, size_t end) const {
  if (end - r < size_t(kSliceRows))
    return false;
  int64_t count = 0;
  for (size_t lane = 0; lane < size_t(kSliceRows); ++lane)
    count += rows[r + lane].count();
  int64_t slots = kSliceRows * rows[r].count();
  return slots <= limit && count >= slots - slots / 5;
}

void Arranger::makeSlice(size_t r) {
  constexpr auto kLanes = size_t(kSliceRows);
  std::array<int32_t, kLanes> laneRow;
  std::array<int64_t, kLanes> next;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    next[lane] = rows[r + lane].begin;
    laneRow[lane] = row(next[lane]);
  }
  const int32_t *column = nonzeros.column.data();
  size_t lanes = kLanes; // that are not used up: the longest rows
  for (int64_t round = 0; round < rows[r].count(); ++round) {
    while (rows[r + lanes - 1].count() <= round)
      --lanes;
    // Rows of all lanes: the next round overwrites what is too much.
    std::copy_n(laneRow.data(), kLanes, room.row.data() + taken);
    int32_t *columns = room.column.data() + taken;
    int64_t *const places = moved;
    const int64_t place = first + taken;
    for (size_t lane = 0; lane < lanes; ++lane) {
      columns[lane] = column[next[lane]];
      places[next[lane]++] = place + int64_t(lane);
    }
    taken += int64_t(lanes);
  }
  result.back().segments += kSliceRows;
}

void Arranger::makeRest(std::vector<RowRun> &rest, int32_t base) {
  if (rest.empty())
    return;
  std::sort(rest.begin(), rest.end(),
            [](const RowRun &a, const RowRun &b) { return a.begin < b.begin; });
  bool byRows = permits(SegmentClass::RowSegments);
  openUnlessOpen(byRows ? SegmentClass::RowSegments : SegmentClass::Scattered,
                 base);
  for (const RowRun &run : rest) {
    take(run);
    result.back().segments += byRows ? 1 : run.count();
  }
}

} // namespace

bool arrange(SortedNonzeros &nonzeros, int64_t end, int64_t columns,
             const PackOptions &options, std::vector<PlannedSpan> &spans,
             int64_t *moved, SpanRoom &room) {
  Arranger arranger(nonzeros, spans.front().begin, columns, options, moved,
                    room);
  spans = arranger.run(spans, end);
  return arranger.arranged;
}

} // namespace astfe::core
