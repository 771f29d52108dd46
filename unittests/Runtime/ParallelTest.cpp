//===- ParallelTest.cpp - regions on whatever threads there are -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Core/Support/ThreadPool.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/LastError.h"
#include "ASTFE/Runtime/Threads.h"
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace astfe;

namespace {
/// How often each share ran, and on which threads.
struct Counts {
  explicit Counts(int64_t shares) : runs(size_t(shares)) {}

  static void run(void *self, int64_t share) {
    auto &counts = *static_cast<Counts *>(self);
    ++counts.runs[size_t(share)];
    counts.others += std::this_thread::get_id() != counts.caller;
  }
  bool areAll(int expected) const {
    for (const std::atomic<int> &count : runs)
      if (count != expected)
        return false;
    return true;
  }
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::atomic<int>> runs;
  std::atomic<int> others{0};
};

/// Runs 200 shares that take long enough for others to come.
void runLong(Counts &counts) {
  auto body = [](void *counts, int64_t share) {
    Counts::run(counts, share);
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  };
  rt::parallel(body, &counts, 200);
}

/// Whether regions run each share once, again and again until another thread
/// comes to one: on a busy machine callers work alone for a while.
bool regionsWork() {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (Clock::now() < end) {
    Counts counts(200);
    runLong(counts);
    if (!counts.areAll(1))
      return false;
    if (counts.others > 0 || rt::machineThreads() == 1)
      return true;
  }
  return false;
}

int64_t ownHelpers() { return core::ThreadPool::process().helpers(); }

/// Waits for a child that must end by itself and with 0.
bool endsWell(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// The second share takes 20 ms of a processor, the first one waits until
/// somebody has the second: halves of a loop over skewed rows.
struct TwoShares {
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> isTaken{false};
  int helped = 0;

  static int64_t processorTime() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
  }
  static void run(void *self, int64_t share) {
    using Clock = std::chrono::steady_clock;
    auto &shares = *static_cast<TwoShares *>(self);
    if (share == 0) {
      const auto end = Clock::now() + std::chrono::milliseconds(5);
      while (!shares.isTaken && Clock::now() < end)
        ;
      return;
    }
    shares.isTaken = true;
    shares.helped += std::this_thread::get_id() != shares.caller;
    for (const int64_t end = processorTime() + 20000000; processorTime() < end;)
      ;
  }
};

/// How often the system took a core from a thread of this process.
int64_t preemptions() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

struct ParallelDeathTest : testing::Test {
  // In a process that has loaded nothing yet.
  ParallelDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};
} // namespace

TEST(RuntimeParallel, RunsEachShareOnceForAllThreadCounts) {
  for (int64_t threads : {0, 1, 2, 4096}) {
    astfe_rt_set_threads(threads);
    for (int64_t shares : {0, 1, 2, 7, 5000}) {
      Counts counts(shares);
      rt::parallel(Counts::run, &counts, shares);
      EXPECT_TRUE(counts.areAll(1)) << threads << " threads";
      if (threads == 1)
        EXPECT_EQ(counts.others, 0);
    }
  }
  // More threads than cores are never begun for regions.
  EXPECT_LT(ownHelpers(), rt::machineThreads());
  astfe_rt_clear_error();
  astfe_rt_set_threads(4097);
  ASSERT_NE(astfe_rt_last_error(), nullptr);
  EXPECT_STREQ(astfe_rt_last_error(),
               "expected 0 to 4096 threads but got 4097");
  astfe_rt_clear_error();
  astfe_rt_set_threads(0);
}

TEST(RuntimeParallel, ALimitHoldsForTheThreadThatSetIt) {
  rt::ThreadLimit outer(1);
  rt::ThreadLimit inner(8); // Limits do not grow.
  Counts counts(50);
  rt::parallel(Counts::run, &counts, 50);
  EXPECT_TRUE(counts.areAll(1));
  EXPECT_EQ(counts.others, 0);
  EXPECT_EQ(rt::freeProcessors(), 1);
}

