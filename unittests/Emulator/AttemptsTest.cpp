//===- AttemptsTest.cpp - quick attempts, and what follows them -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch begins with a quick attempt on several host threads. What it finds,
// and what it undoes, must not show.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include <numeric>

using namespace astfe;
using namespace astfe::emu;

namespace {

class AttemptsTest : public KernelTest {
protected:
  void setHostThreads(int64_t count) {
    Options options = emulator.options();
    options.hostThreads = count;
    emulator.setOptions(options);
  }
};
ASTFE_BOTH_SCHEDULES(AttemptsTest);

/// Thread t of block b: adds 1 to y[0], then x[b * 32 + t] = 2 * that + 1.
const char *inPlace = R"(
define ptx_kernel void @k(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b32 = mul i32 %b, 32
  %i = add i32 %b32, %t
  %old = atomicrmw add ptr %y, i32 1 monotonic, align 4
  %p = getelementptr i32, ptr %x, i32 %i
  %v = load i32, ptr %p
  %w = mul i32 %v, 2
  %r = add i32 %w, 1
  store i32 %r, ptr %p
  ret void
})";

TEST_P(AttemptsTest, AnAttemptThatEndsLeavesNothingBehind) {
  constexpr int blocks = 50;
  std::vector<int32_t> values(32 * blocks);
  std::iota(values.begin(), values.end(), 0);
  int32_t *x = device(values), *y = device(std::vector<int32_t>(1, 0));
  void *kernel = load(inPlace);
  // The first launch finds out that x is read and written.
  for (int launches = 1; launches <= 3; ++launches) {
    ASSERT_EQ(launch(kernel, blocks, 32, x, y), "");
    EXPECT_EQ(*y, launches * 32 * blocks);
    for (int32_t &value : values)
      value = 2 * value + 1;
    EXPECT_EQ(std::vector<int32_t>(x, x + values.size()), values);
  }
}

/// Threads of a block give each other values through global memory.
const char *exchange = R"(
define ptx_kernel void @k(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = mul i32 %b, 64
  %i = add i32 %b64, %t
  %p = getelementptr i32, ptr %x, i32 %i
  store i32 %t, ptr %p
  BETWEEN
  %r = sub i32 63, %t
  %j = add i32 %b64, %r
  %q = getelementptr i32, ptr %x, i32 %j
  %v = load i32, ptr %q
  %o = getelementptr i32, ptr %y, i32 %i
  store i32 %v, ptr %o
  ret void
})";

TEST_P(AttemptsTest, ValuesMayPassThroughGlobalMemoryAfterABarrier) {
  std::string with = exchange, without = exchange;
  with.replace(with.find("BETWEEN"), 7,
               "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)");
  without.replace(without.find("BETWEEN"), 7, "");
  int32_t *x = device(std::vector<int32_t>(256));
  int32_t *y = device(std::vector<int32_t>(256));
  for (int launches = 0; launches < 2; ++launches) {
    ASSERT_EQ(launch(load(with), 4, 64, x, y), "");
    for (int i = 0; i < 256; ++i)
      EXPECT_EQ(y[i], 63 - i % 64);
  }
  EXPECT_TRUE(has(launch(load(without), 4, 64, x, y), "race in global memory"));
}

/// y[i] = 1 in block 3, y[i + offset] = 1 in block 4, for i by thread.
const char *neighbours = R"(
define ptx_kernel void @k(ptr %y, i32 %offset) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %start = mul i32 %b, %offset
  %i = add i32 %start, %t
  %p = getelementptr i32, ptr %y, i32 %i
  store i32 1, ptr %p
  ret void
})";

TEST_P(AttemptsTest, TheTextOfARaceDoesNotDependOnHostThreads) {
  int32_t *y = device(std::vector<int32_t>(64 * 33));
  void *kernel = load(neighbours);
  std::vector<std::string> texts;
  for (int64_t threads : {1, 2, 5, 0}) {
    setHostThreads(threads);
    EXPECT_EQ(launch(kernel, 64, 32, y, int32_t(32)), "");
    texts.push_back(launch(kernel, 64, 32, y, int32_t(31)));
    EXPECT_EQ(texts.back(), texts.front());
  }
  EXPECT_TRUE(has(texts.front(), "race in global memory: store of 4 bytes "
                                 "through argument 0 at byte"));
  if (GetParam() == Schedule::InOrder)
    EXPECT_TRUE(has(texts.front(),
                    "at byte 124 after a plain write by block (0,0,0) thread "
                    "(31,0,0) that no barrier orders [block (1,0,0) thread "
                    "(0,0,0)]"));
}

TEST_P(AttemptsTest, ErrorsOfLaterBlocksDoNotHideThoseOfEarlierOnes) {
  // Block 10 leaves y first, by number; the others that do are later.
  int32_t *y = device(std::vector<int32_t>(320));
  void *kernel = load(neighbours);
  setHostThreads(4);
  std::string error = launch(kernel, 64, 32, y, int32_t(32));
  EXPECT_TRUE(has(error, "out-of-bounds store of 4 bytes"));
  if (GetParam() == Schedule::InOrder)
    EXPECT_TRUE(has(error, "[block (10,0,0) thread (0,0,0)]"));
}

TEST_P(AttemptsTest, ASampleTakesWholeWaves) {
  Options options = emulator.options();
  options.waveBlocks = 4;
  options.sampledWaves = 2;
  emulator.setOptions(options);
  int32_t *y = device(std::vector<int32_t>(32 * 32, 0));
  ASSERT_EQ(launch(load(neighbours), 32, 32, y, int32_t(32)), "");
  EXPECT_EQ(emulator.lastLaunch().sampled, 8);
  for (int block = 0; block < 32; ++block) {
    const bool isSampled = block / 4 == 0 || block / 4 == 4;
    EXPECT_EQ(y[block * 32], isSampled ? 1 : 0) << block;
    EXPECT_EQ(emulator.lastLaunch().blocks[size_t(block)].stores,
              isSampled ? 32 : 0);
  }
}

/// Ten trips; odd ones of odd lanes also store to y, in the middle of the trip.
const char *sometimes = R"(
define ptx_kernel void @k(ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %px = getelementptr i32, ptr %x, i32 %t
  %py = getelementptr i32, ptr %y, i32 %t
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  store volatile i32 %i, ptr %px
  %both = and i32 %i, %t
  %odd = and i32 %both, 1
  %is = icmp eq i32 %odd, 1
  br i1 %is, label %more, label %latch
more:
  store volatile i32 %i, ptr %py
  br label %latch
latch:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, 10
  br i1 %again, label %loop, label %end
end:
  ret void
})";

TEST_P(AttemptsTest, LanesThatSkipABranchWaitForTheOthers) {
  int32_t *x = device(std::vector<int32_t>(32));
  int32_t *y = device(std::vector<int32_t>(32));
  ASSERT_EQ(launch(load(sometimes), 1, 32, x, y), "");
  // Each of ten trips stores four sectors of x together, five of them four of
  // y: 60. Lanes that ran ahead would store those of x apart.
  EXPECT_EQ(emulator.lastLaunch().total().sectors, 10 * 4 + 5 * 4);
}

} // namespace
