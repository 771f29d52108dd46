//===- FaultsTest.cpp - seeded faults are found ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each fault beside the correct kernel, which must pass: a checker that always
// complains would find every fault too.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

using namespace astfe;
using namespace astfe::emu;

namespace {

class FaultsTest : public KernelTest {
protected:
  float *floats(size_t count) { return device(std::vector<float>(count)); }
  int32_t *ints(std::vector<int32_t> values) { return device(values); }
};
ASTFE_BOTH_SCHEDULES(FaultsTest);

const char *barrier =
    "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";

/// One block reverses 64 floats of x into y through shared memory.
std::string reverse(const char *between) {
  return std::string(R"(
define ptx_kernel void @k(ptr noalias %x, ptr noalias %y) {
  %t32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = zext i32 %t32 to i64
  %from = getelementptr float, ptr %x, i64 %t
  %v = load float, ptr %from
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %t
  store float %v, ptr addrspace(3) %s
)") + between +
         R"(
  %r = sub i64 63, %t
  %o = getelementptr float, ptr addrspace(3) @tile, i64 %r
  %w = load float, ptr addrspace(3) %o
  %to = getelementptr float, ptr %y, i64 %t
  store float %w, ptr %to
  ret void
})";
}

TEST_P(FaultsTest, RemovedBarrierIsARace) {
  float *x = floats(64), *y = floats(64);
  EXPECT_EQ(launch(load(reverse(barrier)), 1, 64, x, y), "");
  std::string error = launch(load(reverse("")), 1, 64, x, y);
  EXPECT_TRUE(has(error, "kernel 'k': race in shared memory"));
  EXPECT_TRUE(has(error, "in 'tile'"));
  EXPECT_TRUE(has(error, "block (0,0,0) thread ("));
}

TEST_P(FaultsTest, WarpBarrierOrdersOnlyItsWarp) {
  float *x = floats(64), *y = floats(64);
  std::string code = reverse("call void @llvm.nvvm.bar.warp.sync(i32 -1)\n");
  EXPECT_TRUE(has(launch(load(code), 1, 64, x, y), "race in shared memory"));
  // In one warp it is enough. (The reversal reads 63 - t: half of it
  // unwritten.)
  size_t at = code.find("sub i64 63");
  code.replace(at, 10, "sub i64 31");
  EXPECT_EQ(launch(load(code), 1, 32, x, y), "");
}

/// y[0] += x[block] by thread 0 of each block, in three ways.
std::string accumulate(const char *how) {
  return std::string(R"(
define ptx_kernel void @k(ptr noalias %x, ptr noalias %y) {
  %b32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = zext i32 %b32 to i64
  %from = getelementptr float, ptr %x, i64 %b
  %v = load float, ptr %from
)") + how +
         "\n ret void }";
}

TEST_P(FaultsTest, ACollectiveOrdersItsLanesOnly) {
  // Lane 3 writes, lanes 2 and 3 meet, then one lane reads.
  std::string code = R"(
define ptx_kernel void @k(i32 %reader) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %isWriter = icmp eq i32 %t, 3
  br i1 %isWriter, label %write, label %next
write:
  store float 1.0, ptr addrspace(3) @tile
  br label %next
next:
  %above = icmp uge i32 %t, 2
  %below = icmp ult i32 %t, 4
  %meets = and i1 %above, %below
  br i1 %meets, label %meet, label %then
meet:
  call void @llvm.nvvm.bar.warp.sync(i32 12)
  br label %then
then:
  %isReader = icmp eq i32 %t, %reader
  br i1 %isReader, label %read, label %done
read:
  %v = load volatile float, ptr addrspace(3) @tile
  br label %done
done:
  ret void
})";
  void *kernel = load(code);
  EXPECT_EQ(launch(kernel, 1, 32, 2u), "");
  EXPECT_TRUE(has(launch(kernel, 1, 32, 5u), "race in shared memory"));
}

