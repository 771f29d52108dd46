//===- BlockClass.cpp - the list of classes, and what most have -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pack/Classes/BlockClass.h"
#include "Pack/Classes/SpanWalker.h"
#include "Pack/SpanCutter.h"

namespace astfe::core {

const BlockClass &blockClass(SegmentClass kind) {
  static const BlockClass *const all[kSegmentClasses] = {
#define ASTFE_CLASS(Name, name, Rest) &k##Name##Blocks,
#include "ASTFE/Core/Kernel/Classes.def"
  };
  return *all[unsigned(kind)];
}

/// Each nonzero overwrites its row's entry; no branch waits for a row's end.
void BlockClass::placeRows(const SortedNonzeros &nonzeros, PackPlan &plan,
                           size_t span, int64_t end) {
  const int32_t *row = nonzeros.row.data();
  int32_t *rows = plan.segmentRow.data() + plan.firstSegment[span];
  int64_t *ends = plan.segmentSlot.data() + plan.firstSegment[span] + 1;
  const int64_t begin = plan.spans[span].begin, slot = plan.firstSlot[span];
  int64_t segment = 0;
  for (int64_t i = begin; i + 1 < end; ++i) {
    rows[segment] = row[i];
    ends[segment] = slot + (i - begin) + 1;
    segment += row[i] != row[i + 1];
  }
  rows[segment] = row[end - 1];
  ends[segment] = slot + (end - begin);
}

void BlockClass::cutBetweenRows(SpanCutter &cutter, SegmentClass kind,
                                int64_t begin, int64_t end) {
  cutter.cutByLimit(kind, begin, end);
}

void BlockClass::walkRows(SpanWalker &walker, const PlannedSpan &span,
                          int64_t end) {
  walker.rows(span.begin, end);
}

bool mayRepack(SegmentClass kind, const Layout &layout) {
  const BlockClass &blocks = blockClass(kind);
  return blocks.repack && (!blocks.repacks || blocks.repacks(layout));
}

} // namespace astfe::core
