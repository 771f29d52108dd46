//===- Threads.cpp - one pool of threads at a time ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include <chrono>
#include <thread>

// LLVM's OpenMP runtime; its header is not installed beside clang 22.
extern "C" int omp_get_thread_num(void);
extern "C" void kmp_set_blocktime(int milliseconds);

namespace astfe::bench {

/// A region that does next to nothing: threads take over the new setting.
static void enterRegion(int threads) {
  volatile int last = 0;
#pragma omp parallel num_threads(threads)
  if (omp_get_thread_num() == threads - 1)
    last = threads;
}

void restThreads(int threads) {
  kmp_set_blocktime(0);
  enterRegion(threads);
}

void wakeThreads(int threads) {
  // GNU's runtime spins for some milliseconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kmp_set_blocktime(200);
  enterRegion(threads);
}

} // namespace astfe::bench
