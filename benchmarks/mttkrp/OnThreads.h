//===- OnThreads.h - a body on each OpenMP thread -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels by hand run on the threads that compiled code runs on: those of
// another pool would share the processors with OpenMP's, which stay awake for a
// while after each region.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_MTTKRP_ONTHREADS_H
#define ASTFE_BENCHMARKS_MTTKRP_ONTHREADS_H

#include <cstdint>

extern "C" int omp_get_thread_num(void);

namespace astfe::bench {

template <typename Body>
void onThreads(int64_t threads, Body body) {
#pragma omp parallel num_threads(int(threads))
  body(int64_t(omp_get_thread_num()));
}

inline void waitForThreads() {
#pragma omp barrier
}

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_MTTKRP_ONTHREADS_H
