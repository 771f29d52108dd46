//===- ThreadPoolTest.cpp - shares, helpers, fork -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/ThreadPool.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace astfe::core;

namespace {
/// How often each share ran.
struct Counts {
  explicit Counts(int64_t shares) : runs(static_cast<size_t>(shares)) {}

  static void run(void *self, int64_t share) {
    ++static_cast<Counts *>(self)->runs[static_cast<size_t>(share)];
  }
  bool areAll(int expected) const {
    for (const std::atomic<int> &count : runs)
      if (count != expected)
        return false;
    return true;
  }
  std::vector<std::atomic<int>> runs;
};

/// Pools are never destroyed.
ThreadPool &freshPool() { return *new ThreadPool; }

/// Shares that wait until `wanted` threads are at them.
struct Meeting {
  int wanted;
  std::atomic<int> arrived{0};

  static void run(void *self, int64_t) {
    auto &meeting = *static_cast<Meeting *>(self);
    ++meeting.arrived;
    while (meeting.arrived < meeting.wanted)
      std::this_thread::yield();
  }
};
} // namespace

TEST(ShareLoop, AThreadTakesItsOwnSharesInOrderAndThenTheOthers) {
  for (int64_t place : {0, 1, 2}) {
    std::vector<int64_t> order;
    ShareLoop loop(
        7, 3,
        [](void *order, int64_t share) {
          static_cast<std::vector<int64_t> *>(order)->push_back(share);
        },
        &order);
    loop.work(place);
    const std::vector<int64_t> expected[] = {
        {0, 1, 2, 3, 4, 5, 6}, {3, 4, 5, 6, 0, 1, 2}, {5, 6, 0, 1, 2, 3, 4}};
    EXPECT_EQ(order, expected[place]);
  }
}

TEST(ShareLoop, HasNoMorePlacesThanShares) {
  for (int64_t shares : {0, 1, 5, 1000})
    for (int64_t threads : {0, 1, 3, 4096}) {
      Counts counts(shares);
      ShareLoop loop(shares, threads, Counts::run, &counts);
      EXPECT_LE(loop.places(), std::max<int64_t>(shares, 1));
      EXPECT_LE(loop.places(), std::max<int64_t>(threads, 1));
      EXPECT_LE(loop.places(), int64_t(kMostThreads));
      loop.work(0);
      EXPECT_TRUE(counts.areAll(1));
    }
}

TEST(ThreadPool, BeginsHelpersOnce) {
  ThreadPool &pool = freshPool();
  for (int round = 0; round < 20; ++round) {
    // Helpers are asleep in some rounds and look out in others.
    std::this_thread::sleep_for(std::chrono::microseconds(round % 2 * 500));
    Meeting meeting{3};
    ShareLoop loop(3, 3, Meeting::run, &meeting);
    pool.run(loop);
    EXPECT_EQ(meeting.arrived, 3);
    EXPECT_EQ(pool.helpers(), 2);
  }
}

TEST(ThreadPool, TheCallerTakesWhatBusyHelpersLeave) {
  ThreadPool &pool = freshPool();
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    // Holds the pool's only helper.
    Meeting meeting{3};
    ShareLoop loop(2, 2, Meeting::run, &meeting);
    std::thread last([&] {
      while (!isOver)
        std::this_thread::yield();
      ++meeting.arrived;
    });
    pool.run(loop);
    last.join();
  });
  while (pool.helpers() == 0)
    std::this_thread::yield();
  Counts counts(64);
  ShareLoop loop(64, 2, Counts::run, &counts);
  pool.run(loop);
  EXPECT_TRUE(counts.areAll(1));
  isOver = true;
  other.join();
  EXPECT_EQ(pool.helpers(), 1);
}

TEST(ThreadPool, ManyCallersAtOnce) {
  ThreadPool &pool = freshPool();
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 300; ++round) {
        Counts counts(1 + (caller + round) % 9);
        ShareLoop loop(int64_t(counts.runs.size()), 1 + round % 4, Counts::run,
                       &counts);
        pool.run(loop);
        wrong += !counts.areAll(1);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(pool.helpers(), 3);
}

/// More loops are open at once than the pool has slots for.
TEST(ThreadPool, CallersWithoutASlotWorkAlone) {
  constexpr int kCallers = 20;
  ThreadPool &pool = freshPool();
  struct Together {
    std::atomic<int> inside{0};
    static void run(void *self, int64_t) {
      auto &together = *static_cast<Together *>(self);
      ++together.inside;
      while (together.inside < kCallers)
        std::this_thread::yield();
    }
  } together;
  std::atomic<int> right{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&] {
      // Each is in its first share until all are, with its loop open.
      struct Once {
        Together &together;
        Counts counts{6};
        std::atomic<bool> first{true};
        static void run(void *self, int64_t share) {
          auto &once = *static_cast<Once *>(self);
          if (once.first.exchange(false))
            Together::run(&once.together, share);
          Counts::run(&once.counts, share);
        }
      } once{together};
      ShareLoop loop(6, 2, Once::run, &once);
      pool.run(loop);
      right += once.counts.areAll(1);
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(right, kCallers);
}

TEST(ThreadPool, LoopsInsideOfShares) {
  struct Inner {
    static void run(void *total, int64_t) {
      Counts counts(5);
      ShareLoop loop(5, 3, Counts::run, &counts);
      ThreadPool::process().run(loop);
      *static_cast<std::atomic<int> *>(total) += counts.areAll(1);
    }
  };
  std::atomic<int> total{0};
  ShareLoop loop(40, 3, Inner::run, &total);
  ThreadPool::process().run(loop);
  EXPECT_EQ(total, 40);
}

TEST(ThreadPool, AForkedChildHasAPoolOfItsOwn) {
  Counts before(4);
  ShareLoop first(4, 3, Counts::run, &before);
  ThreadPool::process().run(first);
  // Another thread of the parent keeps the pool busy, maybe holds its lock.
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    while (!isOver) {
      Counts counts(4);
      ShareLoop loop(4, 3, Counts::run, &counts);
      ThreadPool::process().run(loop);
    }
  });
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(30); // A child that hangs is ended.
      Meeting meeting{3};
      ShareLoop loop(3, 3, Meeting::run, &meeting);
      ThreadPool::process().run(loop);
      _exit(meeting.arrived == 3 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  isOver = true;
  other.join();
}
