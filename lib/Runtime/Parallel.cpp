//===- Parallel.cpp - parallel regions of compiled code -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/Parallel.h"
#include "ASTFE/Core/Support/FileText.h"
#include "ASTFE/Core/Support/ThreadPool.h"
#include "ASTFE/Runtime/Threads.h"
#include "LoadedOpenMP.h"
#include <chrono>
#include <cstdio>
#include <limits>
#include <pthread.h>

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

/// Runs the loop on whatever threads there are; how long the caller waited.
static std::chrono::nanoseconds runOnAll(core::ShareLoop &loop,
                                         int64_t threads) {
  rt::HostPool host =
      isForked.load(std::memory_order_relaxed) ? nullptr : rt::loadedOpenMP();
  if (!host)
    return core::ThreadPool::process().run(loop);
  if (hostPoolIsBusy.exchange(true, std::memory_order_acquire)) {
    loop.work(0);
    return {};
  }
  const std::chrono::nanoseconds waited = host(loop, threads);
  hostPoolIsBusy.store(false, std::memory_order_release);
  return waited;
}

//===----------------------------------------------------------------------===//
// Busy cores
//===----------------------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

/// Until then callers work alone.
static std::atomic<Clock::rep> aloneUntil{0};

static Clock::rep ticks(Clock::time_point time) {
  return time.time_since_epoch().count();
}

/// Another process has the core of a helper that is in the middle of a share:
/// the caller waits for a time slice, as often as it tries. A wait that is
/// longer than the work was, and too long for a thread that runs, is taken for
/// that. Callers then work alone for 16 times as long, so that trying again
/// costs them a sixteenth at most. The scheduler of Linux gives slices of 0.7
/// milliseconds and more (base_slice_ns of its EEVDF).
static void learnFrom(std::chrono::nanoseconds waited,
                      std::chrono::nanoseconds all, Clock::time_point now) {
  constexpr auto kShortestSlice = std::chrono::microseconds(500);
  if (waited > kShortestSlice && waited > all - waited)
    aloneUntil.store(ticks(now + 16 * waited), std::memory_order_relaxed);
}

void rt::parallel(core::ShareBody body, void *context, int64_t shares) {
  const int64_t threads = usefulThreads(shares);
  core::ShareLoop loop(shares, threads, body, context);
  if (threads <= 1)
    return loop.work(0);
  const Clock::time_point begin = Clock::now();
  if (ticks(begin) < aloneUntil.load(std::memory_order_relaxed))
    return loop.work(0);
  const std::chrono::nanoseconds waited = runOnAll(loop, threads);
  const Clock::time_point end = Clock::now();
  learnFrom(waited, end - begin, end);
}
