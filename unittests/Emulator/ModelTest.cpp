//===- ModelTest.cpp - the time a GPU would take --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Model.h"
#include "Cache.h"
#include "KernelFixture.h"

using namespace astfe;
using namespace astfe::emu;

namespace {

class ModelTest : public KernelTest {
protected:
  ModelTest() {
    Options options = emulator.options();
    options.recordTraces = true;
    emulator.setOptions(options);
  }
  Prediction prediction(int64_t registers = 32) {
    auto result =
        predict(*gpuNumbers("h200"), emulator.lastLaunch(), registers);
    EXPECT_TRUE(bool(result));
    return result ? *result : Prediction();
  }
};
ASTFE_BOTH_SCHEDULES(ModelTest);

/// y[i] = x[i] + x[i], each read by an access of its own, by all threads.
const char *twice = R"(
define ptx_kernel void @k(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %px = getelementptr float, ptr %x, i32 %i
  %v = load volatile float, ptr %px
  %w = load volatile float, ptr %px
  %sum = fadd float %v, %w
  %py = getelementptr float, ptr %y, i32 %i
  store float %sum, ptr %py
  ret void
})";

TEST_P(ModelTest, CountsSectorsOnTheirWay) {
  constexpr int64_t blocks = 264, count = blocks * 128;
  float *x = device(std::vector<float>(count, 1));
  float *y = device(std::vector<float>(count));
  ASSERT_EQ(launch(load(twice), blocks, 128, x, y), "");
  const Prediction p = prediction();
  // Eight floats a sector: two reads, of which the second finds L1, a write.
  EXPECT_EQ(p.sectors, 3 * count / 8);
  EXPECT_EQ(p.l1Hits, count / 8);
  EXPECT_EQ(p.l2Sectors, 2 * count / 8);
  // The launch before has left all in L2.
  EXPECT_EQ(p.l2Hits, p.l2Sectors);
  EXPECT_EQ(p.dramBytes, 0);
  // Address arithmetic, three accesses, an addition, the return.
  EXPECT_GE(p.issued, blocks * 4 * 6);
  EXPECT_LE(p.issued, blocks * 4 * 20);
  // The addition waits for one trip to L2, and nothing else does.
  const GpuNumbers gpu = *gpuNumbers("h200");
  EXPECT_GE(p.latencySeconds * gpu.clock, gpu.l2Latency);
  EXPECT_LE(p.latencySeconds * gpu.clock, gpu.l2Latency + gpu.dramLatency);
  EXPECT_EQ(p.seconds, std::max({p.issueSeconds, p.l1Seconds, p.l2Seconds,
                                 p.dramSeconds, p.latencySeconds}));
}

TEST_P(ModelTest, WhatDoesNotFitL2ComesFromDram) {
  // Each thread reads a line of its own.
  constexpr int64_t threads = 1024, blocks = 64, stride = 1 << 20;
  const char *far = R"(
define ptx_kernel void @k(ptr %x, i64 %stride) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b64 = zext i32 %b to i64
  %start = mul i64 %b64, %stride
  %p = getelementptr i8, ptr %x, i64 %start
  %t64 = zext i32 %t to i64
  %from = mul i64 %t64, 128
  %q = getelementptr i8, ptr %p, i64 %from
  %v = load volatile float, ptr %q
  ret void
})";
  char *x = device(std::vector<char>(size_t(blocks * stride)));
  ASSERT_EQ(launch(load(far), blocks, threads, x, stride), "");
  // A line each: 65,536 lines are 8 MiB, which fit.
  EXPECT_EQ(prediction().l2Sectors, blocks * threads);
  EXPECT_EQ(prediction().dramBytes, 0);
  GpuNumbers small = *gpuNumbers("h200");
  small.l2Bytes = 1 << 20;
  auto cold = predict(small, emulator.lastLaunch(), 32);
  ASSERT_TRUE(bool(cold));
  EXPECT_EQ(cold->dramBytes, 32 * blocks * threads);
}

TEST_P(ModelTest, OccupancyFollowsRegistersAndSharedMemory) {
  float *x = device(std::vector<float>(1024, 1));
  float *y = device(std::vector<float>(1024));
  ASSERT_EQ(launch(load(twice), 4, 128, x, y), "");
  EXPECT_EQ(prediction(32).residentBlocks, 16); // 64 warps
  EXPECT_EQ(prediction(64).residentBlocks, 8);  // 65,536 registers
  EXPECT_EQ(prediction(65).residentBlocks, 7);  // 72 with their granularity
  EXPECT_EQ(prediction(64).occupancy, 0.5);
  dynamicShared = 100 * 1024;
  ASSERT_EQ(launch(load(twice), 4, 128, x, y), "");
  EXPECT_EQ(prediction(32).residentBlocks, 2);
}

TEST_P(ModelTest, SaysWhatItCannotPredict) {
  EXPECT_TRUE(has(gpuNumbers("h100").message(),
                  "expected the model of a GPU, 'h200', but got 'h100'"));
  EXPECT_TRUE(has(kernelRegisters("nobody").message(), "'nobody'"));
  EXPECT_GE(*kernelRegisters("tile128"), 16);
  EXPECT_EQ(*kernelRegisters("combine_2"), *kernelRegisters("combine"));
  EXPECT_FALSE(bool(kernelRegisters("tile128_2")));
  float *x = device(std::vector<float>(1024, 1));
  float *y = device(std::vector<float>(1024));
  ASSERT_EQ(launch(load(twice), 1, 1024, x, y), "");
  EXPECT_TRUE(
      has(predict(*gpuNumbers("h200"), emulator.lastLaunch(), 128).message(),
          "expected a block that fits the GPU"));
  Options options = emulator.options();
  options.recordTraces = false;
  emulator.setOptions(options);
  ASSERT_EQ(launch(load(twice), 1, 32, x, y), "");
  EXPECT_TRUE(
      has(predict(*gpuNumbers("h200"), emulator.lastLaunch(), 32).message(),
          "expected a launch with traces"));
}

TEST(PredictionTest, OfLaunchesOneAfterTheOther) {
  Prediction all, first, second;
  first.seconds = first.latencySeconds = 3e-6;
  first.issueSeconds = 1e-6;
  first.l2Sectors = 5;
  first.occupancy = 0.5;
  first.limit = "latency";
  second.seconds = second.issueSeconds = 2e-6;
  second.l2Sectors = 7;
  second.occupancy = 1;
  second.limit = "issue";
  for (const Prediction &launch : {second, first, second})
    all += launch;
  EXPECT_DOUBLE_EQ(all.seconds, 7e-6);
  EXPECT_DOUBLE_EQ(all.issueSeconds, 5e-6);
  EXPECT_EQ(all.l2Sectors, 19);
  // The longest one's.
  EXPECT_EQ(all.occupancy, 0.5);
  EXPECT_STREQ(all.limit, "latency");
}

TEST(CacheTest, KeepsTheLastLinesOfASet) {
  Cache cache(16 * 128); // one set
  for (uint64_t line = 0; line < 16; ++line)
    EXPECT_EQ(cache.access(line, 0b0011, line == 0).missed, 0b0011);
  EXPECT_EQ(cache.access(1, 0b0111, false).missed, 0b0100);
  // Line 0 is the oldest; two of its sectors were written.
  EXPECT_EQ(cache.access(16, 1, false).evicted, 0b0011);
  EXPECT_EQ(cache.access(1, 1, false).missed, 0);
  EXPECT_EQ(cache.access(0, 1, false).missed, 1);
}

} // namespace
