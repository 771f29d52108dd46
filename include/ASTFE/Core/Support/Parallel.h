//===- Parallel.h - static loops over threads -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core's own parallel loop: fixed chunks, so that results do not depend on the
// number of threads. It runs on the process's pool (ThreadPool.h). Kernels run
// on an OpenMP runtime that the process has loaded, and this loop never does:
// its bodies make graphs and patterns, which takes longer than the threads of
// the other runtime stay awake.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_PARALLEL_H
#define ASTFE_CORE_SUPPORT_PARALLEL_H

#include "ASTFE/Core/Support/ShareLoop.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

namespace astfe::core {

/// Calls body(chunk) once for each chunk in 0..chunks-1 on up to `threads`
/// threads (0 and 1: the calling thread; at most kMostThreads); fewer where the
/// system gives no more.
/// Where a body throws, no further chunk is begun, and the first exception is
/// thrown again here once all threads have ended.
void parallelFor(int64_t chunks, unsigned threads,
                 const std::function<void(int64_t)> &body);

/// Calls body(room, chunk) likewise, in at most `threads` Rooms to work in: a
/// thread makes one for all chunks that it takes.
template <typename Room, typename Body>
void parallelForIn(int64_t chunks, unsigned threads, Body body) {
  std::atomic<int64_t> next{0};
  const int64_t takers = std::min<int64_t>(chunks, std::max(threads, 1u));
  parallelFor(takers, threads, [&](int64_t) {
    try {
      Room room;
      for (int64_t chunk; (chunk = next.fetch_add(1)) < chunks;)
        body(room, chunk);
    } catch (...) {
      next = chunks; // The others stop after the chunk that they are at.
      throw;
    }
  });
}

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_PARALLEL_H
