//===- SumTargets.cpp - where sums that are rounded go --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/SumTargets.h"
#include "Pack/RowNumbers.h"

namespace astfe::core {
namespace {

class Targets {
public:
  Targets(const Packed &packed, bool bySlot)
      : packed(packed), bySlot(bySlot), numbers(packed) {}

  Result<SumTargets> find();

private:
  bool isRounded(size_t g) const {
    return !packed.segmentFirst.empty() && !packed.segmentFirst[g];
  }
  void takeRow(size_t g);
  void takeSlices();
  void fill();
  void combine();

  enum : int32_t { NoPartial = -1, NewPartial = -2 };

  const Packed &packed;
  const bool bySlot;
  RowNumbers numbers;
  /// By row: its partial row here, or one of these.
  std::vector<int32_t> partial;
  int64_t taken = 0;
  SumTargets result;
};

/// The row of a segment gets a partial row, unless it has some.
void Targets::takeRow(size_t g) {
  if (packed.segmentTarget[g] < 0)
    return;
  int32_t &known = partial[numbers.number(packed.segmentTarget[g])];
  taken += known == NoPartial;
  known = NewPartial;
}

void Targets::takeSlices() {
  for (size_t s = 0; s < size_t(packed.spans()); ++s) {
    if (packed.spanClass[s] != int32_t(SegmentClass::RowSlices))
      continue;
    int64_t first = packed.spanSegment[s];
    for (int64_t g = first; g < packed.spanSegment[s + 1]; ++g) {
      int32_t before = g == first ? 0 : packed.segmentEnd[size_t(g) - 1];
      if (packed.segmentEnd[size_t(g)] - before > 1)
        takeRow(size_t(g));
    }
  }
}

/// Partial rows are numbered in the order of segments, so that each worker's
/// lie together.
void Targets::fill() {
  auto next = int32_t(packed.partialRows());
  const auto segments = size_t(packed.segments());
  result.segmentTarget.resize(segments);
  for (size_t g = 0; g < segments; ++g) {
    int32_t target = packed.segmentTarget[g];
    result.segmentTarget[g] = target;
    if (target < 0)
      continue;
    int32_t &known = partial[numbers.number(target)];
    if (known == NoPartial)
      continue;
    if (known == NewPartial)
      known = next++;
    result.segmentTarget[g] = ~known;
  }
}

void Targets::combine() {
  size_t shared = 0;
  auto add = [&](int32_t row) {
    result.combineRow.push_back(row);
    result.combineBegin.push_back(int64_t(result.combinePartial.size()));
  };
  for (size_t n = 0; n < numbers.count(); ++n) {
    const int32_t row = numbers.row(n);
    if (shared < packed.combineRow.size() && packed.combineRow[shared] == row) {
      add(row);
      for (int64_t q = packed.combineBegin[shared];
           q < packed.combineBegin[shared + 1]; ++q)
        result.combinePartial.push_back(packed.combinePartial[size_t(q)]);
      ++shared;
    } else if (partial[n] != NoPartial) {
      add(row);
      result.combinePartial.push_back(partial[n]);
    }
  }
  result.combineBegin.push_back(int64_t(result.combinePartial.size()));
}

Result<SumTargets> Targets::find() {
  partial.assign(numbers.count(), NoPartial);
  for (size_t g = 0; g < size_t(packed.segments()); ++g)
    if (isRounded(g))
      takeRow(g);
  if (bySlot)
    takeSlices();
  if (taken == 0)
    return std::move(result);
  if (packed.partialRows() + taken > std::numeric_limits<int32_t>::max())
    return Error{"expected at most 2147483647 rows of sums but got " +
                 std::to_string(packed.partialRows() + taken)};
  fill();
  combine();
  return std::move(result);
}

} // namespace

Result<SumTargets> sumTargets(const Packed &packed, bool bySlot) {
  if (packed.segmentFirst.empty() && !bySlot)
    return SumTargets();
  return Targets(packed, bySlot).find();
}

} // namespace astfe::core
