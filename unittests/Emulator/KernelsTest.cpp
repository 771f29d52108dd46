//===- KernelsTest.cpp - correct kernels compute what they should ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace astfe;
using namespace astfe::emu;

namespace {

class KernelsTest : public KernelTest {};
ASTFE_BOTH_SCHEDULES(KernelsTest);

/// y = A x, one warp a row: lanes over the nonzeros, then five shuffles.
const char *spmv = R"(
define ptx_kernel void @k(ptr noalias %pos, ptr noalias %col, ptr noalias %val,
                          ptr noalias %x, ptr noalias %y, i32 %rows) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %first = shl i32 %b, 2
  %row = add i32 %first, %warp
  %is = icmp ult i32 %row, %rows
  br i1 %is, label %begin, label %done
begin:
  %r = zext i32 %row to i64
  %p0 = getelementptr i32, ptr %pos, i64 %r
  %p1 = getelementptr i32, ptr %p0, i64 1
  %lo = load i32, ptr %p0, !invariant.load !0
  %hi = load i32, ptr %p1, !invariant.load !0
  %start = add i32 %lo, %lane
  br label %head
head:
  %k = phi i32 [ %start, %begin ], [ %next, %body ]
  %sum = phi float [ 0.0, %begin ], [ %more, %body ]
  %go = icmp ult i32 %k, %hi
  br i1 %go, label %body, label %reduce
body:
  %k64 = zext i32 %k to i64
  %pc = getelementptr i32, ptr %col, i64 %k64
  %c = load i32, ptr %pc, !invariant.load !0
  %c64 = zext i32 %c to i64
  %pv = getelementptr float, ptr %val, i64 %k64
  %v = load float, ptr %pv, !invariant.load !0
  %px = getelementptr float, ptr %x, i64 %c64
  %xv = load float, ptr %px, !invariant.load !0
  %more = call float @llvm.fma.f32(float %v, float %xv, float %sum)
  %next = add i32 %k, 32
  br label %head
reduce:
  %s1 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %sum, i32 16, i32 31)
  %a1 = fadd float %sum, %s1
  %s2 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a1, i32 8, i32 31)
  %a2 = fadd float %a1, %s2
  %s3 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a2, i32 4, i32 31)
  %a3 = fadd float %a2, %s3
  %s4 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a3, i32 2, i32 31)
  %a4 = fadd float %a3, %s4
  %s5 = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %a4, i32 1, i32 31)
  %a5 = fadd float %a4, %s5
  %zero = icmp eq i32 %lane, 0
  br i1 %zero, label %write, label %done
write:
  %py = getelementptr float, ptr %y, i64 %r
  store float %a5, ptr %py
  br label %done
done:
  ret void
}
declare float @llvm.fma.f32(float, float, float)
!0 = !{}
)";

TEST_P(KernelsTest, SparseMatrixVector) {
  constexpr int rows = 77, columns = 50;
  std::mt19937 random(3);
  std::vector<int32_t> pos{0}, col;
  std::vector<float> val, x(columns);
  std::vector<double> expected;
  for (float &value : x)
    value = float(random() % 100) / 10;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int n = int(random() % 90); n > 0; --n) {
      col.push_back(int(random() % columns));
      val.push_back(float(random() % 100) / 10);
      sum += double(val.back()) * x[size_t(col.back())];
    }
    pos.push_back(int32_t(col.size()));
    expected.push_back(sum);
  }
  float *y = device(std::vector<float>(rows, -1));
  EXPECT_EQ(launch(load(spmv), (rows + 3) / 4, 128, device(pos), device(col),
                   device(val), device(x), y, rows),
            "");
  std::vector<float> result(rows);
  ASSERT_TRUE(bool(emulator.copy(result.data(), y, rows * 4, nullptr)));
  for (int row = 0; row < rows; ++row)
    EXPECT_NEAR(result[size_t(row)], expected[size_t(row)],
                1e-5 * (1 + std::abs(expected[size_t(row)])));

  Counters total = emulator.lastLaunch().total();
  EXPECT_EQ(emulator.lastLaunch().kernel, "k");
  EXPECT_EQ(int64_t(emulator.lastLaunch().blocks.size()), (rows + 3) / 4);
  // Two positions a lane, three arrays a nonzero; one store a row.
  EXPECT_EQ(total.loads, rows * 32 * 2 + int64_t(col.size()) * 3);
  EXPECT_EQ(total.stores, rows);
  EXPECT_EQ(total.collectives, rows * 5);
  EXPECT_EQ(total.atomics, 0);
  EXPECT_GT(total.instructions, total.loads);
  // A warp issues what its longest lane runs: here lanes differ by a nonzero.
  EXPECT_GE(total.warpInstructions * 32, total.instructions);
  EXPECT_LT(total.warpInstructions * 32, total.instructions * 3 / 2);
}

