//===- LockstepTest.cpp - warps that run as one ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In order, a warp runs as one where its kernel can; with shuffled lanes each
// thread is a fiber. Both must compute, count and trace the same.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "Code.h"

using namespace astfe;
using namespace astfe::emu;

namespace {

class LockstepTest : public KernelTest {
protected:
  struct Outcome {
    std::string error;
    std::vector<int32_t> y;
    LaunchReport report;
  };

  Outcome run(Schedule schedule, const std::vector<int32_t> &begin,
              int64_t blocks, int64_t threads) {
    Options options = emulator.options();
    options.schedule = schedule;
    options.recordTraces = true;
    options.hostThreads = 1;
    emulator.setOptions(options);
    std::copy(begin.begin(), begin.end(), y);
    Outcome outcome;
    outcome.error = launch(kernel, blocks, threads, x, y);
    outcome.y.assign(y, y + begin.size());
    outcome.report = emulator.lastLaunch();
    return outcome;
  }

  /// Runs the kernel, whose arguments are %x and %y, both ways. Its warps run
  /// as one, if `together`.
  void compare(const std::string &text, bool together = true,
               int64_t blocks = 3, int64_t threads = 72) {
    kernel = load(text);
    ASSERT_TRUE(kernel);
    std::vector<int32_t> values(1024), begin(1024, 5);
    uint32_t state = 1;
    for (int32_t &value : values) {
      state = state * 1664525 + 1013904223;
      value = int32_t(state >> 8);
    }
    x = device(values);
    y = device(begin);
    // The first launches find out what is read and written.
    run(Schedule::InOrder, begin, blocks, threads);
    const Outcome one = run(Schedule::InOrder, begin, blocks, threads),
                  other = run(Schedule::Random, begin, blocks, threads);
    ASSERT_EQ(one.error, "");
    ASSERT_EQ(other.error, "");
    EXPECT_EQ(one.y, other.y);
    EXPECT_NE(one.y, begin);
    const Counters a = one.report.total(), b = other.report.total();
    EXPECT_EQ(a.instructions, b.instructions);
    EXPECT_EQ(a.warpInstructions, b.warpInstructions);
    EXPECT_EQ(a.issued, b.issued);
    EXPECT_EQ(a.sectors, b.sectors);
    EXPECT_EQ(a.loads, b.loads);
    EXPECT_EQ(a.stores, b.stores);
    EXPECT_EQ(a.atomics, b.atomics);
    EXPECT_EQ(a.loadBytes, b.loadBytes);
    EXPECT_EQ(a.storeBytes, b.storeBytes);
    EXPECT_EQ(a.collectives, b.collectives);
    EXPECT_EQ(a.barriers, b.barriers);
    for (size_t block = 0; block < one.report.traces.size(); ++block)
      EXPECT_EQ(one.report.traces[block].warps,
                other.report.traces[block].warps)
          << "block " << block;
    const auto &compiled = *static_cast<const Kernel *>(kernel);
    EXPECT_EQ(compiled.warps.entry && !compiled.needsFibers, together);
  }

