//===- ThreadPool.cpp - helpers that stay and sleep -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/ThreadPool.h"
#include <exception>
#include <pthread.h>
#include <thread>

using namespace astfe::core;

//===----------------------------------------------------------------------===//
// The pool of the process
//===----------------------------------------------------------------------===//

static std::atomic<ThreadPool *> current{nullptr};

/// The parent's pool is left as it is: its lock may be held by a thread that
/// the child does not have.
static void forgetInChild() { current = nullptr; }

/// As the library is loaded: fork() may wait for who registers later
/// (lib/CAPI/ForkGate.h).
[[maybe_unused]] static const int kForksAreWatched =
    pthread_atfork(nullptr, nullptr, forgetInChild);

ThreadPool &ThreadPool::process() {
  ThreadPool *pool = current.load(std::memory_order_acquire);
  if (pool)
    return *pool;
  auto *fresh = new ThreadPool;
  if (current.compare_exchange_strong(pool, fresh))
    return *fresh;
  delete fresh; // Another thread was first.
  return *pool;
}

//===----------------------------------------------------------------------===//
// Waiting awake
//===----------------------------------------------------------------------===//

/// Tells the core that this is a loop that waits.
static void pauseCore() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks at `isOver` for about as long as it takes to fall asleep and be woken.
/// Yielding instead would hand a busy core over for a time slice, which is as
/// long as many products.
template <typename Condition>
static bool waitAwake(Condition isOver) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLongest = std::chrono::microseconds(50);
  for (const auto end = Clock::now() + kLongest; Clock::now() < end;)
    for (int look = 0; look < 16; ++look) {
      if (isOver())
        return true;
      pauseCore();
    }
  return isOver();
}

bool ThreadPool::lookOut(uint64_t known) const {
  return waitAwake([&] { return news.load() != known; });
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

// All accesses that two sides meet by are sequentially consistent: each side
// writes what the other reads, and then reads what the other writes.

void ThreadPool::beginHelpers(int64_t wanted) {
  if (begun.load(std::memory_order_relaxed) >= wanted || isRefused)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  try {
    for (; begun < wanted && !isRefused; ++begun)
      std::thread([this, place = begun + 1] { help(place); }).detach();
  } catch (const std::exception &) {
    isRefused = true; // Those that run do all the work.
  }
}

ThreadPool::Slot *ThreadPool::takeSlot() {
  for (Slot &slot : slots)
    if (!slot.isTaken.load(std::memory_order_relaxed) &&
        !slot.isTaken.exchange(true, std::memory_order_acquire))
      return &slot;
  return nullptr;
}

void ThreadPool::open(Slot &slot, ShareLoop &loop) {
  const int64_t places = loop.places() - 1;
  beginHelpers(places);
  slot.places.store(places, std::memory_order_relaxed);
  slot.number = news.load(std::memory_order_relaxed) + 1;
  slot.loop.store(&loop);
  ++news;
  const int64_t woken = std::min(places, asleep.load());
  if (woken == 0)
    return;
  // Whoever is about to sleep has seen the news, or sleeps once this is had.
  { std::lock_guard<std::mutex> lock(mutex); }
  for (int64_t i = 0; i < woken; ++i)
    opened.notify_one();
}

/// Helpers who come from now on find other loops; those inside are waited for.
void ThreadPool::close(Slot &slot) {
  slot.loop.store(nullptr);
  auto isEmpty = [&] { return slot.inside.load() == 0; };
  if (!waitAwake(isEmpty)) {
    std::unique_lock<std::mutex> lock(mutex);
    ++waiting;
    left.wait(lock, isEmpty);
    --waiting;
  }
  slot.isTaken.store(false, std::memory_order_release);
}

std::chrono::nanoseconds ThreadPool::run(ShareLoop &loop) {
  Slot *slot = loop.places() > 1 ? takeSlot() : nullptr;
  if (!slot)
    return loop.workAndTime();
  open(*slot, loop);
  const std::chrono::nanoseconds worked = loop.workAndTime();
  close(*slot);
  return worked;
}

int64_t ThreadPool::helpers() { return begun; }

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Works on the slot's loop, if there is one that this helper has not been in:
/// `last` is the number of the one that it was in before.
bool ThreadPool::workIn(Slot &slot, int64_t place, uint64_t &last) {
  if (!slot.loop.load(std::memory_order_relaxed))
    return false;
  bool works = false;
  ++slot.inside;
  ShareLoop *loop = slot.loop.load();
  if (loop && slot.number != last && slot.places.fetch_sub(1) > 0) {
    last = slot.number;
    loop->work(place);
    works = true;
  }
  // The caller may be gone with its loop once nobody is inside.
  if (--slot.inside == 0 && waiting.load() != 0) {
    std::lock_guard<std::mutex> lock(mutex);
    left.notify_all();
  }
  return works;
}

/// A thread that is woken may take the core of the one that wakes it, where the
/// others are busy, and does then what its caller would have done: two switches
/// and a look-out longer than most products. Linux lets threads for batches
/// wait until a core is free or a time slice ends. Who has asked for another
/// policy than the usual one keeps it.
static void leaveCoreToCaller() {
#ifdef SCHED_BATCH
  int policy = SCHED_BATCH;
  sched_param parameter{};
  if (pthread_getschedparam(pthread_self(), &policy, &parameter) == 0 &&
      policy == SCHED_OTHER)
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &parameter);
#endif
}

void ThreadPool::help(int64_t place) {
  leaveCoreToCaller();
  std::array<uint64_t, kSlots> last{};
  while (true) {
    const uint64_t known = news.load();
    bool works = false;
    for (size_t i = 0; i < kSlots; ++i)
      works |= workIn(slots[i], place, last[i]);
    if (works || lookOut(known))
      continue;
    std::unique_lock<std::mutex> lock(mutex);
    ++asleep;
    opened.wait(lock, [&] { return news.load() != known; });
    --asleep;
  }
}