TEST_P(FaultsTest, AtomicMadePlainIsARaceBetweenBlocks) {
  float *x = floats(4), *y = floats(1);
  const char *atomic =
      "%o = atomicrmw fadd ptr %y, float %v monotonic, align 4";
  const char *plain = "%o = load float, ptr %y\n %n = fadd float %o, %v\n"
                      "store float %n, ptr %y";
  const char *mixed = "store float %v, ptr %y\n"
                      "%o = atomicrmw fadd ptr %y, float %v monotonic, align 4";
  EXPECT_EQ(launch(load(accumulate(atomic)), 4, 1, x, y), "");
  EXPECT_EQ(launch(load(accumulate(plain)), 1, 1, x, y), "");
  std::string error = launch(load(accumulate(plain)), 4, 1, x, y);
  EXPECT_TRUE(has(error,
                  "race in global memory: load of 4 bytes through "
                  "argument 1 at byte 0 after a plain write by block ("));
  EXPECT_TRUE(has(launch(load(accumulate(mixed)), 2, 1, x, y),
                  "race in global memory: store"));
}

TEST_P(FaultsTest, LaunchesAreOrdered) {
  float *x = floats(1), *y = floats(1);
  void *kernel = load(accumulate("store float %v, ptr %y"));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(launch(kernel, 1, 1, x, y), "");
}

TEST_P(FaultsTest, ReadersOfManyThreadsThenAWriterIsARace) {
  // All threads read y[0]; thread 40 writes it afterwards without a barrier.
  float *y = floats(1);
  std::string code = R"(
define ptx_kernel void @k(ptr noalias %y) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %v = load volatile float, ptr %y
  BETWEEN
  %is = icmp eq i32 %t, 40
  br i1 %is, label %write, label %done
write:
  store float 1.0, ptr %y
  br label %done
done:
  ret void
})";
  auto with = [&](const char *between) {
    std::string text = code;
    return text.replace(text.find("BETWEEN"), 7, between);
  };
  EXPECT_EQ(launch(load(with(barrier)), 1, 64, y), "");
  EXPECT_TRUE(has(launch(load(with("")), 1, 64, y), "race in global memory"));
}

/// y[t] = x[index[t]].
const char *gather = R"(
define ptx_kernel void @k(ptr noalias %x, ptr noalias %index, ptr noalias %y) {
  %t32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t = zext i32 %t32 to i64
  %pi = getelementptr i32, ptr %index, i64 %t
  %i32 = load i32, ptr %pi
  %i = sext i32 %i32 to i64
  %px = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %px
  %py = getelementptr float, ptr %y, i64 %t
  store float %v, ptr %py
  ret void
})";

TEST_P(FaultsTest, BadIndexIsOutOfBounds) {
  float *x = floats(8), *y = floats(4);
  void *kernel = load(gather);
  EXPECT_EQ(launch(kernel, 1, 4, x, ints({0, 7, 3, 3}), y), "");
  EXPECT_EQ(launch(kernel, 1, 4, x, ints({0, 7, 8, 3}), y),
            "kernel 'k': out-of-bounds load of 4 bytes through argument 0 at "
            "byte 32 of an allocation of 32 bytes [block (0,0,0) thread "
            "(2,0,0)]");
  EXPECT_TRUE(has(launch(kernel, 1, 4, x, ints({0, -1, 7, 3}), y),
                  "at byte -4 of an allocation of 32 bytes"));
  // Far away, into another allocation: still not where x is.
  int32_t far = int32_t(y - x);
  EXPECT_TRUE(has(launch(kernel, 1, 1, x, ints({far}), y), "out-of-bounds"));
  float host[4];
  EXPECT_TRUE(has(launch(kernel, 1, 1, &host[0], ints({0}), y),
                  "at an address in no allocation"));
}

