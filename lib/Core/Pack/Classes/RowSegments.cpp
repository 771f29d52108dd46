//===- RowSegments.cpp - rows with explicit columns -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes every row that no other class does, where rows have more nonzeros than
// their ends would cost. A processor expects the loop over a row to end as that
// over the last one did. On hosts 512 rows at a time are therefore sorted by
// length: it is wrong once for each length then, and not for most rows. Outputs
// of that many narrow rows stay in the nearest caches; wide ones do not, and
// take longer than what was foreseen wrongly. Rows that are too short to be
// worth their ends are then stored by rows, too: whether a nonzero is the first
// of its row, which it stores, would be foreseen wrongly as often.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/RowLengths.h"

namespace astfe::core {
namespace {

bool repacks(const Layout &layout) { return layout.hasNarrowRows(); }

/// The lengths of few rows, and those of rows that are mostly equal, are
/// foreseen as they come, and long rows end seldom. A few rows between tiles
/// tell nothing.
bool suit(const RowRepacker &of) {
  const std::vector<SortedRow> &rows = of.rows;
  const auto count = int64_t(rows.size());
  const int64_t nonzeros = rows.back().end - rows.front().begin;
  return count >= kSliceRows && of.likeRows() >= rules::kForeseenRows &&
         countSurprises(rows) * rules::kSurpriseNonzeros >= nonzeros;
}

bool repack(RowRepacker &of) {
  if (!suit(of))
    return false;
  std::vector<SortedRow> &rows = of.rows;
  LengthSorter lengths;
  for (size_t begin = 0; begin < rows.size(); begin += rules::kSortedRows)
    lengths.sort(rows, begin,
                 std::min(rows.size(), begin + rules::kSortedRows));
  of.openUnlessOpen(SegmentClass::RowSegments);
  of.addSegments(int64_t(rows.size()));
  for (const SortedRow &row : rows)
    of.take(row);
  return true;
}

constexpr BlockClass record() {
  BlockClass blocks;
  blocks.repack = repack;
  blocks.repacks = repacks;
  return blocks;
}

} // namespace

const BlockClass kRowSegmentsBlocks = record();

} // namespace astfe::core
