//===- DeviceLoansTest.cpp - device memory that calls borrow --------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in of the driver has 1 GiB, says which memory it does not know, and
// writes down what is allocated.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Device.h"
#include "ASTFE/Runtime/Handles.h"
#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Mgpu.h"
#include "StandIn.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>
#include <vector>

using namespace astfe;

namespace {

constexpr int64_t kMiB = int64_t(1) << 20;

struct DeviceLoansTest : testing::Test {
  DeviceLoansTest() {
    setenv("ASTFE_LIBCUDA", ASTFE_FAKE_CUDA, 1);
    setenv("ASTFE_FAKE_CUDA_LOG", log.c_str(), 1);
    std::remove(log.c_str());
    rt::clearLastError();
    core::Result<rt::Device *> opened = rt::cudaDevice();
    EXPECT_TRUE(bool(opened)) << opened.message();
    device = *opened;
    pattern = new rt::PatternHandle(core::Packed());
  }
  ~DeviceLoansTest() override {
    if (pattern)
      release();
    unsetenv("ASTFE_FAKE_CUDA_LOG");
    std::remove(log.c_str());
  }

  void *lend(int64_t bytes) {
    AstfeMemRef1D lent;
    _mlir_ciface_astfe_rt_device_lend(&lent, pattern, bytes);
    if (lent.aligned) {
      EXPECT_EQ(lent.size, bytes);
      EXPECT_TRUE(bool(device->checkMemory(lent.aligned, size_t(bytes))));
    }
    return lent.aligned;
  }
  void takeBack(void *memory) {
    _mlir_ciface_astfe_rt_device_take_back(pattern,
                                           reinterpret_cast<int64_t>(memory));
  }
  void release() {
    _mlir_ciface_astfe_rt_release(pattern);
    pattern = nullptr;
  }
  /// Of the driver's log that begin so.
  int lines(const char *begin) {
    std::ifstream stream(log);
    int count = 0;
    for (std::string line; std::getline(stream, line);)
      count += line.rfind(begin, 0) == 0;
    return count;
  }
  /// Calls of cuMemAlloc so far.
  int allocations() { return lines("allocate "); }
  std::string takeError() {
    std::string text = rt::lastError() ? rt::lastError() : "";
    rt::clearLastError();
    return text;
  }

