//===- RowWindows.cpp - panels of rows, cut at windows of columns -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel of rows is cut at windows of columns, if its rows have enough
// nonzeros in a window and are not short ones that repeat the row before.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/SpanWalker.h"
#include "Pack/RowRepacker.h"
#include <algorithm>

namespace astfe::core {
namespace {

/// How many columns of a row are those of another; both ascend.
int64_t columnsOf(const RowRepacker &of, const SortedRow &before,
                  const SortedRow &run) {
  int64_t count = 0;
  for (int64_t i = run.begin, j = before.begin; i < run.end; ++i) {
    while (j < before.end && of.column(j) < of.column(i))
      ++j;
    if (j == before.end)
      break;
    count += of.column(j) == of.column(i);
  }
  return count;
}

/// A window has to hold enough of a row, whose sums are loaded and stored once
/// for each, and a panel has to use its rows of the dense operand often enough,
/// as that is copied where it is wider than a column tile. Where a row has many
/// of its columns from the row before, and no more than a window has, the first
/// cache has their rows of the dense operand anyway; but not where those are
/// wider than a column tile, parts of which come from far apart. The columns of
/// a row ascend, however they were renumbered: pack sorts by the matrix's own.
bool suit(const RowRepacker &of) {
  const std::vector<SortedRow> &rows = of.rows;
  const int64_t windowColumns = of.options.layout.windowColumns;
  // As far as is known.
  const bool isWide = of.options.layout.denseBytes > kStripBytes;
  const int64_t all = rows.back().end - rows.front().begin;
  int64_t compared = 0, shared = 0;
  std::vector<int64_t> windows; // that rows touch, panel by panel
  std::vector<size_t> panels;   // where each ends
  for (size_t r = 0; r < rows.size(); ++r) {
    const SortedRow &run = rows[r];
    for (int64_t i = run.begin, end = 0; i < run.end; ++i) {
      if (i > run.begin && of.column(i) < end)
        continue;
      windows.push_back(of.column(i) / windowColumns);
      end = (windows.back() + 1) * windowColumns;
    }
    if (r % rules::kComparedRows == 1) {
      compared += run.count();
      shared += columnsOf(of, rows[r - 1], run);
    }
    // Most matrices are far from it: few of their rows tell.
    if (windowColumns * int64_t(windows.size()) > rules::kWindowSparsity * all)
      return false;
    if ((r + 1) % rules::kPanelRows == 0 || r + 1 == rows.size())
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
  if (rules::kWindowUses * windowColumns * used > all)
    return false;
  const bool isShort = all <= windowColumns * int64_t(rows.size());
  return isWide || !isShort || rules::kFromRowBefore * shared <= compared;
}

/// The nonzeros of a window; `left` keeps the others.
void makeWindow(RowRepacker &of, int64_t window, std::vector<SortedRow> &left) {
  const int64_t windowColumns = of.options.layout.windowColumns;
  int64_t begin = window * windowColumns;
  int64_t width = std::min(windowColumns, of.columns - begin);
  std::vector<SortedRow> inside;
  size_t kept = 0;
  for (SortedRow run : left) {
    int64_t i = run.begin;
    while (i < run.end && of.column(i) < begin + width)
      ++i;
    if (i != run.begin)
      inside.push_back({run.begin, i});
    if (i != run.end)
      left[kept++] = {i, run.end};
  }
  left.resize(kept);
  if (inside.empty())
    return;
  of.open(SegmentClass::RowWindows, begin, width);
  of.addSegments(int64_t(inside.size()));
  for (const SortedRow &run : inside)
    of.take(run);
}

bool repack(RowRepacker &of) {
  if (!suit(of))
    return false;
  const std::vector<SortedRow> &rows = of.rows;
  for (size_t begin = 0; begin < rows.size(); begin += rules::kPanelRows) {
    size_t end = std::min(rows.size(), begin + rules::kPanelRows);
    std::vector<SortedRow> left(rows.begin() + int64_t(begin),
                                rows.begin() + int64_t(end));
    while (!left.empty()) {
      int32_t smallest = of.column(left.front().begin);
      for (const SortedRow &run : left)
        smallest = std::min(smallest, of.column(run.begin));
      makeWindow(of, smallest / of.options.layout.windowColumns, left);
    }
  }
  return true;
}

Status check(const Packed &packed, size_t span) {
  const int64_t first = packed.spanColumn[span], width = packed.spanWidth[span];
  if (width > kWidestWindow)
    return Error{"expected spanWidth[" + std::to_string(span) +
                 "] to be at most " + std::to_string(kWidestWindow) +
                 " but got " + std::to_string(width)};
  for (int64_t k = packed.spanSlot[span]; k < packed.spanSlot[span + 1]; ++k) {
    const int64_t column = packed.columnAt(span, size_t(k));
    if (column < first || column >= first + width)
      return Error{"expected the column of slot " + std::to_string(k) +
                   " in the window of span " + std::to_string(span) +
                   " but got " + std::to_string(column)};
  }
  return Success{};
}

void walk(SpanWalker &walker, const PlannedSpan &span, int64_t end) {
  walker.rowsOfWindow(span.begin, end);
}

/// A row of a window is worth keeping in the first cache.
bool pays(const DenseUse &use) { return use.least >= kWindowedBytes; }

constexpr BlockClass record() {
  BlockClass blocks;
  blocks.hasWidth = true;
  blocks.repack = repack;
  blocks.check = check;
  blocks.walk = walk;
  blocks.pays = pays;
  return blocks;
}

} // namespace

const BlockClass kRowWindowsBlocks = record();

} // namespace astfe::core
