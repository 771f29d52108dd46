//===- ForkGate.cpp - fork() beside calls into the library ----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForkGate.h"
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <thread>

using namespace astfe;

static std::atomic<int64_t> inside{0}; ///< threads
static std::atomic<bool> isForking{false};
static std::mutex forking; ///< held by the thread that forks
static thread_local int64_t depth = 0;

/// A thread that forks while it is inside, to run another program or in a
/// handler of signals, waits for nobody: somebody may wait for what it does.
static void beforeFork() {
  if (depth > 0)
    return;
  forking.lock();
  isForking = true;
  while (inside.load() > 0)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
}

static void afterFork() {
  if (depth > 0)
    return;
  isForking = false;
  forking.unlock();
}

/// Threads that were inside, or about to wait, are gone.
static void inChild() {
  inside = depth > 0;
  afterFork();
}

[[maybe_unused]] static const int kForksAreWatched =
    pthread_atfork(beforeFork, afterFork, inChild);

// Each side writes what the other reads, and then reads what the other writes;
// all of it is sequentially consistent.
capi::Inside::Inside() {
  if (depth++ > 0)
    return;
  ++inside;
  while (isForking) {
    --inside;
    { std::lock_guard<std::mutex> waited(forking); }
    ++inside;
  }
}

capi::Inside::~Inside() {
  if (--depth == 0)
    --inside;
}
