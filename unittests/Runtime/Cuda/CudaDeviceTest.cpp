//===- CudaDeviceTest.cpp - the CUDA driver's interface -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Launcher.h"
#include "ASTFE/Runtime/Mgpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

using namespace astfe;

namespace {

class CudaDeviceTest : public testing::Test {
protected:
  CudaDeviceTest() {
    setenv("ASTFE_LIBCUDA", ASTFE_FAKE_CUDA, 1);
    rt::clearLastError();
    core::Result<rt::Device *> opened = rt::cudaDevice();
    EXPECT_TRUE(bool(opened)) << opened.message();
    device = *opened;
  }

  std::string takeError() {
    std::string text = rt::lastError() ? rt::lastError() : "";
    rt::clearLastError();
    return text;
  }

  rt::Device *device;
  char ptx[16] = ".version 8.0";
};

TEST_F(CudaDeviceTest, Properties) {
  EXPECT_EQ(device->name(), "cuda:0 Fake");
  EXPECT_EQ(device->multiprocessors(), 132);
  EXPECT_EQ(device->warpsPerMultiprocessor(), 64);
  core::Result<int64_t> warps = rt::deviceWarps();
  ASSERT_TRUE(bool(warps));
  EXPECT_EQ(*warps, 132 * 64);
  EXPECT_EQ(*rt::cudaDevice(0), device);
  EXPECT_EQ(rt::cudaDevice(1).message(),
            "expected a CUDA device below 1 but got 1");
}

TEST_F(CudaDeviceTest, HostProgramOnAnyThread) {
  std::string error;
  std::vector<int> x(8, 3);
  // A new thread has no current context.
  std::thread([&] {
    void *module = mgpuModuleLoadJIT(ptx, 2);
    void *kernel = mgpuModuleGetFunction(module, "add");
    void *stream = mgpuStreamCreate();
    void *memory = mgpuMemAlloc(32, stream, false);
    mgpuMemcpy(memory, x.data(), 32, stream);
    int value = 4;
    void *params[] = {&memory, &value};
    mgpuLaunchKernel(kernel, 2, 1, 1, 6, 1, 1, 0, stream, params, nullptr, 2);
    mgpuMemcpy(x.data(), memory, 32, nullptr);
    mgpuMemset32(memory, 1, 8, stream);
    mgpuMemset16(memory, 1, 8, stream);
    mgpuStreamSynchronize(stream);
    mgpuMemFree(memory, stream);
    mgpuStreamDestroy(stream);
    mgpuModuleUnload(module);
    error = takeError();
  }).join();
  EXPECT_EQ(error, "");
  EXPECT_EQ(x, (std::vector<int>{7, 7, 7, 7, 7, 7, 3, 3}));
}

TEST_F(CudaDeviceTest, ErrorsAreTextsAndTheFirstIsKept) {
  char wrong[] = "not PTX";
  void *module = mgpuModuleLoadJIT(wrong, 2);
  EXPECT_EQ(module, nullptr);
  EXPECT_EQ(mgpuModuleGetFunction(module, "add"), nullptr);
  EXPECT_EQ(takeError(),
            "cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (what the "
            "driver says): ptxas: line 3: no such");
  module = mgpuModuleLoadJIT(ptx, 2);
  mgpuModuleGetFunction(module, "other");
  EXPECT_EQ(takeError(), "cuModuleGetFunction failed: CUDA_ERROR_OTHER (what "
                         "the driver says) for kernel 'other'");
  EXPECT_EQ(mgpuMemAlloc(uint64_t(1) << 50, nullptr, false), nullptr);
  EXPECT_NE(takeError().find("for 1125899906842624 bytes"), std::string::npos);
  mgpuModuleUnload(module);
}

TEST_F(CudaDeviceTest, EmptyAllocationsAndGrids) {
  void *memory = mgpuMemAlloc(0, nullptr, false);
  EXPECT_NE(memory, nullptr);
  mgpuMemcpy(memory, nullptr, 0, nullptr);
  mgpuMemFree(memory, nullptr);
  memory = mgpuMemAlloc(0, nullptr, true);
  EXPECT_NE(memory, nullptr);
  mgpuMemFree(memory, nullptr);
  void *module = mgpuModuleLoadJIT(ptx, 2);
  void *kernel = mgpuModuleGetFunction(module, "add");
  mgpuLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr, 0);
  mgpuModuleUnload(module);
  EXPECT_EQ(takeError(), "");
}