TEST(RuntimeParallel, NoProcessorsAreFreeWhereNobodyComes) {
  const int64_t all = rt::machineThreads();
  if (all < 2)
    GTEST_SKIP() << "one core";
  // Another thread's region keeps all helpers.
  struct Kept {
    std::atomic<int64_t> inside{0};
    std::atomic<bool> isOver{false};
    static void run(void *self, int64_t) {
      auto &kept = *static_cast<Kept *>(self);
      ++kept.inside;
      while (!kept.isOver)
        std::this_thread::yield();
    }
  };
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(60);
  bool areFree;
  do {
    Kept kept;
    std::thread other([&] { rt::parallel(Kept::run, &kept, all); });
    const auto patience = Clock::now() + std::chrono::milliseconds(100);
    while (kept.inside < all && Clock::now() < patience)
      std::this_thread::yield();
    Counts counts(200);
    runLong(counts);
    areFree = rt::freeProcessors() != 1;
    kept.isOver = true;
    other.join();
  } while (areFree && Clock::now() < end);
  EXPECT_FALSE(areFree);
  while (regionsWork() && rt::freeProcessors() == 1 && Clock::now() < end)
    ;
  EXPECT_EQ(rt::freeProcessors(), all);
}

TEST(RuntimeParallel, CallersWorkAloneAfterAHelperWasHeldUp) {
  if (rt::machineThreads() < 2)
    GTEST_SKIP() << "one core";
  // A helper that comes sleeps within its share, as one does whose core another
  // process has: once is a chance, twice is a rule.
  struct HeldUp {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> hasCome{false};
    static void run(void *self, int64_t) {
      using Clock = std::chrono::steady_clock;
      auto &held = *static_cast<HeldUp *>(self);
      if (std::this_thread::get_id() != held.caller) {
        held.hasCome = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      // The caller leaves it a share.
      const auto end = Clock::now() + std::chrono::milliseconds(20);
      while (!held.hasCome && Clock::now() < end)
        ;
    }
  };
  // Twice in 64 milliseconds; then the caller is alone for 256.
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(60);
  int others;
  bool areFree;
  do {
    HeldUp held;
    rt::parallel(HeldUp::run, &held, 2);
    areFree = rt::freeProcessors() != 1;
    Counts counts(200);
    runLong(counts);
    EXPECT_TRUE(counts.areAll(1));
    others = counts.others;
  } while ((others != 0 || areFree) && Clock::now() < end);
  EXPECT_EQ(others, 0);
  EXPECT_FALSE(areFree);
}

TEST_F(ParallelDeathTest, AHelperWithMoreWorkIsNoBusyCore) {
  if (rt::machineThreads() < 2)
    GTEST_SKIP() << "one core";
  // Alone, the caller would stay so for 320 ms, which is 16 regions of 40.
  constexpr int kHelped = 0, kAlone = 1, kBusyMachine = 2;
  auto regions = [] {
    TwoShares shares;
    const int64_t before = preemptions();
    for (int region = 0; region < 40; ++region) {
      shares.isTaken = false;
      rt::parallel(TwoShares::run, &shares, 2);
    }
    if (shares.helped >= 30)
      _exit(kHelped);
    // Where others want the cores, helpers do lose them.
    _exit(preemptions() - before > 20 ? kBusyMachine : kAlone);
  };
  auto isNotAlone = [](int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) != kAlone;
  };
  EXPECT_EXIT(regions(), isNotAlone, "");
}

#ifdef SCHED_BATCH
TEST_F(ParallelDeathTest, HelpersDoNotTakeTheCoreOfWhoWakesThem) {
  if (rt::machineThreads() < 2)
    GTEST_SKIP() << "one core";
  struct Policies {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> ofHelper{-1};
    static void run(void *self, int64_t) {
      auto &policies = *static_cast<Policies *>(self);
      int policy = -1;
      sched_param parameter{};
      pthread_getschedparam(pthread_self(), &policy, &parameter);
      if (std::this_thread::get_id() != policies.caller)
        policies.ofHelper = policy;
    }
  };
  auto regions = [] {
    Policies policies;
    while (policies.ofHelper < 0)
      rt::parallel(Policies::run, &policies, 64);
    _exit(policies.ofHelper == SCHED_BATCH ? 0 : 1);
  };
  EXPECT_EXIT(regions(), testing::ExitedWithCode(0), "");
}
#endif

