//===- Parallel.cpp - static loops over threads ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

using namespace astfe::core;

namespace {

/// The chunks that no thread has taken yet, and the first exception. Which
/// thread takes a chunk is left to chance; what a chunk is, is not.
class Loop {
public:
  Loop(int64_t chunks, const std::function<void(int64_t)> &body)
      : chunks(chunks), body(body) {}

  /// What each thread does.
  void work() noexcept {
    try {
      for (int64_t chunk; (chunk = next.fetch_add(1)) < chunks;)
        body(chunk);
    } catch (...) {
      next = chunks; // The others stop after the chunk that they are at.
      std::lock_guard<std::mutex> lock(mutex);
      if (!thrown)
        thrown = std::current_exception();
    }
  }

  void rethrow() const {
    if (thrown)
      std::rethrow_exception(thrown);
  }

private:
  std::atomic<int64_t> next{0};
  const int64_t chunks;
  const std::function<void(int64_t)> &body;
  std::mutex mutex;
  std::exception_ptr thrown;
};

/// Threads that are joined however their scope is left.
class Helpers {
public:
  template <typename Work>
  Helpers(int64_t wanted, Work work) {
    try {
      threads.reserve(size_t(std::max<int64_t>(wanted, 0)));
      for (int64_t i = 0; i < wanted; ++i)
        threads.emplace_back(work);
    } catch (const std::exception &) {
      // No more threads to be had: those that run do all the work.
    }
  }
  ~Helpers() {
    for (std::thread &thread : threads)
      thread.join();
  }

private:
  std::vector<std::thread> threads;
};

} // namespace

//===----------------------------------------------------------------------===//
// Helpers that stay
//===----------------------------------------------------------------------===//

/// A loop is open until the thread that made it finds no more chunks; helpers
/// come in as long as it is. One that sleeps through it is not waited for.
class KeepThreads::Team {
public:
  explicit Team(unsigned threads)
      : helpers(int64_t(threads) - 1, [this] { help(); }) {}
  ~Team() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      over = true;
      ++news;
    }
    changed.notify_all();
  }

  bool isBusy() const { return open != nullptr; }

  void run(Loop &loop, int64_t wanted) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      open = &loop;
      places = wanted;
      ++news;
    }
    changed.notify_all();
    loop.work();
    std::unique_lock<std::mutex> lock(mutex);
    open = nullptr;
    changed.wait(lock, [this] { return inside == 0; });
  }

private:
  void help() {
    uint64_t known = 0;
    while (true) {
      lookOut(known);
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return news != known; });
      known = news;
      if (over)
        return;
      if (!open || places == 0)
        continue;
      --places;
      ++inside;
      Loop &loop = *open;
      lock.unlock();
      loop.work();
      lock.lock();
      --inside;
      lock.unlock();
      changed.notify_all();
    }
  }

  /// Waits awake, for about as long as it takes to fall asleep and be woken.
  void lookOut(uint64_t known) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::microseconds(50);
    while (news.load(std::memory_order_relaxed) == known && Clock::now() < end)
      std::this_thread::yield();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<uint64_t> news{0}; ///< loops, and the end
  Loop *open = nullptr;
  int64_t places = 0, inside = 0; ///< for helpers, and those in the loop
  bool over = false;
  Helpers helpers; ///< last: they use the others
};

/// Of the thread that made it.
static thread_local KeepThreads::Team *kept = nullptr;

KeepThreads::KeepThreads(unsigned threads) {
  if (kept || threads <= 1)
    return;
  team = std::make_unique<Team>(std::min(threads, kMostThreads));
  kept = team.get();
}

KeepThreads::~KeepThreads() {
  if (team)
    kept = nullptr;
}

void astfe::core::parallelFor(int64_t chunks, unsigned threads,
                              const std::function<void(int64_t)> &body) {
  Loop loop(chunks, body);
  const int64_t helpers =
      std::min<int64_t>(std::min(threads, kMostThreads), chunks) - 1;
  if (helpers <= 0) {
    loop.work();
  } else if (kept && !kept->isBusy()) {
    kept->run(loop, helpers);
  } else {
    Helpers begun(helpers, [&loop] { loop.work(); });
    loop.work();
  }
  loop.rethrow();
}
