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

ThreadPool &ThreadPool::process() {
  ThreadPool *pool = current.load(std::memory_order_acquire);
  if (pool)
    return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, forgetInChild);
  (void)registered;
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

void ThreadPool::lookOut(uint64_t known) const {
  waitAwake([&] { return news.load(std::memory_order_relaxed) != known; });
}

//===----------------------------------------------------------------------===//
// Callers
//===----------------------------------------------------------------------===//

/// Under the lock.
void ThreadPool::beginHelpers(int64_t wanted) {
  try {
    for (; begun < wanted && !refused; ++begun)
      std::thread([this, place = begun + 1] { help(place); }).detach();
  } catch (const std::exception &) {
    refused = true; // Those that run do all the work.
  }
}

void ThreadPool::open(Open &entry) {
  std::unique_lock<std::mutex> lock(mutex);
  beginHelpers(entry.places);
  Open **last = &oldest;
  while (*last)
    last = &(*last)->younger;
  *last = &entry;
  news.fetch_add(1, std::memory_order_relaxed);
  const int64_t woken = std::min(entry.places, asleep);
  lock.unlock();
  for (int64_t i = 0; i < woken; ++i)
    opened.notify_one();
}

/// Helpers who come from now on find other loops; those inside are waited for.
void ThreadPool::close(Open &entry) {
  std::unique_lock<std::mutex> lock(mutex);
  Open **place = &oldest;
  while (*place != &entry)
    place = &(*place)->younger;
  *place = entry.younger;
  lock.unlock();
  auto isEmpty = [&] {
    return entry.inside.load(std::memory_order_acquire) == 0;
  };
  if (waitAwake(isEmpty))
    return;
  lock.lock();
  ++waiting;
  left.wait(lock, isEmpty);
  --waiting;
}

std::chrono::nanoseconds ThreadPool::run(ShareLoop &loop) {
  Open entry{loop, loop.places() - 1};
  if (entry.places == 0) {
    loop.work(0);
    return {};
  }
  open(entry);
  loop.work(0);
  const auto worked = std::chrono::steady_clock::now();
  close(entry);
  return std::chrono::steady_clock::now() - worked;
}

int64_t ThreadPool::helpers() {
  std::lock_guard<std::mutex> lock(mutex);
  return begun;
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Under the lock.
ThreadPool::Open *ThreadPool::enter() {
  for (Open *entry = oldest; entry; entry = entry->younger)
    if (entry->places > 0) {
      --entry->places;
      entry->inside.fetch_add(1, std::memory_order_relaxed);
      return entry;
    }
  return nullptr;
}

/// The caller may be gone with its loop once nobody is inside.
void ThreadPool::leave(Open &entry) {
  if (entry.inside.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (waiting)
    left.notify_all();
}

void ThreadPool::help(int64_t place) {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (Open *entry = enter()) {
      lock.unlock();
      entry->loop.work(place);
      leave(*entry);
      lock.lock();
      continue;
    }
    const uint64_t known = news.load(std::memory_order_relaxed);
    lock.unlock();
    lookOut(known);
    lock.lock();
    ++asleep;
    opened.wait(lock,
                [&] { return news.load(std::memory_order_relaxed) != known; });
    --asleep;
  }
}
