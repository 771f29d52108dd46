//===- RowRepacker.cpp - rows between tiles, in a new order -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of the classes that repack rows the last in the list is asked first: rows
// that suit windows are not sliced.
//
//===----------------------------------------------------------------------===//

#include "Pack/RowRepacker.h"
#include "Pack/Classes/BlockClass.h"
#include <algorithm>
#include <numeric>

namespace astfe::core {

RowRepacker::RowRepacker(SortedNonzeros &nonzeros, int64_t begin,
                         int64_t columns, const PackOptions &options,
                         int64_t *moved, SpanRoom &room)
    : options(options), columns(columns), nonzeros(nonzeros), moved(moved),
      room(room), left(begin) {}

static bool isTile(const PlannedSpan &span) {
  return blockClass(span.kind).find != nullptr;
}

std::vector<PlannedSpan> RowRepacker::run(const std::vector<PlannedSpan> &spans,
                                          int64_t end) {
  for (size_t s = 0; s < spans.size();) {
    size_t last = s + 1;
    while (last < spans.size() && continues(spans[s], spans[last]))
      ++last;
    int64_t runEnd = last < spans.size() ? spans[last].begin : end;
    if (isTile(spans[s]) ||
        !repackRows(spans[s].begin, runEnd, spans[s].column)) {
      result.insert(result.end(), spans.begin() + int64_t(s),
                    spans.begin() + int64_t(last));
    } else {
      leave(spans[s].begin);
      move();
      left = runEnd;
    }
    s = last;
  }
  if (repacked)
    leave(end);
  return std::move(result);
}

/// What comes before `end` and was not moved stays where it is.
void RowRepacker::leave(int64_t end) {
  repacked = true;
  std::iota(moved + left, moved + end, left);
  left = end;
}

/// Whether the rows of a span may be repacked with those of spans before it:
/// ascending numbers, so that no row comes twice.
bool RowRepacker::continues(const PlannedSpan &first,
                            const PlannedSpan &next) const {
  return !isTile(first) && !isTile(next) && first.column == next.column &&
         newRow(next.begin) > newRow(next.begin - 1);
}

bool RowRepacker::repackRows(int64_t begin, int64_t end, int32_t column) {
  findRows(begin, end);
  first = begin;
  taken = 0;
  firstSpan = result.size();
  firstColumn = column;
  const auto size = size_t(end - begin + kSliceRows);
  if (room.row.size() < size) {
    room.row = Table<int32_t>(size);
    room.column = Table<int32_t>(size);
  }
  const std::vector<SegmentClass> kinds = options.layout.classes.list();
  return std::any_of(kinds.rbegin(), kinds.rend(), [&](SegmentClass kind) {
    return mayRepack(kind, options.layout) && blockClass(kind).repack(*this);
  });
}

/// Those of the nonzeros [begin, end).
void RowRepacker::findRows(int64_t begin, int64_t end) {
  const int64_t *start = room.starts.data();
  start = std::lower_bound(start, start + room.rows, begin);
  rows.clear();
  for (; *start < end; ++start)
    rows.push_back({start[0], start[1]});
}

int64_t RowRepacker::likeRows() const {
  const int64_t here = rows.back().end - rows.front().begin;
  const int64_t all = std::max(nonzeros.ofMatrix, nonzeros.count());
  return int64_t(double(rows.size()) * double(all) / double(here));
}

void RowRepacker::take(const SortedRow &run) {
  std::fill_n(room.row.data() + taken, run.count(), row(run.begin));
  std::copy_n(nonzeros.column.data() + run.begin, run.count(),
              room.column.data() + taken);
  std::iota(moved + run.begin, moved + run.end, first + taken);
  taken += run.count();
}

/// The nonzeros of the run in their new order.
void RowRepacker::move() {
  std::copy_n(room.row.data(), taken, nonzeros.row.data() + first);
  std::copy_n(room.column.data(), taken, nonzeros.column.data() + first);
}

bool repack(SortedNonzeros &nonzeros, int64_t end, int64_t columns,
            const PackOptions &options, std::vector<PlannedSpan> &spans,
            int64_t *moved, SpanRoom &room) {
  RowRepacker rows(nonzeros, spans.front().begin, columns, options, moved,
                   room);
  spans = rows.run(spans, end);
  return rows.repacked;
}

} // namespace astfe::core