TEST_P(FaultsTest, FreedMemoryIsOutOfBounds) {
  float *x = floats(8), *y = floats(4);
  void *kernel = load(gather);
  int32_t *index = ints({0, 1, 2, 3});
  EXPECT_EQ(launch(kernel, 1, 4, x, index, y), "");
  ASSERT_TRUE(bool(emulator.free(x)));
  EXPECT_TRUE(has(launch(kernel, 1, 4, x, index, y), "in no allocation"));
  EXPECT_FALSE(bool(emulator.free(x)));
}

TEST_P(FaultsTest, SharedVariablesHaveBounds) {
  const char *code = R"(
@other = internal addrspace(3) global [16 x float] undef
define ptx_kernel void @k(i64 %i) {
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %i
  store float 1.0, ptr addrspace(3) %s
  store float 1.0, ptr addrspace(3) @other
  ret void
})";
  EXPECT_EQ(launch(load(code), 1, 1, int64_t(255)), "");
  EXPECT_TRUE(has(launch(load(code), 1, 1, int64_t(256)),
                  "out-of-bounds store of 4 bytes in 'tile' at byte 1024 of "
                  "1024 bytes of shared memory"));
}

TEST_P(FaultsTest, AnAccessAcrossTheEndOfSharedMemoryIsOutOfBounds) {
  // Two floats, of which the second may lie beyond; aligned to one.
  const char *code = R"(
define ptx_kernel void @k(i64 %i) {
  %s = getelementptr float, ptr addrspace(3) @tile, i64 %i
  store <2 x float> <float 1.0, float 1.0>, ptr addrspace(3) %s, align 4
  ret void
})";
  EXPECT_EQ(launch(load(code), 1, 1, int64_t(254)), "");
  EXPECT_TRUE(has(launch(load(code), 1, 1, int64_t(255)),
                  "out-of-bounds store of 8 bytes in 'tile' at byte 1020 of "
                  "1024 bytes of shared memory"));
}

TEST_P(FaultsTest, DynamicSharedMemoryHasTheLaunchsSize) {
  const char *code = R"(
@dynamic = external addrspace(3) global [0 x float]
define ptx_kernel void @k(i64 %i) {
  store float 1.0, ptr addrspace(3) @tile
  %s = getelementptr float, ptr addrspace(3) @dynamic, i64 %i
  store float 1.0, ptr addrspace(3) %s
  ret void
})";
  dynamicShared = 64;
  EXPECT_EQ(launch(load(code), 1, 1, int64_t(15)), "");
  EXPECT_TRUE(has(launch(load(code), 1, 1, int64_t(16)), "out-of-bounds"));
  dynamicShared = 227 * 1024;
  EXPECT_TRUE(has(launch(load(code), 1, 1, int64_t(0)),
                  "expected at most 232448 bytes of shared memory"));
}

TEST_P(FaultsTest, SharedMemoryIsNotClear) {
  const char *code = R"(
@dynamic = external addrspace(3) global [0 x i32]
define ptx_kernel void @k(ptr %y) {
  %v = load i32, ptr addrspace(3) @dynamic
  store i32 %v, ptr %y
  store i32 0, ptr addrspace(3) @dynamic
  ret void
})";
  dynamicShared = 64;
  int32_t *y = ints({0});
  void *kernel = load(code);
  // Nor does it hold what an earlier block left.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launch(kernel, 1, 1, y), "");
    EXPECT_EQ(uint32_t(*y), 0xcdcdcdcd);
  }
}

TEST_P(FaultsTest, MisalignedVectorAccess) {
  const char *code = R"(
define ptx_kernel void @k(ptr noalias %x, i64 %i) {
  %p = getelementptr float, ptr %x, i64 %i
  %v = load <4 x float>, ptr %p, align 16
  %w = fadd <4 x float> %v, %v
  store <4 x float> %w, ptr %p, align 4
  ret void
})";
  float *x = floats(16);
  EXPECT_EQ(launch(load(code), 1, 1, x, int64_t(4)), "");
  EXPECT_TRUE(has(launch(load(code), 1, 1, x, int64_t(2)),
                  "misaligned load of 16 bytes through argument 0: expected "
                  "an address divisible by 16"));
}

