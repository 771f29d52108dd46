//===- SumTargetsTest.cpp - where sums that are rounded go ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/SumTargets.h"
#include "gtest/gtest.h"

using namespace astfe::core;

/// Two workers: the first writes rows 4, 7, 4 and shares row 5 with the second,
/// which writes 5, 2 and 5 again. The segment of row 2 is one of two slots.
static Packed rowsOfSeveralSegments() {
  Packed packed;
  packed.shape = {9, 9};
  packed.workerSpan = {0, 1, 2};
  packed.spanSlot = {0, 4, 8};
  packed.spanSegment = {0, 4, 7};
  packed.spanClass = {int32_t(SegmentClass::RowSegments),
                      int32_t(SegmentClass::RowSlices)};
  packed.segmentRow = {4, 7, 4, ~5, ~5, 2, ~5};
  packed.segmentTarget = {4, 7, 4, ~0, ~1, 2, ~1};
  packed.segmentEnd = {1, 2, 3, 4, 1, 3, 4};
  packed.segmentFirst = {1, 1, 0, 1, 1, 1, 0};
  packed.combineRow = {5};
  packed.combineBegin = {0, 2};
  packed.combinePartial = {0, 1};
  return packed;
}

TEST(SumTargets, RowsOfSeveralSegmentsHaveAPartialRow) {
  auto made = sumTargets(rowsOfSeveralSegments(), /*bySlot=*/false);
  ASSERT_TRUE(made) << made.message();
  EXPECT_EQ(made->segmentTarget, Table<int32_t>({~2, 7, ~2, ~0, ~1, 2, ~1}));
  EXPECT_EQ(made->combineRow, std::vector<int32_t>({4, 5}));
  EXPECT_EQ(made->combineBegin, std::vector<int64_t>({0, 1, 3}));
  EXPECT_EQ(made->combinePartial, std::vector<int32_t>({2, 0, 1}));
}

TEST(SumTargets, SoHaveRowsOfSlicesThatAreTakenSlotBySlot) {
  auto made = sumTargets(rowsOfSeveralSegments(), /*bySlot=*/true);
  ASSERT_TRUE(made) << made.message();
  EXPECT_EQ(made->segmentTarget, Table<int32_t>({~2, 7, ~2, ~0, ~1, ~3, ~1}));
  EXPECT_EQ(made->combineRow, std::vector<int32_t>({2, 4, 5}));
  EXPECT_EQ(made->combineBegin, std::vector<int64_t>({0, 1, 2, 4}));
  EXPECT_EQ(made->combinePartial, std::vector<int32_t>({3, 2, 0, 1}));
}

TEST(SumTargets, RowsOfOneSegmentStayAsTheyAre) {
  Packed packed = rowsOfSeveralSegments();
  packed.segmentFirst.clear();
  auto made = sumTargets(packed, /*bySlot=*/false);
  ASSERT_TRUE(made) << made.message();
  EXPECT_TRUE(made->areThose());
}
