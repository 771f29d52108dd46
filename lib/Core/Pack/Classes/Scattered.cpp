//===- Scattered.cpp - a row id for each nonzero --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes what is left where rows are short, and what is cut off other classes.
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/SpanWalker.h"

namespace astfe::core {
namespace {

void place(const SortedNonzeros &nonzeros, PackPlan &plan, size_t span,
           int64_t end) {
  const int32_t *row = nonzeros.row.data();
  int32_t *rows = plan.segmentRow.data() + plan.firstSegment[span];
  int64_t *ends = plan.segmentSlot.data() + plan.firstSegment[span] + 1;
  const int64_t begin = plan.spans[span].begin, slot = plan.firstSlot[span];
  for (int64_t i = begin; i < end; ++i) {
    rows[i - begin] = row[i];
    ends[i - begin] = slot + (i - begin) + 1;
  }
}

Status check(const Packed &packed, size_t span) {
  const int64_t slots = packed.spanSlot[span + 1] - packed.spanSlot[span];
  const int64_t segments =
      packed.spanSegment[span + 1] - packed.spanSegment[span];
  if (segments == slots)
    return Success{};
  return Error{"expected the segments of scattered span " +
               std::to_string(span) + " to be " + std::to_string(slots) +
               " but got " + std::to_string(segments)};
}

void walk(SpanWalker &walker, const PlannedSpan &span, int64_t end) {
  walker.nonzeros(span.begin, end);
}

constexpr BlockClass record() {
  BlockClass blocks;
  blocks.place = place;
  blocks.check = check;
  blocks.walk = walk;
  return blocks;
}

} // namespace

const BlockClass kScatteredBlocks = record();

} // namespace astfe::core
