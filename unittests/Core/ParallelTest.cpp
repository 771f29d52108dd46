//===- ParallelTest.cpp - the parallel loop -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Parallel.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace astfe::core;

TEST(Parallel, RunsEachChunkOnce) {
  for (unsigned threads : {0, 1, 2, 7, 100})
    for (int64_t chunks : {0, 1, 5, 1000}) {
      std::vector<std::atomic<int>> runs(static_cast<size_t>(chunks));
      parallelFor(chunks, threads, [&](int64_t chunk) { ++runs[chunk]; });
      for (const std::atomic<int> &count : runs)
        EXPECT_EQ(count, 1);
    }
}

TEST(Parallel, OneThreadIsTheCaller) {
  std::thread::id caller = std::this_thread::get_id();
  for (unsigned threads : {0, 1}) {
    std::vector<int64_t> order;
    parallelFor(4, threads, [&](int64_t chunk) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      order.push_back(chunk);
    });
    EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3}));
  }
}

TEST(Parallel, TwoThreadsRunAtOnce) {
  // Each chunk waits for the other to have begun.
  std::atomic<int> begun{0};
  parallelFor(2, 2, [&](int64_t) {
    ++begun;
    while (begun < 2)
      std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(Parallel, ThrowsWhatABodyThrowsOnAnyThread) {
  std::thread::id caller = std::this_thread::get_id();
  for (bool onCaller : {false, true}) {
    // Both threads are inside a chunk when one of them throws.
    std::atomic<int> begun{0}, ended{0};
    auto body = [&](int64_t) {
      ++begun;
      while (begun < 2)
        std::this_thread::yield();
      if ((std::this_thread::get_id() == caller) == onCaller)
        throw std::runtime_error("a chunk");
      ++ended;
    };
    EXPECT_THROW(parallelFor(2, 2, body), std::runtime_error);
    EXPECT_EQ(ended, 1);
  }
}

TEST(Parallel, BeginsNoChunkAfterAnException) {
  int64_t last = -1;
  auto body = [&](int64_t chunk) {
    last = chunk;
    if (chunk == 3)
      throw std::length_error("chunk 3");
  };
  EXPECT_THROW(parallelFor(1000, 1, body), std::length_error);
  EXPECT_EQ(last, 3);
}

TEST(Parallel, AHugeNumberOfThreadsIsNotTaken) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> ran{0};
  parallelFor(2000, 4000000000u, [&](int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::lock_guard<std::mutex> lock(mutex);
    seen.insert(std::this_thread::get_id());
    ++ran;
  });
  EXPECT_EQ(ran, 2000);
  EXPECT_LE(seen.size(), kMostThreads);
}
