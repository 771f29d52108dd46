//===- ShareLoop.h - shares of work that whoever is there takes -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition: a loop of independent shares 0..shares-1 over some places. Place
// p owns the p-th even run of shares, so that the same thread gets the same
// rows in each product and finds them in its cache. A thread takes the shares
// of its own place in order and then what others have not begun: nobody waits
// for a thread whose core is busy with something else, unless that thread is in
// the middle of a share.
//
// Example: 4 shares, 2 places, and the second thread comes late.
//   thread at place 0:  0 1 | 2        (2 taken from place 1)
//   thread at place 1:           3
//
// Complexity: one atomic addition for each share, and a look at each place for
// each thread.
// Source: R. Blumofe, C. Leiserson, "Scheduling Multithreaded Computations by
// Work Stealing", JACM 46(5), 1999; here the shares are known in advance.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_SHARELOOP_H
#define ASTFE_CORE_SUPPORT_SHARELOOP_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace astfe::core {

/// Runs one share. It must not throw.
using ShareBody = void (*)(void *context, int64_t share);

/// The most threads of one loop, however many are asked for.
constexpr unsigned kMostThreads = 256;

class ShareLoop {
public:
  /// For at most `threads` threads, at most kMostThreads.
  ShareLoop(int64_t shares, int64_t threads, ShareBody body, void *context)
      : body(body), context(context),
        count(std::clamp<int64_t>(std::min<int64_t>(threads, kMostThreads), 1,
                                  std::max<int64_t>(shares, 1))) {
    const int64_t each = shares / count, more = shares % count;
    int64_t begin = 0;
    for (int64_t i = 0; i < count; ++i) {
      owned[i].next.store(begin, std::memory_order_relaxed);
      owned[i].end = begin += each + (i < more);
    }
  }
  ShareLoop(const ShareLoop &) = delete;
  ShareLoop &operator=(const ShareLoop &) = delete;

  int64_t places() const { return count; }
  /// Whether another place than 0 had a share.
  bool wasHelped() const { return isHelped.load(std::memory_order_relaxed); }

  /// Runs shares until each is begun, those of `place` (modulo the places)
  /// first. Any number of threads may be at a place.
  void work(int64_t place) noexcept {
    for (int64_t i = 0; i < count; ++i) {
      Run &run = owned[(place + i) % count];
      // A place that is done is only read: its line stays with all threads.
      while (run.next.load(std::memory_order_relaxed) < run.end) {
        const int64_t share = run.next.fetch_add(1, std::memory_order_relaxed);
        if (share >= run.end)
          continue;
        if (place != 0)
          isHelped.store(true, std::memory_order_relaxed);
        body(context, share);
      }
    }
  }

  /// The same at place 0, and how long it takes.
  std::chrono::nanoseconds workAndTime() noexcept {
    const auto begin = std::chrono::steady_clock::now();
    work(0);
    return std::chrono::steady_clock::now() - begin;
  }

private:
  /// On a cache line of its own.
  struct alignas(64) Run {
    std::atomic<int64_t> next;
    int64_t end;
  };

  const ShareBody body;
  void *const context;
  const int64_t count;
  std::atomic<bool> isHelped{false};
  Run owned[kMostThreads]; ///< only the first `count` are ever touched
};

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_SHARELOOP_H
