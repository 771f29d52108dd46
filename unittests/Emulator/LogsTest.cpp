//===- LogsTest.cpp - logs of accesses that grow --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

using namespace astfe;
using namespace astfe::emu;

namespace {

class LogsTest : public KernelTest {};
ASTFE_BOTH_SCHEDULES(LogsTest);

/// Of its 8 words of x, a thread copies the last four to y, and stores the sum
/// of the first and of the turn, in each of many turns without a collective.
const char *copies = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define ptx_kernel void @k(ptr %x, ptr %y, i64 %bytes, i32 %turns) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, 8
  %j = add i32 %i, 4
  %p = getelementptr i32, ptr %x, i32 %i
  %q = getelementptr i32, ptr %y, i32 %i
  %p4 = getelementptr i32, ptr %x, i32 %j
  %q4 = getelementptr i32, ptr %y, i32 %j
  br label %loop
loop:
  %turn = phi i32 [ 0, %entry ], [ %next, %loop ]
  %v = load i32, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %q4, ptr align 4 %p4,
                                   i64 %bytes, i1 false)
  %w = add i32 %v, %turn
  store i32 %w, ptr %q
  %next = add i32 %turn, 1
  %more = icmp ult i32 %next, %turns
  br i1 %more, label %loop, label %exit
exit:
  ret void
})";

TEST_P(LogsTest, LogsGrowInALoopWithCopies) {
  constexpr int32_t words = 8 * 64;
  std::vector<int32_t> values(words);
  for (int32_t i = 0; i < words; ++i)
    values[size_t(i)] = 3 * i;
  int32_t *x = device(values);
  void *kernel = load(copies);
  // A turn has seven entries, so that the log is full in a segment as well as
  // before one.
  for (int32_t turns : {73, 74, 75, 500, 3000}) {
    int32_t *y = device(std::vector<int32_t>(words, -1));
    ASSERT_EQ(launch(kernel, 1, 64, x, y, int64_t(16), turns), "");
    for (int32_t i = 0; i < words; ++i)
      ASSERT_EQ(y[i], i % 8 >= 4   ? 3 * i
                      : i % 8 == 0 ? 3 * i + turns - 1
                                   : -1)
          << i;
    // Each access of a lane is in a sector of its own.
    EXPECT_EQ(emulator.lastLaunch().total().sectors, int64_t(4) * 64 * turns);
  }
}

TEST_P(LogsTest, LogsGrowInACycleWithSeveralEntries) {
  // Local memory is what fibers are for, in both schedules.
  void *kernel = load(R"(
define ptx_kernel void @k(ptr %y, i32 %turns) {
entry:
  %local = alloca i32
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr %y, i32 %t
  store i32 0, ptr %local
  %odd = trunc i32 %t to i1
  br i1 %odd, label %left, label %right
left:
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  br label %right
right:
  %n = load i32, ptr %local
  %next = add i32 %n, 1
  store i32 %next, ptr %local
  %more = icmp ult i32 %next, %turns
  br i1 %more, label %left, label %exit
exit:
  ret void
})");
  constexpr int32_t turns = 20000;
  int32_t *y = device(std::vector<int32_t>(64));
  ASSERT_EQ(launch(kernel, 1, 64, y, turns), "");
  for (int32_t i = 0; i < 64; ++i)
    EXPECT_EQ(y[i], turns - 1 + i % 2) << i;
}

TEST_P(LogsTest, VectorsOf256BytesAreLookedAtForRaces) {
  void *kernel = load(R"(
define ptx_kernel void @k(ptr %y, i32 %stride) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = mul i32 %t, %stride
  %p = getelementptr i32, ptr %y, i32 %i
  store <64 x i32> zeroinitializer, ptr %p, align 4
  ret void
})");
  int32_t *y = device(std::vector<int32_t>(64 * 32));
  EXPECT_EQ(launch(kernel, 1, 32, y, int32_t(64)), "");
  EXPECT_EQ(emulator.lastLaunch().total().storeBytes, 32 * 256);
  EXPECT_TRUE(has(launch(kernel, 1, 32, y, int32_t(63)),
                  "race in global memory: store of 256 bytes"));
}

} // namespace
