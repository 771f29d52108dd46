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
// at windows of columns, if its rows have enough nonzeros in a window; rows of
// a window are paired where they share enough columns.
//
//===----------------------------------------------------------------------===//

#include "PackPairs.h"
#include "PackStages.h"
#include <algorithm>
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
/// so many rows are looked at.
constexpr int64_t kFromRowBefore = 2, kLookedAt = 8;

bool isTile(const PlannedSpan &span) {
  return span.kind == SegmentClass::DenseTile ||
         span.kind == SegmentClass::RowTiles;
}

class Arranger {
public:
  Arranger(SortedNonzeros &nonzeros, int64_t begin, int64_t columns,
           const PackOptions &options, int64_t *moved)
      : nonzeros(nonzeros), columns(columns), layout(options.layout),
        limit(options.maxSpanSlots), windowColumns(options.windowColumns),
        isWide(options.denseBytes > kPanelBytes), moved(moved), left(begin) {}

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
  /// What columns are stored relative to: nothing where all fit as they are.
  int32_t base(const PlannedSpan &span) const {
    bool fits = columns <= int64_t(1) << layout.columnBits;
    return fits ? 0 : span.column;
  }
  bool continues(const PlannedSpan &first, const PlannedSpan &next) const;
  bool arrangeRows(int64_t begin, int64_t end, int32_t base);
  bool windowed() const;
  int64_t columnsOf(const RowRun &before, const RowRun &run) const;
  void makeWindows();
  void makeWindow(int64_t window, std::vector<RowRun> &left);
  std::vector<RowRun> makePairs(const std::vector<RowRun> &inside,
                                const Pairing &pairing);
  bool makeSlices(int32_t base);
  void makeSlices(size_t begin, size_t end, int32_t base);
  bool slicesAt(size_t r, size_t end) const;
  void makeSlice(size_t r);
  void makeRest(std::vector<RowRun> &rest, int32_t base);
  void take(int64_t i) { order.push_back(i); }
  void open(SegmentClass kind, int64_t column, int64_t width) {
    result.push_back({kind, int32_t(column), int32_t(width),
                      first + int64_t(order.size()), 0});
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
  std::vector<PlannedSpan> result;
  std::vector<RowRun> rows;
  /// Nonzeros from here on have no entry in `moved` yet.
  int64_t left;
  int64_t first = 0;          ///< of the nonzeros that are being arranged
  size_t firstSpan = 0;       ///< in `result`, of the slices that are made
  std::vector<int64_t> order; ///< their new order
};

std::vector<PlannedSpan> Arranger::run(const std::vector<PlannedSpan> &spans,
                                       int64_t end) {
  for (size_t s = 0; s < spans.size();) {
    size_t last = s + 1;
    while (last < spans.size() && continues(spans[s], spans[last]))
      ++last;
    int64_t runEnd = last < spans.size() ? spans[last].begin : end;
    if (isTile(spans[s]) ||
        !arrangeRows(spans[s].begin, runEnd, base(spans[s]))) {
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
  return !isTile(first) && !isTile(next) && base(first) == base(next) &&
         newRow(next.begin) > newRow(next.begin - 1);
}

bool Arranger::arrangeRows(int64_t begin, int64_t end, int32_t base) {
  rows.clear();
  for (int64_t i = begin; i < end;) {
    const int64_t from = i;
    while (++i < end && row(i) == row(from))
      continue;
    rows.push_back({from, i});
  }
  first = begin;
  order.clear();
  order.reserve(size_t(end - begin));
  if (permits(SegmentClass::RowWindows) && windowed())
    makeWindows();
  else if (!permits(SegmentClass::RowSlices) || !makeSlices(base))
    return false;
  return true;
}

/// The nonzeros of the run in their new order.
void Arranger::move() {
  std::vector<int32_t> movedRow, movedColumn;
  movedRow.reserve(order.size());
  movedColumn.reserve(order.size());
  for (int64_t i : order) {
    moved[i] = first + int64_t(movedRow.size());
    movedRow.push_back(row(i));
    movedColumn.push_back(column(i));
  }
  std::copy(movedRow.begin(), movedRow.end(), nonzeros.row.data() + first);
  std::copy(movedColumn.begin(), movedColumn.end(),
            nonzeros.column.begin() + first);
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
  int64_t touched = 0, used = 0, compared = 0, shared = 0;
  std::vector<int64_t> windows; // of the panel, once for each row
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
      ++touched;
    }
    if (r % kLookedAt == 1) {
      compared += run.count();
      shared += columnsOf(rows[r - 1], run);
    }
    // Most matrices are far from it: few of their rows tell.
    if (windowColumns * touched > kWindowSparsity * all)
      return false;
    if ((r + 1) % kPanelRows != 0 && r + 1 != rows.size())
      continue;
    std::sort(windows.begin(), windows.end());
    used += std::unique(windows.begin(), windows.end()) - windows.begin();
    windows.clear();
    if (kWindowUses * windowColumns * used > all)
      return false;
  }
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
  if (permits(SegmentClass::RowPairs)) {
    Pairing pairing = pairRows(inside, nonzeros.column.data(), begin);
    if (!pairing.paired.empty()) {
      open(SegmentClass::RowPairs, begin, width);
      inside = makePairs(inside, pairing);
    }
  }
  if (inside.empty())
    return;
  open(SegmentClass::RowWindows, begin, width);
  result.back().segments = int64_t(inside.size());
  for (const RowRun &run : inside)
    for (int64_t i = run.begin; i < run.end; ++i)
      take(i);
}

/// Takes the pairs; the result are the other rows.
std::vector<RowRun> Arranger::makePairs(const std::vector<RowRun> &inside,
                                        const Pairing &pairing) {
  SharedFirst rows;
  for (size_t p = 0; p < pairing.paired.size(); p += 2) {
    rows.split(inside[pairing.paired[p]], inside[pairing.paired[p + 1]],
               nonzeros.column.data());
    order.insert(order.end(), rows.first.begin(), rows.first.end());
    order.insert(order.end(), rows.second.begin(), rows.second.end());
    result.back().segments += kPairSegments;
  }
  std::vector<RowRun> others;
  for (size_t row : pairing.single)
    others.push_back(inside[row]);
  return others;
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

void Arranger::makeSlices(size_t begin, size_t end, int32_t base) {
  std::sort(rows.begin() + int64_t(begin), rows.begin() + int64_t(end),
            [](const RowRun &a, const RowRun &b) {
              return a.count() != b.count() ? a.count() > b.count()
                                            : a.begin < b.begin;
            });
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
  for (int64_t round = 0; round < rows[r].count(); ++round)
    for (size_t lane = 0; lane < size_t(kSliceRows); ++lane)
      if (round < rows[r + lane].count())
        take(rows[r + lane].begin + round);
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
    for (int64_t i = run.begin; i < run.end; ++i)
      take(i);
    result.back().segments += byRows ? 1 : run.count();
  }
}

} // namespace

bool arrange(SortedNonzeros &nonzeros, int64_t end, int64_t columns,
             const PackOptions &options, std::vector<PlannedSpan> &spans,
             int64_t *moved) {
  if (spans.empty())
    return false;
  Arranger arranger(nonzeros, spans.front().begin, columns, options, moved);
  spans = arranger.run(spans, end);
  return arranger.arranged;
}

} // namespace astfe::core