/// Lane t runs t times round a loop, meets the others, then 31 - t times.
const char *uneven = R"(
define ptx_kernel void @k(ptr noalias %y) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %up
up:
  %i = phi i32 [ 0, %entry ], [ %i1, %up ]
  %i1 = add i32 %i, 1
  store volatile i32 %i, ptr %y
  %again = icmp ult i32 %i, %t
  br i1 %again, label %up, label %meet
meet:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %down
down:
  %j = phi i32 [ %t, %meet ], [ %j1, %down ]
  %j1 = add i32 %j, 1
  store volatile i32 %j, ptr %y
  %more = icmp ult i32 %j, 31
  br i1 %more, label %down, label %end
end:
  ret void
}
)";

TEST_P(KernelsTest, AWarpIssuesWhatItsLongestLaneRunsBetweenCollectives) {
  Options options = emulator.options();
  options.checkRaces = false;
  emulator.setOptions(options);
  ASSERT_EQ(launch(load(uneven), 1, 32, device(std::vector<int32_t>(1))), "");
  Counters all = emulator.lastLaunch().total();
  // Each trip of the warp writes one sector: 32 before the lanes meet, 32
  // after.
  EXPECT_EQ(all.sectors, 64);
  // 33 trips a lane on average, 64 with the longest lane of each half.
  EXPECT_NEAR(double(all.warpInstructions * 32) / double(all.instructions),
              64.0 / 33, 0.1);
}

/// Tree reduction in shared memory, the block's sum to y by an atomic.
const char *blockSum = R"(
define ptx_kernel void @k(ptr noalias %x, ptr noalias %y) {
entry:
  %t32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %o = mul i32 %b32, %n
  %i32 = add i32 %o, %t32
  %i = zext i32 %i32 to i64
  %t = zext i32 %t32 to i64
  %from = getelementptr double, ptr %x, i64 %i
  %v = load double, ptr %from
  %mine = getelementptr double, ptr addrspace(3) @sums, i64 %t
  store double %v, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %half = lshr i32 %n, 1
  br label %head
head:
  %step = phi i32 [ %half, %entry ], [ %smaller, %next ]
  %go = icmp ugt i32 %step, 0
  br i1 %go, label %body, label %end
body:
  %in = icmp ult i32 %t32, %step
  br i1 %in, label %add, label %next
add:
  %j32 = add i32 %t32, %step
  %j = zext i32 %j32 to i64
  %other = getelementptr double, ptr addrspace(3) @sums, i64 %j
  %a = load double, ptr addrspace(3) %mine
  %c = load double, ptr addrspace(3) %other
  %s = fadd double %a, %c
  store double %s, ptr addrspace(3) %mine
  br label %next
next:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %smaller = lshr i32 %step, 1
  br label %head
end:
  %zero = icmp eq i32 %t32, 0
  br i1 %zero, label %write, label %done
write:
  %sum = load double, ptr addrspace(3) @sums
  %old = atomicrmw fadd ptr %y, double %sum syncscope("device") monotonic, align 8
  br label %done
done:
  ret void
}
@sums = internal addrspace(3) global [256 x double] undef
)";

TEST_P(KernelsTest, BlockReductionAndAtomic) {
  std::vector<double> x(5 * 256);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(i);
  double *y = device(std::vector<double>{0});
  EXPECT_EQ(launch(load(blockSum), 5, 256, device(x), y), "");
  double sum = 0;
  ASSERT_TRUE(bool(emulator.copy(&sum, y, 8, nullptr)));
  EXPECT_EQ(sum, 1279.0 * 1280 / 2);
  EXPECT_EQ(emulator.lastLaunch().total().barriers, 5 * 9);
  EXPECT_EQ(emulator.lastLaunch().total().atomics, 5);
}

TEST_P(KernelsTest, NarrowStoresOfNeighboursAreNoRace) {
  const char *code = R"(
define ptx_kernel void @k(ptr noalias %x, ptr noalias %y) {
  %t32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = zext i32 %t32 to i64
  %from = getelementptr i8, ptr %x, i64 %t
  %v = load i8, ptr %from
  %w = add i8 %v, 1
  %to = getelementptr i8, ptr %y, i64 %t
  store i8 %w, ptr %to
  %again = load i8, ptr %to
  ret void
})";
  std::vector<uint8_t> x(64, 4), y(64);
  uint8_t *out = device(y);
  EXPECT_EQ(launch(load(code), 1, 64, device(x), out), "");
  ASSERT_TRUE(bool(emulator.copy(y.data(), out, 64, nullptr)));
  EXPECT_EQ(y, std::vector<uint8_t>(64, 5));
}