TEST_F(ParallelDeathTest, OwnThreadsWhereNothingIsLoaded) {
  EXPECT_EXIT(_exit(regionsWork() && ownHelpers() > 0 ? 0 : 1),
              testing::ExitedWithCode(0), "");
}

TEST_F(ParallelDeathTest, ThreadsOfTheRuntimeThatIsLoaded) {
  if (rt::machineThreads() < 2)
    GTEST_SKIP() << "one core";
  // Loaded in children only: a runtime that is unloaded leaves memory behind.
  constexpr int kHolds = 0, kFails = 1, kNotOnThisMachine = 2;
  auto didNotFail = [&](int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) != kFails;
  };
  for (const char *name : {"libgomp.so.1", "libomp.so.5"}) {
    auto load = [&] {
      if (!dlopen(name, RTLD_LAZY | RTLD_LOCAL))
        _exit(kNotOnThisMachine);
    };
    auto before = [&] {
      load();
      _exit(regionsWork() && ownHelpers() == 0 ? kHolds : kFails);
    };
    EXPECT_EXIT(before(), didNotFail, "") << name;
    auto after = [&] {
      bool worked = regionsWork();
      const int64_t helpers = ownHelpers();
      load();
      worked &= regionsWork();
      _exit(worked && ownHelpers() == helpers ? kHolds : kFails);
    };
    EXPECT_EXIT(after(), didNotFail, "") << name;
  }
}

/// Whether regions run on the threads of the runtime that `library` is.
static bool regionsRunOn(void *library) {
  struct Team {
    int (*size)();
    std::atomic<bool> isOurs{false};

    static void look(void *self, int64_t) {
      auto &team = *static_cast<Team *>(self);
      if (team.size() > 1)
        team.isOurs = true;
    }
  } team;
  team.size =
      reinterpret_cast<int (*)()>(dlsym(library, "omp_get_num_threads"));
  rt::parallel(Team::look, &team, 2);
  return team.isOurs;
}

TEST_F(ParallelDeathTest, OfTwoRuntimesTheOneThatIsNamed) {
  if (rt::machineThreads() < 2)
    GTEST_SKIP() << "one core";
  for (bool isOmp : {false, true}) {
    auto both = [&] {
      void *gomp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
      void *omp = dlopen("libomp.so.5", RTLD_LAZY | RTLD_LOCAL);
      if (!gomp || !omp)
        _exit(0);
      if (isOmp)
        setenv("ASTFE_OPENMP", "libomp", /*overwrite=*/1);
      _exit(regionsRunOn(isOmp ? omp : gomp) ? 0 : 1);
    };
    EXPECT_EXIT(both(), testing::ExitedWithCode(0), "") << isOmp;
  }
}

TEST_F(ParallelDeathTest, ChildrenOfAProcessThatUsesOpenMPDoNotHang) {
  for (const char *name : {"libgomp.so.1", "libomp.so.5"}) {
    auto forkAfterUse = [&] {
      dlopen(name, RTLD_LAZY | RTLD_LOCAL);
      bool worked = regionsWork();
      const pid_t child = fork();
      if (child == 0) {
        alarm(120);
        _exit(regionsWork() ? 0 : 1);
      }
      _exit(worked && endsWell(child) ? 0 : 1);
    };
    EXPECT_EXIT(forkAfterUse(), testing::ExitedWithCode(0), "") << name;
  }
}

TEST_F(ParallelDeathTest, ManyThreadsBeginRegionsAtOnce) {
  for (const char *name : {"", "libgomp.so.1", "libomp.so.5"}) {
    auto many = [&] {
      if (*name)
        dlopen(name, RTLD_LAZY | RTLD_LOCAL);
      std::atomic<int> wrong{0};
      std::vector<std::thread> callers;
      for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
          for (int round = 0; round < 200; ++round) {
            Counts counts(9);
            rt::parallel(Counts::run, &counts, 9);
            wrong += !counts.areAll(1);
          }
        });
      for (std::thread &caller : callers)
        caller.join();
      _exit(wrong == 0 ? 0 : 1);
    };
    EXPECT_EXIT(many(), testing::ExitedWithCode(0), "") << name;
  }
}