TEST_P(FaultsTest, DivergentBarrier) {
  auto code = [](const char *condition) {
    return std::string(R"(
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp )") +
           condition + R"(
  br i1 %is, label %wait, label %done
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %done
done:
  ret void
})";
  };
  EXPECT_EQ(launch(load(code("ult i32 %t, 64")), 1, 64), "");
  // A whole warp may leave; half a warp may not.
  EXPECT_EQ(launch(load(code("ult i32 %t, 32")), 1, 64), "");
  std::string error = launch(load(code("ult i32 %t, 40")), 1, 64);
  EXPECT_TRUE(has(error, "divergent barrier: thread "));
  EXPECT_TRUE(has(error, "exited"));
}

TEST_P(FaultsTest, TwoBarriersOfOneWarp) {
  const char *code = R"(
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp ult i32 %t, 16
  br i1 %is, label %one, label %two
one:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %done
two:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %done
done:
  ret void
})";
  EXPECT_TRUE(has(launch(load(code), 1, 32), "another place in the code"));
}

TEST_P(FaultsTest, ABarrierIsOfWholeWarps) {
  const char *code = R"(
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
define ptx_kernel void @k(i32 %threads) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 0, i32 %threads)
  ret void
})";
  void *kernel = load(code);
  EXPECT_EQ(launch(kernel, 1, 64, 64u), "");
  for (unsigned threads : {33u, 96u})
    EXPECT_TRUE(has(launch(kernel, 1, 64, threads),
                    "expected a multiple of 32 threads, at most the block's"));
}

TEST_P(FaultsTest, DivergentCollective) {
  const char *code = R"(
define ptx_kernel void @k(i32 %mask, i32 %limit) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp ult i32 %t, %limit
  br i1 %is, label %warp, label %done
warp:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %mask, i32 %t, i32 0, i32 31)
  br label %done
done:
  ret void
})";
  void *kernel = load(code);
  EXPECT_EQ(launch(kernel, 1, 32, ~0u, 32u), "");
  EXPECT_EQ(launch(kernel, 1, 32, 0xffffu, 16u), "");
  std::string error = launch(kernel, 1, 32, ~0u, 16u);
  EXPECT_TRUE(has(error, "divergent collective"));
  EXPECT_TRUE(has(error, "shfl.sync.idx.i32 for lanes 0xffffffff"));
  EXPECT_TRUE(has(launch(kernel, 1, 32, 0xfffeu, 16u), "without being one"));
  EXPECT_TRUE(has(launch(kernel, 1, 16, ~0u, 16u), "the warp has 16"));
}

TEST_P(FaultsTest, ReadsFromALaneThatIsNotThere) {
  const char *code = R"(
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %is = icmp ult i32 %t, 16
  br i1 %is, label %warp, label %done
warp:
  %v = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 65535, i32 %t, i32 20, i32 31)
  br label %done
done:
  ret void
})";
  EXPECT_TRUE(has(launch(load(code), 1, 32), "got lane 20"));
}

TEST_P(FaultsTest, DeadlockNamesWhatEachWaitsFor) {
  const char *code = R"(
define ptx_kernel void @k() {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %id = udiv i32 %t, 32
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 %id)
  ret void
})";
  EXPECT_EQ(launch(load(code), 1, 32), "");
  EXPECT_EQ(launch(load(code), 1, 64),
            "kernel 'k': deadlock in block (0,0,0): threads 0..31: waits at "
            "barrier.cta.sync.aligned.all 0; threads 32..63: waits at "
            "barrier.cta.sync.aligned.all 1");
}

