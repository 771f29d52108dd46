//===- ParallelTest.cpp - the parallel loop -------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
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

TEST(Parallel, NoChunkIsBegunInARoomAfterAnException) {
  std::atomic<int> runs{0};
  auto body = [&](int &, int64_t) {
    ++runs;
    throw std::runtime_error("first");
  };
  EXPECT_THROW(parallelForIn<int>(1000, 2, body), std::runtime_error);
  EXPECT_LE(runs, 2);
}

TEST(Parallel, LoopsInsideOfLoopsRunEachChunkOnce) {
  std::atomic<int> runs{0};
  parallelFor(4, 2,
              [&](int64_t) { parallelFor(8, 2, [&](int64_t) { ++runs; }); });
  EXPECT_EQ(runs, 32);
}

TEST(Parallel, HelpersOutliveAnException) {
  for (int round = 0; round < 3; ++round) {
    auto body = [](int64_t chunk) {
      if (chunk == 1)
        throw std::length_error("chunk 1");
    };
    EXPECT_THROW(parallelFor(2, 3, body), std::length_error);
    std::atomic<int> runs{0};
    parallelFor(9, 3, [&](int64_t) { ++runs; });
    EXPECT_EQ(runs, 9);
  }
}

TEST(Parallel, EachThreadMakesOneRoom) {
  static std::atomic<int> rooms{0};
  struct Room {
    Room() { ++rooms; }
  };
  for (unsigned threads : {0, 1, 3}) {
    rooms = 0;
    std::vector<std::atomic<int>> runs(50);
    parallelForIn<Room>(50, threads,
                        [&](Room &, int64_t chunk) { ++runs[size_t(chunk)]; });
    for (const std::atomic<int> &count : runs)
      EXPECT_EQ(count, 1);
    EXPECT_LE(rooms, std::max(int(threads), 1));
  }
}