  void *kernel = nullptr;
  int32_t *x = nullptr, *y = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Schedules, LockstepTest,
                         testing::Values(Schedule::InOrder), scheduleName);

/// %i: the thread's number in the grid; %p, %q: its elements of x and y.
std::string withIndex(const std::string &rest) {
  return R"(
define ptx_kernel void @k(ptr %x, ptr %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %f = mul i32 %b, %n
  %i = add i32 %f, %t
  %p = getelementptr i32, ptr %x, i32 %i
  %q = getelementptr i32, ptr %y, i32 %i
)" + rest;
}

TEST_P(LockstepTest, LanesLeaveLoopsOneByOne) {
  compare(withIndex(R"(
  %v = load i32, ptr %p
  %turns = and i32 %v, 15
  br label %loop
loop:
  %turn = phi i32 [ 0, %entry ], [ %next, %latch ]
  %a = phi i32 [ 1, %entry ], [ %b3, %latch ]
  %c = phi i32 [ 2, %entry ], [ %a, %latch ]
  %odd = and i32 %a, 1
  %isOdd = icmp ne i32 %odd, 0
  br i1 %isOdd, label %inner, label %latch
inner:
  %k = phi i32 [ 0, %loop ], [ %k1, %inner ]
  %s = phi i32 [ %c, %loop ], [ %s1, %inner ]
  %at = and i32 %s, 1023
  %e = getelementptr i32, ptr %x, i32 %at
  %w = load i32, ptr %e
  %s1 = add i32 %s, %w
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %turn
  br i1 %more, label %inner, label %latch
latch:
  %m = phi i32 [ %c, %loop ], [ %s1, %inner ]
  %b3 = add i32 %m, %turn
  %next = add i32 %turn, 1
  %again = icmp ult i32 %next, %turns
  br i1 %again, label %loop, label %exit
exit:
  %isLong = icmp ugt i32 %turns, 7
  store i32 %b3, ptr %q
  br i1 %isLong, label %long, label %end
long:
  store i32 %a, ptr %q
  ret void
end:
  ret void
})"));
}

TEST_P(LockstepTest, SwitchesAndQuotientsOfLanesThatGoElsewhere) {
  compare(withIndex(R"(
  %v = load i32, ptr %p
  %case = and i32 %v, 3
  switch i32 %case, label %none [ i32 1, label %one  i32 2, label %two
                                  i32 3, label %one ]
one:
  ; Zero in other lanes.
  %q1 = udiv i32 1000, %case
  br label %none
two:
  %r = srem i32 %v, %case
  %r1 = add i32 %r, 77
  br label %none
none:
  %s = phi i32 [ 1, %entry ], [ %q1, %one ], [ %r1, %two ]
  store i32 %s, ptr %q
  ret void
})"));
}

TEST_P(LockstepTest, SeveralEntriesOfACycle) {
  compare(withIndex(R"(
  %v = load i32, ptr %p
  %odd = trunc i32 %v to i1
  br i1 %odd, label %left, label %right
left:
  %a = phi i32 [ 0, %entry ], [ %d, %right ]
  %e = add i32 %a, 3
  store i32 %e, ptr %q
  br label %right
right:
  %c = phi i32 [ 1, %entry ], [ %e, %left ]
  %d = mul i32 %c, 2
  %more = icmp slt i32 %d, 100000000
  br i1 %more, label %left, label %exit
exit:
  store i32 %d, ptr %q
  ret void
})"));
}

TEST_P(LockstepTest, WhatLanesCompute) {
  compare("declare i32 @llvm.smin.i32(i32, i32)\n"
          "declare i32 @llvm.ctpop.i32(i32)\n"
          "declare i32 @llvm.abs.i32(i32, i1)\n"
          "declare float @llvm.fma.f32(float, float, float)\n"
          "declare float @llvm.nvvm.fmax.f(float, float)\n"
          "declare void @llvm.assume(i1)\n" +
          withIndex(R"(
  %v = load i32, ptr %p
  %positive = lshr i32 %v, 8
  %known = icmp slt i32 %positive, 16777216
  call void @llvm.assume(i1 %known)
  %a = call i32 @llvm.smin.i32(i32 %v, i32 1000)
  %ones = call i32 @llvm.ctpop.i32(i32 %v)
  %b1 = sub i32 0, %v
  %c = call i32 @llvm.abs.i32(i32 %b1, i1 true)
  %f1 = sitofp i32 %a to float
  %f2 = fneg float %f1
  %f3 = call float @llvm.fma.f32(float %f1, float 2.5, float %f2)
  %f4 = call float @llvm.nvvm.fmax.f(float %f3, float 0.0)
  %h = fptrunc float %f4 to half
  %hb = bitcast half %h to i16
  %pair = insertelement <2 x i16> poison, i16 %hb, i64 0
  %low = trunc i32 %v to i16
  %pair2 = insertelement <2 x i16> %pair, i16 %low, i64 1
  %word = bitcast <2 x i16> %pair2 to i32
  %bytes = bitcast i32 %word to <4 x i8>
  %turned = shufflevector <4 x i8> %bytes, <4 x i8> poison,
                          <4 x i32> <i32 3, i32 0, i32 1, i32 2>
  %sum = add <4 x i8> %turned, <i8 1, i8 2, i8 3, i8 4>
  %packed = bitcast <4 x i8> %sum to i32
  %bf = fptrunc float %f1 to bfloat
  %bfWide = fpext bfloat %bf to float
  %fi = fptosi float %bfWide to i32
  %both = insertvalue { i32, i64 } poison, i32 %fi, 0
  %wide = sext i32 %v to i64
  %both2 = insertvalue { i32, i64 } %both, i64 %wide, 1
  %m0 = extractvalue { i32, i64 } %both2, 0
  %m1 = extractvalue { i32, i64 } %both2, 1
  %high = lshr i64 %m1, 20
  %n1 = trunc i64 %high to i32
  %less = icmp ult i32 %v, 1000000
  %choice = select i1 %less, i32 %m0, i32 %n1
  %frozen = freeze i32 %choice
  %x1 = xor i32 %packed, %frozen
  %x2 = add i32 %x1, %ones
  %x3 = add i32 %x2, %c
  %address = ptrtoint ptr %q to i64
  %again = inttoptr i64 %address to ptr
  store i32 %x3, ptr %again
  ret void
})"));
}

TEST_P(LockstepTest, AccessesOfAllWidthsAndArrangements) {
  compare(withIndex(R"(
  ; The same for all lanes, side by side, far apart, and in no order.
  %b4 = and i32 %b, 3
  %p0 = getelementptr i32, ptr %x, i32 %b4
  %s0 = load i32, ptr %p0
  %i4 = mul i32 %t, 4
  %p4 = getelementptr i32, ptr %x, i32 %i4
  %v4 = load <4 x i32>, ptr %p4, align 16
  %e0 = extractelement <4 x i32> %v4, i64 0
  %e1 = extractelement <4 x i32> %v4, i64 1
  %e3 = extractelement <4 x i32> %v4, i64 3
  %r = xor i32 %t, 5
  %r2 = mul i32 %r, 2
  %pr = getelementptr i32, ptr %x, i32 %r2
  %v2 = load <2 x i32>, ptr %pr, align 8
  %g0 = extractelement <2 x i32> %v2, i64 0
  %g1 = extractelement <2 x i32> %v2, i64 1
  %pb = getelementptr i8, ptr %x, i32 %i
  %byte = load i8, ptr %pb
  %z = zext i8 %byte to i32
  %pt = getelementptr i16, ptr %x, i32 %r
  %short = load i16, ptr %pt
  %z2 = sext i16 %short to i32
  %a1 = add i32 %s0, %e0
  %a2 = sub i32 %a1, %e1
  %a3 = xor i32 %a2, %e3
  %a4 = add i32 %a3, %g0
  %a5 = xor i32 %a4, %g1
  %a6 = add i32 %a5, %z
  %a7 = add i32 %a6, %z2
  %up = and i32 %t, 1
  %isUp = icmp eq i32 %up, 0
  br i1 %isUp, label %some, label %rest
some:
  store i32 %a7, ptr %q
  br label %end
rest:
  %low = trunc i32 %a7 to i8
  store i8 %low, ptr %q
  %q2 = getelementptr i8, ptr %q, i32 2
  store i16 %short, ptr %q2
  br label %end
end:
  %i2 = mul i32 %i, 2
  %far = add i32 %i2, 256
  %qf = getelementptr i32, ptr %y, i32 %far
  %w = insertelement <2 x i32> poison, i32 %a4, i64 0
  %w2 = insertelement <2 x i32> %w, i32 %a6, i64 1
  store <2 x i32> %w2, ptr %qf, align 8
  ret void
})"));
}

TEST_P(LockstepTest, TruthValuesInMemory) {
  compare(withIndex(R"(
  %v = load i32, ptr %p
  %flag = trunc i32 %v to i1
  %at = getelementptr i8, ptr %y, i32 %i
  store i1 %flag, ptr %at
  %o = xor i1 %flag, true
  %again = load i1, ptr %at
  %both = and i1 %again, %o
  %word = select i1 %both, i8 3, i8 2
  %far = getelementptr i8, ptr %at, i32 1024
  store i8 %word, ptr %far
  ret void
})"));
}

TEST_P(LockstepTest, AtomicsGiveWhatWasThere) {
  compare(withIndex(R"(
  %z = and i32 %i, 7
  %a = getelementptr i32, ptr %y, i32 %z
  %old = atomicrmw add ptr %a, i32 3 monotonic
  ; Lanes that contend for a word retry as often as the order has it.
  %other = add i32 %i, 300
  %c = getelementptr i32, ptr %y, i32 %other
  br label %try
try:
  %seen = load atomic i32, ptr %c monotonic, align 4
  %new = add i32 %seen, %z
  %swap = cmpxchg ptr %c, i32 %seen, i32 %new acq_rel monotonic
  %was = extractvalue { i32, i1 } %swap, 0
  %done = extractvalue { i32, i1 } %swap, 1
  %enough = icmp ugt i32 %was, 20
  %none = icmp eq i32 %z, 0
  %stop = or i1 %enough, %none
  %failed = xor i1 %done, true
  %end1 = or i1 %stop, %failed
  br i1 %end1, label %end, label %try
end:
  %g = getelementptr float, ptr %y, i32 64
  %v = atomicrmw fadd ptr %g, float 1.0 monotonic
  %u = getelementptr i32, ptr %y, i32 65
  store atomic i32 9, ptr %u release, align 4
  ret void
})"));
}

TEST_P(LockstepTest, CollectivesOfAllLanes) {
  compare("declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)\n"
          "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n"
          "declare i32 @llvm.nvvm.redux.sync.umax(i32, i32)\n"
          "declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)\n" +
              withIndex(R"(
  %v = load i32, ptr %p
  %first = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 0, i32 31)
  %by = and i32 %v, 31
  %any = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 %by, i32 31)
  %up = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %v, i32 3,
                                                    i32 0)
  %uv = extractvalue {i32, i1} %up, 0
  %in = extractvalue {i32, i1} %up, 1
  %upn = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %v, i32 %by,
                                                     i32 0)
  %un = extractvalue {i32, i1} %upn, 0
  %inn = extractvalue {i32, i1} %upn, 1
  %half = bitcast i32 %v to float
  %fly = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %half, i32 16,
                                                  i32 31)
  %bits = bitcast float %fly to i32
  %odd = trunc i32 %v to i1
  %ballot = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  %max = call i32 @llvm.nvvm.redux.sync.umax(i32 %v, i32 -1)
  %few = and i32 %v, 3
  %wide = zext i32 %few to i64
  %match = call i32 @llvm.nvvm.match.any.sync.i64(i32 -1, i64 %wide)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = add i32 %first, %any
  %b1 = xor i32 %a, %uv
  %b2 = add i32 %b1, %un
  %i1 = zext i1 %in to i32
  %i2 = zext i1 %inn to i32
  %b3 = shl i32 %i1, 1
  %b4 = add i32 %b2, %b3
  %b5 = add i32 %b4, %i2
  %c = xor i32 %b5, %bits
  %d = add i32 %c, %ballot
  %e = xor i32 %d, %max
  %g = add i32 %e, %match
  store i32 %g, ptr %q
  ret void
})"),
          /*together=*/true, 3, 96);
}

