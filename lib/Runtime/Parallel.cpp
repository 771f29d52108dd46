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

/// Until then callers work alone, and until then regions are watched.
static std::atomic<Clock::rep> aloneUntil{0}, watchUntil{0};

static Clock::rep ticks(Clock::time_point time) {
  return time.time_since_epoch().count();
}

static std::chrono::nanoseconds processorTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) +
         std::chrono::nanoseconds(time.tv_nsec);
}

namespace {
/// The body of a region, and how long the thread that works most runs in it.
/// Asking for a thread's processor time is a call of the system for each share.
class Watched {
public:
  Watched(core::ShareBody body, void *context)
      : body(body), context(context), number(++last) {}

  static void run(void *self, int64_t share) {
    static thread_local struct {
      uint64_t region = 0;
      std::chrono::nanoseconds sum{};
    } mine;
    auto &watched = *static_cast<Watched *>(self);
    const auto before = processorTime();
    watched.body(watched.context, share);
    const auto ran = processorTime() - before;
    if (mine.region != watched.number)
      mine = {watched.number, {}};
    mine.sum += ran;
    auto longest = watched.longest.load(std::memory_order_relaxed);
    while (longest < mine.sum &&
           !watched.longest.compare_exchange_weak(longest, mine.sum,
                                                  std::memory_order_relaxed))
      ;
  }

  /// Of one thread, over all its shares.
  std::chrono::nanoseconds longestRun() const {
    return longest.load(std::memory_order_relaxed);
  }

private:
  static std::atomic<uint64_t> last;
  const core::ShareBody body;
  void *const context;
  const uint64_t number; ///< of the region
  std::atomic<std::chrono::nanoseconds> longest{};
};
} // namespace

std::atomic<uint64_t> Watched::last{0};

/// Another process has the core of a helper that is in the middle of a share:
/// the caller waits for a time slice, of 0.7 milliseconds and more in Linux
/// (base_slice_ns of its EEVDF), or until it sleeps itself and the helper gets
/// its core, as often as it tries. Such a wait is longer than the work was, and
/// than callers look out for the end before they sleep. A helper that has more
/// work than the caller makes it wait as long, but runs all the time. So
/// regions are watched after such a wait, and if a helper lost half of another
/// one, callers work alone for 64 times as long: trying again costs them a
/// sixty-fourth, and a core that is free again is noticed after three
/// milliseconds where products are short, and a quarter of a second at most.
static void learnFrom(std::chrono::nanoseconds waited,
                      std::chrono::nanoseconds all, Clock::time_point now,
                      const Watched *watched) {
  constexpr auto kLookout = std::chrono::microseconds(50);
  constexpr int kAlone = 64, kWatched = 16;
  if (waited <= kLookout || waited <= all - waited)
    return;
  const bool isHeldUp = watched && watched->longestRun() < all - waited / 2;
  if (isHeldUp)
    aloneUntil.store(ticks(now + kAlone * waited), std::memory_order_relaxed);
  watchUntil.store(
      ticks(now + (isHeldUp ? kAlone + kWatched : kWatched) * waited),
      std::memory_order_relaxed);
}

/// Runs the shares on all threads; `watched` is the body's, if it is watched.
static void runRegion(core::ShareLoop &loop, int64_t threads,
                      Clock::time_point begin, const Watched *watched) {
  const std::chrono::nanoseconds waited = runOnAll(loop, threads);
  const Clock::time_point end = Clock::now();
  learnFrom(waited, end - begin, end, watched);
}

void rt::parallel(core::ShareBody body, void *context, int64_t shares) {
  const int64_t threads = usefulThreads(shares);
  const Clock::time_point begin = Clock::now();
  if (threads <= 1 || ticks(begin) < aloneUntil.load(std::memory_order_relaxed))
    return core::ShareLoop(shares, 1, body, context).work(0);
  if (ticks(begin) < watchUntil.load(std::memory_order_relaxed)) {
    Watched watched(body, context);
    core::ShareLoop loop(shares, threads, Watched::run, &watched);
    return runRegion(loop, threads, begin, &watched);
  }
  core::ShareLoop loop(shares, threads, body, context);
  runRegion(loop, threads, begin, nullptr);
}
