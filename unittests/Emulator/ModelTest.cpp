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
  Prediction prediction(int64_t registers = 32, Before before = Before::Same) {
    auto result =
        predict(*gpuNumbers("h200"), emulator.lastLaunch(), registers, before);
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
  // No limit is beaten; the launch comes on top of all but itself.
  EXPECT_GE(p.seconds - gpu.launchSeconds,
            std::max({p.issueSeconds, p.l1Seconds, p.l2Seconds, p.dramSeconds,
                      p.latencySeconds}));
  EXPECT_NEAR(prediction(32, Before::Another).launchSeconds,
              p.launchSeconds + gpu.coldCode / gpu.clock, 1e-12);
}

/// The instructions that a warp issues for a kernel whose work is `body`, from
/// %v and %u to %r, of a type. What ptxas 13.0 makes of it for sm_90 is, but
/// for the loads of its arguments: S2R, twice IMAD.WIDE.U32 and LDG, the work,
/// STG and EXIT.
std::string workOn(const std::string &type, const std::string &body) {
  return "declare i32 @llvm.smin.i32(i32, i32)\n"
         "define ptx_kernel void @k(ptr %x, ptr %y, i32 %n) {\n"
         "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
         "  %w = zext i32 %t to i64\n"
         "  %p = getelementptr " +
         type +
         ", ptr %x, i64 %w\n"
         "  %q = getelementptr " +
         type +
         ", ptr %y, i64 %w\n"
         "  %v = load " +
         type +
         ", ptr %p\n"
         "  %u = load " +
         type + ", ptr %q\n" + body + "  store " + type +
         " %r, ptr %q\n  ret void\n}";
}

TEST_P(ModelTest, CountsWhatPtxasEmits) {
  struct {
    const char *type, *body;
    int64_t work;
  } cases[] = {
      // ISETP, and an FFMA by its predicate.
      {"float",
       "%m = fmul contract float %v, %u\n%s = fadd contract float %m, %v\n"
       "%c = icmp slt i32 %t, %n\n%r = select i1 %c, float %s, float %v\n",
       2},
      // FMUL and FADD: nothing allows more.
      {"float", "%m = fmul float %v, %u\n%r = fadd float %m, %v\n", 2},
      // VIMNMX.
      {"i32", "%r = call i32 @llvm.smin.i32(i32 %v, i32 %u)\n", 1},
      // I2F, MUFU.RCP, F2I and what corrects the quotient.
      {"i32", "%r = udiv i32 %v, %u\n", 18},
      // IMAD.WIDE and an IMAD for each upper half.
      {"i64", "%r = mul i64 %v, %u\n", 3},
      {"i64", "%r = add i64 %v, %u\n", 2},
      {"double", "%r = fadd double %v, %u\n", 1},
  };
  for (const auto &[type, body, work] : cases) {
    // No zero of any of the types.
    int64_t *x = device(std::vector<int64_t>(32, 0x4000000040000000));
    int64_t *y = device(std::vector<int64_t>(32, 0x4000000040000000));
    ASSERT_EQ(launch(load(workOn(type, body)), 1, 32, x, y, int32_t(32)), "");
    EXPECT_EQ(emulator.lastLaunch().total().issued, 7 + work) << body;
  }
}

/// Each lane loads 16 bytes from eight places, one behind the other, and adds
/// them up.
std::string eightLoads() {
  std::string text = R"(
define ptx_kernel void @k(ptr %x, ptr %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = zext i32 %t to i64
  %p = getelementptr <4 x float>, ptr %x, i64 %w
)";
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    text += "  %p" + n + " = getelementptr i8, ptr %p, i64 " +
            std::to_string(i * 512) + "\n  %v" + n +
            " = load <4 x float>, ptr %p" + n + "\n";
  }
  text += "  %s0 = fadd <4 x float> %v0, %v1\n";
  for (int i = 1; i < 7; ++i)
    text += "  %s" + std::to_string(i) + " = fadd <4 x float> %s" +
            std::to_string(i - 1) + ", %v" + std::to_string(i + 1) + "\n";
  return text + R"(
  %q = getelementptr <4 x float>, ptr %y, i64 %w
  store <4 x float> %s6, ptr %q
  ret void
})";
}

