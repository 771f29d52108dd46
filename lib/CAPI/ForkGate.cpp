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
#include <pthread.h>
#include <thread>

using namespace astfe;

static std::atomic<int64_t> inside{0}; ///< threads
static std::atomic<bool> isForking{false};
static thread_local int64_t depth = 0;
/// Between its handlers: those of others may call the library then.
static thread_local bool forksHere = false;

static void rest() {
  std::this_thread::sleep_for(std::chrono::microseconds(20));
}

/// A thread that forks while it is inside, to run another program or in a
/// handler of signals, waits for nobody: somebody may wait for what it does.
static void beforeFork() {
  if (depth > 0)
    return;
  while (isForking.exchange(true))
    rest();
  forksHere = true;
  while (inside.load() > 0)
    rest();
}

static void afterFork() {
  if (!forksHere)
    return;
  forksHere = false;
  isForking = false;
}

static void inChild() {
  inside = depth > 0;
  forksHere = false;
  isForking = false;
}

[[maybe_unused]] static const int kForksAreWatched =
    pthread_atfork(beforeFork, afterFork, inChild);

capi::Inside::Inside() {
  if (depth++ > 0 || forksHere)
    return;
  ++inside;
  while (isForking) {
    --inside;
    rest();
    ++inside;
  }
}

capi::Inside::~Inside() {
  if (--depth == 0 && !forksHere)
    --inside;
}
