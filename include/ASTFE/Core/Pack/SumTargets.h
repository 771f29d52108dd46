//===- SumTargets.h - where sums that are rounded go ------------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel whose sums are wider than the elements of its output rounds a row
// each time that a segment is added to it. Rows of several segments get a
// partial row each here, though one worker writes them, as shared rows do: it
// holds the sum as it is, and is combined into the output, once.
//
// Worked example: one worker, segments of the rows 4, 7, 4. The pattern says
//   segmentTarget 4 7 4     combineRow -   combineBegin 0     combinePartial -
// and the tables here
//   segmentTarget ~0 7 ~0   combineRow 4   combineBegin 0 1   combinePartial 0
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PACK_SUMTARGETS_H
#define ASTFE_CORE_PACK_SUMTARGETS_H

#include "ASTFE/Core/Pack/Packed.h"

namespace astfe::core {

/// Tables in place of those of the pattern. The first to write a target, as
/// segmentFirst has it, is the same.
struct SumTargets {
  Table<int32_t> segmentTarget;
  std::vector<int32_t> combineRow;
  std::vector<int64_t> combineBegin;
  std::vector<int32_t> combinePartial;

  /// All rows that are not shared have one segment: the pattern's tables do.
  bool areThose() const { return segmentTarget.empty(); }
};

/// `bySlot`: the kernel adds nonzero after nonzero to the rows of slices. Fails
/// if there are more partial rows than 32 bits count. O(segments + rows).
Result<SumTargets> sumTargets(const Packed &packed, bool bySlot);

} // namespace astfe::core

#endif // ASTFE_CORE_PACK_SUMTARGETS_H
