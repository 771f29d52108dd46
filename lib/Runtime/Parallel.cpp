//===- Parallel.cpp - parallel regions of compiled code -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/ThreadPool.h"
#include "ASTFE/Runtime/AloneRule.h"
#include "ASTFE/Runtime/Threads.h"
#include "LoadedOpenMP.h"
#include <chrono>
#include <cstdio>
#include <limits>
#include <pthread.h>
#include <thread>
#include <time.h>

using namespace astfe;

//===----------------------------------------------------------------------===//
// How many threads
//===----------------------------------------------------------------------===//

static thread_local int64_t mostThreads = std::numeric_limits<int64_t>::max();

rt::ThreadLimit::ThreadLimit(int64_t most) : before(mostThreads) {
  mostThreads = std::max<int64_t>(std::min(most, before), 1);
}

rt::ThreadLimit::~ThreadLimit() { mostThreads = before; }

/// More threads than cores would only wait for each other.
static int64_t usefulThreads(int64_t shares) {
  return std::min({shares, rt::threads(), rt::machineThreads(), mostThreads});
}

//===----------------------------------------------------------------------===//
// Whose threads
//===----------------------------------------------------------------------===//

/// Whether this process came from a fork() and has executed nothing since:
/// PF_FORKNOEXEC among the flags that Linux shows. They follow the name, which
/// is in parentheses and may hold anything: state and five numbers come first.
static bool isForkOfAnother() {
  constexpr unsigned kForkNoExec = 0x40;
  auto text = core::readFile("/proc/self/stat");
  if (!text)
    return false;
  unsigned flags = 0;
  const char *afterName = text->c_str() + text->rfind(')') + 1;
  return std::sscanf(afterName, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
         (flags & kForkNoExec) != 0;
}

/// OpenMP runtimes do not survive fork(): libgomp's next region never ends.
/// Noted from the start on, since others may have used them; a parent may have,
/// before this library was loaded.
static std::atomic<bool> isForked{rt::isGompLoaded() && isForkOfAnother()};
[[maybe_unused]] static const int kForksAreNoted =
    pthread_atfork(nullptr, nullptr, [] { isForked = true; });

/// OpenMP runtimes give each thread that begins a region a team of its own.
/// One at a time is enough for the cores.
static std::atomic<bool> hostPoolIsBusy{false};

namespace {
struct Ran {
  std::chrono::nanoseconds worked; ///< the caller itself
  bool asked;                      ///< others were asked to help
};
} // namespace

/// Runs the loop on whatever threads there are.
static Ran runOnAll(core::ShareLoop &loop, int64_t threads) {
  rt::HostPool host =
      isForked.load(std::memory_order_relaxed) ? nullptr : rt::loadedOpenMP();
  if (!host)
    return {core::ThreadPool::process().run(loop), true};
  if (hostPoolIsBusy.exchange(true, std::memory_order_acquire))
    return {loop.workAndTime(), false};
  const std::chrono::nanoseconds worked = host(loop, threads);
  hostPoolIsBusy.store(false, std::memory_order_release);
  return {worked, true};
}

//===----------------------------------------------------------------------===//
// Busy cores
//===----------------------------------------------------------------------===//

static std::chrono::nanoseconds processorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

namespace {
/// The body of a region, and how long others than its caller run in it. Asking
/// for a thread's processor time is a call of the system for each share.
class Watched {
public:
  Watched(core::ShareBody body, void *context) : body(body), context(context) {}

  static void run(void *self, int64_t share) {
    auto &watched = *static_cast<Watched *>(self);
    if (std::this_thread::get_id() == watched.caller)
      return watched.body(watched.context, share);
    const auto before = processorTime();
    watched.body(watched.context, share);
    watched.ran.fetch_add((processorTime() - before).count(),
                          std::memory_order_relaxed);
  }

  /// Time of processors.
  std::chrono::nanoseconds helped() const {
    return std::chrono::nanoseconds(ran.load(std::memory_order_relaxed));
  }

private:
  const core::ShareBody body;
  void *const context;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int64_t> ran{0};
};
} // namespace

static rt::AloneRule aloneRule;

int64_t rt::freeProcessors() {
  const Company company = aloneRule.at(AloneRule::Clock::now());
  return company == Company::Alone || aloneRule.areLate()
             ? 1
             : std::min(rt::machineThreads(), mostThreads);
}

/// Runs the shares on all threads; `watched` is the body's, if it is watched.
static void runRegion(core::ShareLoop &loop, int64_t threads,
                      rt::AloneRule::Clock::time_point begin,
                      const Watched *watched) {
  const Ran ran = runOnAll(loop, threads);
  const auto end = rt::AloneRule::Clock::now();
  if (ran.asked)
    aloneRule.learnHelp(ran.worked, loop.wasHelped());
  aloneRule.learn(end, end - begin, end - begin - ran.worked,
                  watched ? std::optional(watched->helped()) : std::nullopt);
}

void rt::parallel(core::ShareBody body, void *context, int64_t shares) {
  const int64_t threads = usefulThreads(shares);
  const auto begin = AloneRule::Clock::now();
  const Company company = threads > 1 ? aloneRule.at(begin) : Company::Alone;
  if (company == Company::Alone)
    return core::ShareLoop(shares, 1, body, context).work(0);
  if (company == Company::Watched) {
    Watched watched(body, context);
    core::ShareLoop loop(shares, threads, Watched::run, &watched);
    return runRegion(loop, threads, begin, &watched);
  }
  core::ShareLoop loop(shares, threads, body, context);
  runRegion(loop, threads, begin, nullptr);
}
