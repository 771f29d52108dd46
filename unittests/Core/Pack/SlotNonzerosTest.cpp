//===- SlotNonzerosTest.cpp - which nonzero each slot holds ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/SlotNonzeros.h"
#include "gtest/gtest.h"

using namespace astfe::core;

/// Three nonzeros in four slots, of which one is empty.
static Packed movedSlots() {
  Packed packed;
  packed.nonzeros = 3;
  packed.slots = 4;
  packed.slotOf = {2, 0, 3};
  return packed;
}

TEST(SlotNonzeros, SlotsInAnotherOrderHaveTheirNonzeros) {
  SlotNonzeros made = slotNonzeros(movedSlots(), /*threads=*/2);
  EXPECT_EQ(made.narrow, Table<int32_t>({1, -1, 0, 2}));
  EXPECT_TRUE(made.wide.empty());
}

TEST(SlotNonzeros, MoreNonzerosThanAreNarrowAreWide) {
  SlotNonzeros made = slotNonzeros(movedSlots(), 1, /*mostNarrow=*/3);
  EXPECT_FALSE(made.narrow.empty());
  made = slotNonzeros(movedSlots(), 1, /*mostNarrow=*/2);
  EXPECT_TRUE(made.narrow.empty());
  EXPECT_EQ(made.wide, Table<int64_t>({1, -1, 0, 2}));
}

TEST(SlotNonzeros, SlotsInOrderHaveNoTable) {
  Packed packed;
  packed.nonzeros = packed.slots = 3;
  SlotNonzeros made = slotNonzeros(packed, 1);
  EXPECT_TRUE(made.narrow.empty());
  EXPECT_TRUE(made.wide.empty());
}
