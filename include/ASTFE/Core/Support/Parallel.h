//===- Parallel.h - static loops over threads -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core's own parallel loop: fixed chunks, so that results do not depend on the
// number of threads, and no OpenMP runtime (the compiled code brings its own).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_PARALLEL_H
#define ASTFE_CORE_SUPPORT_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace astfe::core {

/// The most threads of one loop, however many are asked for.
constexpr unsigned kMostThreads = 256;

/// Calls body(chunk) once for each chunk in 0..chunks-1 on up to `threads`
/// threads (0 and 1: the calling thread; at most kMostThreads); fewer where the
/// system gives no more.
/// Where a body throws, no further chunk is begun, and the first exception is
/// thrown again here once all threads have ended.
void parallelFor(int64_t chunks, unsigned threads,
                 const std::function<void(int64_t)> &body);

/// While it lives, the loops of the thread that made it share their helpers.
/// Beginning a thread takes as long as some 1e4 nonzeros do, so that is for
/// many short loops in a row. Helpers look out for the next loop for some
/// microseconds before they sleep. A loop that asks for more threads gets those
/// that are kept. Inside of another one it does nothing. It ends on the thread
/// that made it; making it may throw std::bad_alloc.
class KeepThreads {
public:
  explicit KeepThreads(unsigned threads);
  ~KeepThreads();
  KeepThreads(const KeepThreads &) = delete;
  KeepThreads &operator=(const KeepThreads &) = delete;

  class Team;

private:
  std::unique_ptr<Team> team;
};

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