TEST_P(LockstepTest, CollectivesOfSomeLanesNeedFibers) {
  compare(withIndex(R"(
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %isLow = icmp ult i32 %lane, 8
  br i1 %isLow, label %low, label %end
low:
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 255, i32 %i, i32 5, i32 31)
  store i32 %s, ptr %q
  br label %end
end:
  ret void
})"),
          /*together=*/false);
}

TEST_P(LockstepTest, HalvesOfAWarpWithMasksOfTheirOwnNeedFibers) {
  compare(withIndex(R"(
  %lane = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %isLow = icmp ult i32 %lane, 16
  %mask = select i1 %isLow, i32 65535, i32 -65536
  %from = sub i32 31, %lane
  %there = xor i32 %from, 16
  %s = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %i, i32 %there,
                                             i32 31)
  store i32 %s, ptr %q
  ret void
})"),
          /*together=*/false, 3, 96);
}

TEST_P(LockstepTest, LanesThatWaitForALockOfOneNeedFibers) {
  compare(withIndex(R"(
  %lock = getelementptr i32, ptr %y, i32 1000
  store atomic i32 5, ptr %q monotonic, align 4
  br label %try
try:
  %swap = cmpxchg ptr %lock, i32 5, i32 6 acquire monotonic
  %mine = extractvalue { i32, i1 } %swap, 1
  br i1 %mine, label %locked, label %try
locked:
  %sum = getelementptr i32, ptr %y, i32 1001
  %old = load atomic i32, ptr %sum monotonic, align 4
  %new = add i32 %old, %t
  store atomic i32 %new, ptr %sum monotonic, align 4
  store atomic i32 5, ptr %lock release, align 4
  ret void
})"),
          /*together=*/false);
}

TEST_P(LockstepTest, LocalMemoryNeedsFibers) {
  compare(withIndex(R"(
  %local = alloca [4 x i32]
  %k = and i32 %i, 3
  %e = getelementptr [4 x i32], ptr %local, i32 0, i32 %k
  store i32 %i, ptr %e
  %v = load i32, ptr %e
  store i32 %v, ptr %q
  ret void
})"),
          /*together=*/false);
}

} // namespace
