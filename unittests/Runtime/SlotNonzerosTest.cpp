//===- SlotNonzerosTest.cpp - the nonzeros of slots, as tables ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "gtest/gtest.h"

using namespace astfe;
using namespace astfe::rt;

namespace {

struct SlotNonzeros : testing::Test {
  SlotNonzeros() {
    core::Packed packed;
    packed.nonzeros = packed.slots = 3;
    packed.slotOf = {2, 0, 1};
    pattern = new PatternHandle(std::move(packed));
    astfe_rt_clear_error();
  }
  ~SlotNonzeros() override {
    pattern->release();
    EXPECT_EQ(Handle::live(), 0);
  }
  AstfeMemRef1D narrow() {
    AstfeMemRef1D table;
    _mlir_ciface_astfe_rt_table_i32(&table, pattern, ASTFE_SLOT_NONZERO);
    return table;
  }
  AstfeMemRef1D wide() {
    AstfeMemRef1D table;
    _mlir_ciface_astfe_rt_table_i64(&table, pattern, ASTFE_WIDE_SLOT_NONZERO);
    return table;
  }

  PatternHandle *pattern;
};

template <typename T>
std::vector<T> entriesOf(const AstfeMemRef1D &table) {
  const auto *entries = static_cast<const T *>(table.aligned);
  return std::vector<T>(entries, entries + table.size);
}

TEST_F(SlotNonzeros, AreMadeOnce) {
  AstfeMemRef1D table = narrow();
  EXPECT_EQ(entriesOf<int32_t>(table), std::vector<int32_t>({1, 2, 0}));
  EXPECT_EQ(narrow().aligned, table.aligned);
  EXPECT_EQ(wide().size, 0);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
}

TEST_F(SlotNonzeros, AreWideWhere32BitsDoNotSuffice) {
  ASSERT_TRUE(pattern->slotNonzeros(/*mostNarrow=*/2));
  EXPECT_EQ(entriesOf<int64_t>(wide()), std::vector<int64_t>({1, 2, 0}));
  EXPECT_EQ(narrow().size, 0);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
}

TEST_F(SlotNonzeros, OfSlotsInOrderThereAreNone) {
  pattern->value.slotOf.clear();
  EXPECT_EQ(narrow().size, 0);
  EXPECT_EQ(wide().size, 0);
  EXPECT_EQ(astfe_rt_last_error(), nullptr);
}

TEST_F(SlotNonzeros, HaveAWidthOfTheirOwn) {
  AstfeMemRef1D table;
  _mlir_ciface_astfe_rt_table_i64(&table, pattern, ASTFE_SLOT_NONZERO);
  ASSERT_NE(astfe_rt_last_error(), nullptr);
  EXPECT_STREQ(astfe_rt_last_error(), "expected table 25 as i32 but got i64");
  astfe_rt_clear_error();
}

} // namespace