  const std::string log = testing::TempDir() + "astfe-device-loans";
  rt::Device *device;
  void *pattern;
};

TEST_F(DeviceLoansTest, ACallThatComesAgainAllocatesNothing) {
  for (int call = 0; call < 3; ++call) {
    void *small = lend(100), *large = lend(1000), *none = lend(0);
    EXPECT_NE(none, nullptr);
    EXPECT_EQ(std::set<void *>({small, large, none}).size(), 3u);
    for (void *memory : {small, large, none})
      takeBack(memory);
    EXPECT_EQ(allocations(), 3);
  }
  // One that is wider takes what is too small away.
  takeBack(lend(5000));
  EXPECT_EQ(allocations(), 4);
  takeBack(lend(4000));
  EXPECT_EQ(allocations(), 4);
  release();
  EXPECT_EQ(takeError(), "");
}

TEST_F(DeviceLoansTest, MemoryThatDoesNotSufficeIsAnError) {
  void *first = lend(400 * kMiB), *second = lend(400 * kMiB);
  EXPECT_EQ(lend(400 * kMiB), nullptr);
  EXPECT_NE(takeError().find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos);
  // What is out stays.
  EXPECT_TRUE(bool(device->checkMemory(first, size_t(400 * kMiB))));
  takeBack(nullptr);
  takeBack(first);
  takeBack(second);
  // Both make room for one that does not fit beside either.
  void *all = lend(900 * kMiB);
  EXPECT_NE(all, nullptr);
  EXPECT_EQ(lend(200 * kMiB), nullptr);
  takeError();
  takeBack(all);
  release();
  EXPECT_EQ(takeError(), "");
  // Everything is free again, once.
  core::Result<void *> rest = device->allocate(size_t(1000 * kMiB), false);
  ASSERT_TRUE(bool(rest)) << rest.message();
  EXPECT_TRUE(bool(device->free(*rest)));
}

TEST_F(DeviceLoansTest, ThreadsBorrowMemoryOfTheirOwn) {
  constexpr int kThreads = 4, kCalls = 100;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      for (int call = 0; call < kCalls; ++call) {
        void *memory = lend(64);
        std::vector<int> mine(16, number), found(16);
        wrong += !device->copy(memory, mine.data(), 64, nullptr);
        std::this_thread::yield();
        wrong += !device->copy(found.data(), memory, 64, nullptr);
        wrong += found != mine;
        takeBack(memory);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(allocations(), kThreads);
  EXPECT_EQ(takeError(), "");
}

TEST_F(DeviceLoansTest, ACallersStreamGetsItsMemoryAgainBehindItsWork) {
  core::Result<void *> stream = device->createStream(),
                       other = device->createStream();
  ASSERT_TRUE(stream && other);
  void *small = nullptr;
  for (int call = 0; call < 3; ++call) {
    rt::StreamScope scope(*stream);
    void *memory = lend(64), *second = lend(16);
    ASSERT_NE(memory, nullptr);
    EXPECT_NE(memory, second);
    takeBack(memory);
    takeBack(second);
    small = memory;
    EXPECT_EQ(allocations(), 2);
    EXPECT_EQ(lines("wait"), 2 * call);
    EXPECT_EQ(lines("record"), 2 * call + 2);
  }
  // Work of another stream, or of none, may begin before this one's is done.
  {
    rt::StreamScope scope(*other);
    void *memory = lend(16);
    EXPECT_EQ(allocations(), 3);
    takeBack(memory);
  }
  takeBack(lend(16));
  EXPECT_EQ(allocations(), 4);
  // What is too small makes room.
  {
    rt::StreamScope scope(*stream);
    takeBack(lend(1000));
    EXPECT_EQ(allocations(), 5);
    EXPECT_FALSE(bool(device->checkMemory(small, 64)));
  }
  release();
  EXPECT_EQ(takeError(), "");
  EXPECT_TRUE(bool(device->destroyStream(*stream)));
  EXPECT_TRUE(bool(device->destroyStream(*other)));
}

TEST_F(DeviceLoansTest, StreamsThatAreGoneLeaveFewBlocks) {
  auto held = standIn<int()>("fakeCudaAllocations");
  const int before = held();
  for (int i = 0; i < 40; ++i) {
    core::Result<void *> stream = device->createStream();
    ASSERT_TRUE(bool(stream));
    {
      rt::StreamScope scope(*stream);
      takeBack(lend(64));
    }
    EXPECT_TRUE(bool(device->destroyStream(*stream)));
  }
  EXPECT_LE(held(), before + 9);
  release();
  EXPECT_EQ(held(), before);
  EXPECT_EQ(takeError(), "");
}

/// More streams than blocks take turns with them, each behind the work of the
/// one before.
TEST_F(DeviceLoansTest, ManyStreamsShareBlocks) {
  auto held = standIn<int()>("fakeCudaAllocations");
  std::vector<void *> streams;
  for (int i = 0; i < 12; ++i) {
    core::Result<void *> stream = device->createStream();
    ASSERT_TRUE(bool(stream));
    streams.push_back(*stream);
  }
  for (int round = 0; round < 4; ++round)
    for (void *stream : streams) {
      rt::StreamScope scope(stream);
      takeBack(lend(64));
    }
  EXPECT_LE(allocations(), 9);
  EXPECT_EQ(lines("wait"), 4 * 12 - allocations());
  // A wider one makes room without waiting for the device.
  const int before = held();
  {
    rt::StreamScope scope(streams.front());
    takeBack(lend(4096));
  }
  EXPECT_LE(held(), before);
  for (void *stream : streams)
    EXPECT_TRUE(bool(device->destroyStream(stream)));
  release();
  EXPECT_EQ(takeError(), "");
}

/// A captured stream runs again at any time.
TEST_F(DeviceLoansTest, ACapturedStreamHasMemoryOfItsOwn) {
  core::Result<void *> stream = device->createStream();
  ASSERT_TRUE(bool(stream));
  {
    rt::StreamScope scope(*stream);
    takeBack(lend(64));
    standIn<void(void *)>("fakeCudaCapture")(*stream);
    void *memory = lend(64);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(allocations(), 2);
    takeBack(memory);
    EXPECT_FALSE(bool(device->checkMemory(memory, 64)));
    standIn<void(void *)>("fakeCudaCapture")(nullptr);
  }
  EXPECT_EQ(takeError(), "");
  EXPECT_TRUE(bool(device->destroyStream(*stream)));
}

TEST_F(DeviceLoansTest, OnlyPatternsAndBricksLend) {
  void *known = pattern;
  pattern = nullptr;
  EXPECT_EQ(lend(8), nullptr);
  EXPECT_EQ(takeError(), "");
  pattern = new rt::ProfileHandle(core::Profile());
  EXPECT_EQ(lend(8), nullptr);
  EXPECT_EQ(takeError(), "expected a pattern but got a profile");
  release();
  pattern = known;
}

} // namespace