TEST_F(CudaDeviceTest, CopiesAreDoneBeforeAnyStreamGoesOn) {
  void *module = mgpuModuleLoadJIT(ptx, 2);
  void *kernel = mgpuModuleGetFunction(module, "add");
  void *stream = mgpuStreamCreate();
  std::vector<int> x(8, 3);
  void *memory = mgpuMemAlloc(32, nullptr, false);
  mgpuMemcpy(memory, x.data(), 32, nullptr);
  int value = 4;
  void *params[] = {&memory, &value};
  mgpuLaunchKernel(kernel, 1, 1, 1, 6, 1, 1, 0, stream, params, nullptr, 2);
  EXPECT_EQ(takeError(), "");
  mgpuMemFree(memory, nullptr);
  mgpuStreamDestroy(stream);
  mgpuModuleUnload(module);
}

TEST_F(CudaDeviceTest, AFailedCopyOfATableIsNotKept) {
  auto allocations = reinterpret_cast<int (*)()>(dlsym(
      dlopen(ASTFE_FAKE_CUDA, RTLD_NOW | RTLD_NOLOAD), "fakeCudaAllocations"));
  ASSERT_NE(allocations, nullptr);
  const int before = allocations();
  rt::PatternHandle pattern{core::Packed()};
  // The stand-in refuses to copy from nowhere.
  core::Result<void *> memory = pattern.onDevice(device, 3, nullptr, 8);
  EXPECT_FALSE(bool(memory));
  EXPECT_EQ(allocations(), before);
  const int64_t table[] = {42};
  for (int i = 0; i < 2; ++i) {
    memory = pattern.onDevice(device, 3, table, 8);
    ASSERT_TRUE(bool(memory)) << memory.message();
    EXPECT_EQ(*static_cast<int64_t *>(*memory), 42);
    EXPECT_EQ(allocations(), before + 1);
  }
}

TEST_F(CudaDeviceTest, EventsAndOccupancy) {
  core::Result<void *> start = device->createEvent();
  core::Result<void *> end = device->createEvent();
  ASSERT_TRUE(start && end);
  EXPECT_TRUE(bool(device->recordEvent(*start, nullptr)));
  EXPECT_TRUE(bool(device->recordEvent(*end, nullptr)));
  EXPECT_TRUE(bool(device->streamWait(nullptr, *end)));
  EXPECT_TRUE(bool(device->synchronizeEvent(*end)));
  core::Result<double> seconds = device->secondsBetween(*start, *end);
  ASSERT_TRUE(bool(seconds));
  EXPECT_EQ(*seconds, 0.25);
  EXPECT_TRUE(bool(device->destroyEvent(*start)));
  EXPECT_TRUE(bool(device->destroyEvent(*end)));
  EXPECT_FALSE(bool(device->destroyEvent(*end)));
  EXPECT_TRUE(bool(device->synchronize()));

  core::Result<void *> module = device->loadModule(ptx, 0);
  core::Result<void *> kernel = device->kernel(*module, "add");
  core::Result<int64_t> blocks = device->residentBlocks(*kernel, 128);
  ASSERT_TRUE(bool(blocks));
  EXPECT_EQ(*blocks, 16);
  EXPECT_TRUE(bool(device->unloadModule(*module)));
  EXPECT_FALSE(bool(device->unloadModule(*module)));
}

} // namespace
