//===- MgpuTest.cpp - the mgpu functions over the emulator ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written as generated host code calls them.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Mgpu.h"

using namespace astfe;
using namespace astfe::emu;

namespace {

class MgpuTest : public testing::Test {
protected:
  MgpuTest() {
    rt::setDevice(&emulator);
    rt::clearLastError();
  }
  ~MgpuTest() override { rt::setDevice(nullptr); }

  std::string takeError() {
    std::string text = rt::lastError() ? rt::lastError() : "";
    rt::clearLastError();
    return text;
  }

  Emulator emulator;
};

const char *addOne = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  ret void
})";

TEST_F(MgpuTest, HostProgram) {
  void *module = mgpuModuleLoad(const_cast<char *>(addOne), strlen(addOne));
  void *kernel = mgpuModuleGetFunction(module, "k");
  void *stream = mgpuStreamCreate();
  std::vector<int32_t> x(40, 5);
  void *memory = mgpuMemAlloc(160, stream, false);
  mgpuMemcpy(memory, x.data(), 160, stream);
  void *params[] = {&memory};
  mgpuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, params, nullptr, 1);
  mgpuMemcpy(x.data(), memory, 160, stream);
  mgpuStreamSynchronize(stream);
  EXPECT_EQ(takeError(), "");
  EXPECT_EQ(x[31], 6);
  EXPECT_EQ(x[32], 5);
  mgpuMemset32(memory, 9, 40, stream);
  mgpuMemset16(memory, 7, 1, stream);
  mgpuMemcpy(x.data(), memory, 160, stream);
  EXPECT_EQ(x[0], 7);
  EXPECT_EQ(x[39], 9);
  mgpuMemFree(memory, stream);
  mgpuStreamDestroy(stream);
  mgpuModuleUnload(module);
  EXPECT_EQ(takeError(), "");
}

TEST_F(MgpuTest, FirstErrorIsKeptAndNothingAborts) {
  char ptx[] = ".version 8.0";
  void *module = mgpuModuleLoadJIT(ptx, 3);
  EXPECT_EQ(module, nullptr);
  void *kernel = mgpuModuleGetFunction(module, "k");
  EXPECT_EQ(kernel, nullptr);
  mgpuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  EXPECT_TRUE(has(takeError(), "expected LLVM bitcode"));
}

TEST_F(MgpuTest, WrongUseIsAnError) {
  void *module = mgpuModuleLoadJIT(const_cast<char *>(addOne), 0);
  EXPECT_EQ(mgpuModuleGetFunction(module, "other"), nullptr);
  EXPECT_TRUE(has(takeError(), "expected a kernel 'other'"));
  int host = 0;
  mgpuMemFree(&host, nullptr);
  EXPECT_TRUE(has(takeError(), "expected the first address"));
  char *memory = static_cast<char *>(mgpuMemAlloc(8, nullptr, false));
  char big[16] = {};
  mgpuMemcpy(memory, big, 16, nullptr);
  EXPECT_TRUE(has(takeError(), "the target of a copy inside an allocation of 8 "
                               "bytes but got bytes 0..16"));
  mgpuMemcpy(big, memory + 4, 8, nullptr);
  EXPECT_TRUE(has(takeError(), "the source of a copy"));
  // As after an allocation that failed.
  mgpuMemcpy(nullptr, big, 8, nullptr);
  EXPECT_TRUE(has(takeError(), "expected memory to copy to but got null"));
  mgpuMemcpy(big, nullptr, 8, nullptr);
  EXPECT_TRUE(has(takeError(), "expected memory to copy from but got null"));
  mgpuSetDefaultDevice(1);
  EXPECT_TRUE(has(takeError(), "expected device 0"));
  mgpuEventRecord(nullptr, nullptr);
  EXPECT_TRUE(has(takeError(), "expected an event but got null"));
}

TEST_F(MgpuTest, RegisteredHostMemoryCanBeReached) {
  void *module = mgpuModuleLoadJIT(const_cast<char *>(addOne), 0);
  void *kernel = mgpuModuleGetFunction(module, "k");
  std::vector<int32_t> x(4, 1);
  void *memory = x.data();
  void *params[] = {&memory};
  mgpuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, nullptr, params, nullptr, 1);
  EXPECT_TRUE(has(takeError(), "out-of-bounds"));
  mgpuMemHostRegister(memory, 16);
  mgpuLaunchKernel(kernel, 1, 1, 1, 4, 1, 1, 0, nullptr, params, nullptr, 1);
  mgpuMemHostUnregister(memory);
  EXPECT_EQ(takeError(), "");
  EXPECT_EQ(x, std::vector<int32_t>(4, 2));
}

TEST_F(MgpuTest, NoBytesCanBeRegisteredAndReleased) {
  std::vector<int32_t> x(4);
  mgpuMemHostRegister(x.data(), 0);
  mgpuMemHostRegister(x.data(), 16);
  mgpuMemHostUnregister(x.data());
  mgpuMemHostUnregister(x.data());
  EXPECT_EQ(takeError(), "");
  mgpuMemHostUnregister(x.data());
  EXPECT_TRUE(has(takeError(), "the first address of registered memory"));
}

TEST_F(MgpuTest, RegisteredMemoryMayNotOverlap) {
  std::vector<int32_t> x(12);
  mgpuMemHostRegister(&x[4], 16);
  for (auto [first, count] : {std::pair(3, 2), {0, 12}, {5, 1}, {7, 4}}) {
    mgpuMemHostRegister(&x[size_t(first)], uint64_t(count) * 4);
    EXPECT_TRUE(has(takeError(), "but got memory of registered host memory"));
  }
  // Neighbours are fine.
  mgpuMemHostRegister(&x[0], 16);
  mgpuMemHostRegister(&x[8], 16);
  for (int first : {0, 4, 8})
    mgpuMemHostUnregister(&x[size_t(first)]);
  EXPECT_EQ(takeError(), "");
}

TEST_F(MgpuTest, Events) {
  void *start = mgpuEventCreate(), *end = mgpuEventCreate();
  mgpuEventRecord(start, nullptr);
  mgpuEventRecord(end, nullptr);
  mgpuStreamWaitEvent(nullptr, end);
  mgpuEventSynchronize(end);
  core::Result<double> seconds = emulator.secondsBetween(start, end);
  ASSERT_TRUE(bool(seconds));
  EXPECT_GE(*seconds, 0);
  mgpuEventDestroy(start);
  mgpuEventDestroy(end);
  EXPECT_EQ(takeError(), "");
  mgpuEventDestroy(end);
  EXPECT_TRUE(has(takeError(), "expected an event"));
}

TEST_F(MgpuTest, SymbolsForAJit) {
  size_t count = 0;
  for (const rt::Symbol *symbol = rt::mgpuSymbols(); symbol->name; ++symbol) {
    EXPECT_NE(symbol->address, nullptr) << symbol->name;
    EXPECT_EQ(std::string(symbol->name).compare(0, 4, "mgpu"), 0);
    ++count;
  }
  EXPECT_EQ(count, 21u);
}

} // namespace