TEST_P(KernelsTest, GridsOfThreeDimensions) {
  const char *code = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
define ptx_kernel void @k(ptr noalias %y) {
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %b0 = mul i32 %by, %gx
  %b = add i32 %b0, %bx
  %z2 = shl i32 %tz, 1
  %zy = add i32 %z2, %ty
  %zy3 = mul i32 %zy, 3
  %t = add i32 %zy3, %tx
  %b12 = mul i32 %b, 12
  %i = add i32 %b12, %t
  %i64 = zext i32 %i to i64
  %p = getelementptr i32, ptr %y, i64 %i64
  store i32 %i, ptr %p
  ret void
})";
  int32_t *y = device(std::vector<int32_t>(48, -1));
  void *params[] = {&y, nullptr};
  rt::LaunchShape shape{{2, 2, 1}, {3, 2, 2}, 0};
  core::Status status = emulator.launch(load(code), shape, nullptr, params);
  ASSERT_TRUE(bool(status)) << status.message();
  for (int32_t i = 0; i < 48; ++i)
    EXPECT_EQ(y[i], i);
}

TEST_P(KernelsTest, EmptyGridRunsNothing) {
  EXPECT_EQ(launch(load("define ptx_kernel void @k() { ret void }"), 0, 32),
            "");
  EXPECT_EQ(emulator.lastLaunch().blocks.size(), 0u);
}

TEST_P(KernelsTest, LocalMemoryNeedsNoAllocation) {
  const char *code = R"(
define ptx_kernel void @k(ptr noalias %y, i1 %c) {
  %a = alloca [4 x float]
  %b = alloca [4 x float]
  %p = select i1 %c, ptr %a, ptr %b
  store float 2.0, ptr %p
  %v = load float, ptr %p
  store float %v, ptr %y
  ret void
})";
  float *y = device(std::vector<float>{0});
  EXPECT_EQ(launch(load(code), 1, 1, y, true), "");
  EXPECT_EQ(*y, 2.0f);
}

/// y[its number] = the place at which a thread came to the counter.
const char *arrivals = R"(
define ptx_kernel void @k(ptr noalias %counter, ptr noalias %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %place = atomicrmw add ptr %counter, i32 1 monotonic, align 4
  %o = mul i32 %b, %n
  %i = add i32 %o, %t
  %p = getelementptr i32, ptr %y, i32 %i
  store i32 %place, ptr %p
  ret void
})";

TEST_P(KernelsTest, SchedulesDecideTheOrder) {
  auto run = [&](uint64_t seed) {
    setSeed(seed);
    // Blocks on several host threads meet in the atomic in any order.
    Options options = emulator.options();
    options.hostThreads = 1;
    emulator.setOptions(options);
    std::vector<int32_t> y(256);
    int32_t *places = device(y);
    EXPECT_EQ(
        launch(load(arrivals), 4, 64, device(std::vector<int32_t>{0}), places),
        "");
    EXPECT_TRUE(bool(emulator.copy(y.data(), places, 1024, nullptr)));
    return y;
  };
  std::vector<int32_t> first = run(1);
  bool byNumber = std::is_sorted(first.begin(), first.end());
  EXPECT_EQ(byNumber, GetParam() == Schedule::InOrder);
  EXPECT_EQ(run(1), first);
  EXPECT_EQ(run(2) == first, GetParam() == Schedule::InOrder);
}

TEST_P(KernelsTest, ChecksCanBeOff) {
  const char *code = R"(
define ptx_kernel void @k(ptr %y) {
  store float 1.0, ptr %y
  ret void
})";
  Options options = emulator.options();
  float host = 0, *y = device(std::vector<float>{0});
  EXPECT_NE(launch(load(code), 2, 1, y), "");
  options.checkRaces = false;
  emulator.setOptions(options);
  EXPECT_EQ(launch(load(code), 2, 1, y), "");
  EXPECT_NE(launch(load(code), 1, 1, &host), "");
  options.checkBounds = false;
  emulator.setOptions(options);
  EXPECT_EQ(launch(load(code), 1, 1, &host), "");
  EXPECT_EQ(host, 1.0f);
}

/// Each lane's accesses of a loop are logged until lanes meet; here they do at
/// the end alone, and the log has to grow.
TEST_P(KernelsTest, LoopsThatAreLongerThanALog) {
  void *kernel = load(R"(
define ptx_kernel void @k(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  %t32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = zext i32 %t32 to i64
  br label %body
body:
  %i = phi i64 [ %t, %entry ], [ %next, %body ]
  %px = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %px
  %py = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %py
  %next = add i64 %i, 32
  %go = icmp slt i64 %next, %n
  br i1 %go, label %body, label %done
done:
  ret void
}
)");
  const int64_t n = 32 * 3000;
  std::vector<float> x(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 1013);
  float *from = device(x), *to = device(std::vector<float>(x.size()));
  ASSERT_EQ(launch(kernel, 1, 32, from, to, n), "");
  EXPECT_TRUE(std::equal(x.begin(), x.end(), to));
  const Counters total = emulator.lastLaunch().total();
  EXPECT_EQ(total.loads, n);
  EXPECT_EQ(total.stores, n);
  // Of x and of y, a sector of 32 bytes for 8 floats.
  EXPECT_EQ(total.sectors, 2 * n / 8);
}

} // namespace