TEST_P(ModelTest, LoadsOnTheirWayTakeRegisters) {
  float *x = device(std::vector<float>(1024, 1));
  float *y = device(std::vector<float>(128));
  ASSERT_EQ(launch(load(eightLoads()), 1, 32, x, y), "");
  const GpuNumbers gpu = *gpuNumbers("h200");
  auto cycles = [&](int64_t registers) {
    return (prediction(registers).seconds - gpu.launchSeconds) * gpu.clock -
           gpu.coldConstants;
  };
  // All at once, and then the store, with 45 instructions; or three at a time.
  EXPECT_LE(cycles(60), 2 * gpu.l2Latency + 60 * gpu.issueLatency);
  EXPECT_GE(cycles(40), 4 * gpu.l2Latency);
  EXPECT_GE(cycles(36), 4 * gpu.l2Latency);
}

TEST_P(ModelTest, WhatALoopCarriesIsWaitedFor) {
  const char *chase = R"(
define ptx_kernel void @k(ptr %x, ptr %y, i32 %n) {
entry:
  %first = load volatile i32, ptr %x
  br label %loop
loop:
  %at = phi i32 [ %first, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %p = getelementptr i32, ptr %x, i32 %at
  %next = load volatile i32, ptr %p
  %more = add i32 %i, 1
  %goes = icmp slt i32 %more, %n
  br i1 %goes, label %loop, label %done
done:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr i32, ptr %y, i32 %t
  store i32 %next, ptr %q
  ret void
})";
  constexpr int32_t steps = 64;
  int32_t *x = device(std::vector<int32_t>(32, 0));
  int32_t *y = device(std::vector<int32_t>(32, 0));
  ASSERT_EQ(launch(load(chase), 1, 32, x, y, steps), "");
  const GpuNumbers gpu = *gpuNumbers("h200");
  EXPECT_GE(prediction().latencySeconds * gpu.clock,
            gpu.l2Latency + (steps - 1) * gpu.l1Latency);
}

TEST_P(ModelTest, AtomicsOfALineWaitForEachOther) {
  // Blocks of a warp add to the same line, or each to one of its own.
  const char *adds = R"(
define ptx_kernel void @k(ptr %x, i32 %stride) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %from = mul i32 %b, %stride
  %i = add i32 %from, %t
  %w = zext i32 %i to i64
  %p = getelementptr float, ptr %x, i64 %w
  %old = atomicrmw fadd ptr %p, float 1.0 monotonic
  ret void
})";
  constexpr int64_t blocks = 1024;
  float *x = device(std::vector<float>(blocks * 32));
  void *kernel = load(adds);
  ASSERT_EQ(launch(kernel, blocks, 32, x, int32_t(32)), "");
  const double apart = prediction().seconds;
  ASSERT_EQ(launch(kernel, blocks, 32, x, int32_t(0)), "");
  const GpuNumbers gpu = *gpuNumbers("h200");
  EXPECT_GE(prediction().seconds, blocks * 4 * gpu.atomicCycles / gpu.clock);
  EXPECT_GE(prediction().seconds, 1.5 * apart);
}

TEST_P(ModelTest, L2LooksUpEachLine) {
  // A sector of each of many lines is as much work as all of them.
  const char *sectors = R"(
define ptx_kernel void @k(ptr %x, i32 %stride) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %start = mul i32 %b, %n
  %i = add i32 %start, %t
  %at = mul i32 %i, %stride
  %w = zext i32 %at to i64
  %p = getelementptr float, ptr %x, i64 %w
  %v = load volatile float, ptr %p
  ret void
})";
  constexpr int64_t threads = 1024, blocks = 132;
  float *x = device(std::vector<float>(threads * blocks * 32));
  ASSERT_EQ(launch(load(sectors), blocks, threads, x, int32_t(32)), "");
  const GpuNumbers gpu = *gpuNumbers("h200");
  const Prediction p = prediction();
  EXPECT_EQ(p.l2Sectors, threads * blocks);
  EXPECT_NEAR(p.l2Seconds, double(threads * blocks) / gpu.l2LinesPerSecond,
              1e-9);
  EXPECT_GT(p.l2Seconds, double(p.l2Sectors * 32) / gpu.l2Bandwidth);
}

TEST(PredictionTest, FillingTakesALaunchAndItsBytes) {
  const GpuNumbers gpu = *gpuNumbers("h200");
  EXPECT_DOUBLE_EQ(predictFill(gpu, 0).seconds, gpu.launchSeconds);
  EXPECT_DOUBLE_EQ(predictFill(gpu, 1 << 30).seconds,
                   gpu.launchSeconds + (1 << 30) / gpu.fillBandwidth);
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
  EXPECT_EQ(*kernelRegisters("combine_chain_2"), *kernelRegisters("combine_chain"));
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