TEST_P(FaultsTest, EndlessLoopMeetsTheLimit) {
  const char *code = R"(
define ptx_kernel void @k(ptr %flag) {
  br label %loop
loop:
  %v = load atomic i32, ptr %flag monotonic, align 4
  %go = icmp eq i32 %v, 0
  br i1 %go, label %loop, label %done
done:
  ret void
})";
  Options options = emulator.options();
  options.instructionLimit = 100000;
  emulator.setOptions(options);
  EXPECT_EQ(launch(load(code), 2, 1, ints({1})), "");
  EXPECT_TRUE(has(launch(load(code), 2, 1, ints({0})),
                  "expected an end after at most 100000 instructions of a "
                  "thread but got a load of 4 bytes through argument 0"));
}

TEST_P(FaultsTest, WriteToAConstant) {
  const char *code = R"(
@table = internal addrspace(4) constant [4 x float] zeroinitializer
define ptx_kernel void @k(ptr %y, i64 %i) {
  %p = getelementptr [4 x float], ptr addrspace(4) @table, i64 0, i64 %i
  %v = load float, ptr addrspace(4) %p
  store float %v, ptr %y
  ret void
})";
  float *y = floats(1);
  EXPECT_EQ(launch(load(code), 1, 1, y, int64_t(3)), "");
  EXPECT_TRUE(has(launch(load(code), 1, 1, y, int64_t(4)),
                  "of global variable 'table' of 16 bytes"));
  // Not even where it has room.
  const char *write = R"(
@table = internal addrspace(4) constant [4 x float] zeroinitializer
define ptx_kernel void @k(ptr %y, i64 %i) {
  %q = getelementptr float, ptr %y, i64 %i
  %p = getelementptr [4 x float], ptr addrspace(4) @table, i64 0, i64 %i
  %v = load float, ptr addrspace(4) %p
  store float %v, ptr %q
  %generic = addrspacecast ptr addrspace(4) %p to ptr
  store float 1.0, ptr %generic
  ret void
})";
  EXPECT_TRUE(has(launch(load(write), 1, 1, y, int64_t(0)),
                  "expected no write to global variable 'table' but got a "
                  "store of 4 bytes"));
}

TEST_P(FaultsTest, BlockSizeItWasNotCompiledFor) {
  void *kernel =
      load("define ptx_kernel void @k() \"nvvm.maxntid\"=\"128,1,1\" "
           "{ ret void }");
  EXPECT_EQ(launch(kernel, 1, 128), "");
  EXPECT_EQ(launch(kernel, 1, 64),
            "kernel 'k': expected the block size it was compiled for, "
            "(128,1,1) but got (64,1,1)");
  EXPECT_TRUE(
      has(launch(load("define ptx_kernel void @k() { ret void }"), 1, 1025),
          "expected a block of 1 to 1024 threads"));
}

TEST_P(FaultsTest, UnknownCodeIsRefusedByName) {
  auto refusal = [&](const char *text) {
    core::Result<void *> module = emulator.loadModule(text, 0);
    return module ? std::string() : module.message();
  };
  EXPECT_TRUE(has(refusal(R"(
declare i32 @llvm.nvvm.activemask()
declare float @__nv_expf(float)
define ptx_kernel void @k(float %x) {
  %m = call i32 @llvm.nvvm.activemask()
  %e = call float @__nv_expf(float %x)
  call void asm sideeffect "wgmma.fence.sync.aligned;", ""()
  ret void
})"),
                  "unknown function '__nv_expf', unknown inline assembly "
                  "'wgmma.fence.sync.aligned;', unknown intrinsic "
                  "'llvm.nvvm.activemask'"));
  EXPECT_TRUE(
      has(refusal(".version 8.0\n.target sm_90\n"), "expected LLVM bitcode"));
  EXPECT_TRUE(has(refusal(""), "expected"));
}

TEST_P(FaultsTest, AfterAnErrorTheNextLaunchWorks) {
  float *x = floats(64), *y = floats(64);
  EXPECT_NE(launch(load(reverse("")), 1, 64, x, y), "");
  EXPECT_EQ(launch(load(reverse(barrier)), 1, 64, x, y), "");
}

} // namespace
