//===- ThreadPool.h - helpers that stay and sleep -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition: one set of threads for the process, begun when a loop first asks
// for them, which help each thread that has a loop open. The caller works too
// and waits only for helpers that are inside of a share. A helper that finds
// nothing to do looks out for the next loop (it spins) for some microseconds
// and then sleeps: idle helpers cost other threads and processes nothing.
//
//   caller    open loop | work ... | close, wait for those inside
//   helper    asleep      wake, work ...  | look out | asleep
//
// Several threads may have loops open at once, as many as there are slots; a
// caller that finds none works alone. A loop inside of a loop is run like any
// other, by its caller alone where all helpers are busy.
//
// A loop is opened, entered, left and closed without a lock: a thread that
// holds a lock may lose its core to another process for milliseconds, and
// threads that wait for the lock do no shares meanwhile. Only sleeping and
// waking take a lock.
//
// After fork() a child has none of these threads: it begins a pool of its own.
// The pool is never destroyed: helpers may sleep while the process ends.
//
// Complexity: opening and closing a loop takes a handful of accesses to cache
// lines that another core has written, where helpers look out, and one call of
// the system for each that sleeps.
// Source: the handshake by two flags of E. Dijkstra, "Cooperating sequential
// processes", 1965: each side writes its own and then reads the other's.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_THREADPOOL_H
#define ASTFE_CORE_SUPPORT_THREADPOOL_H

#include "ASTFE/Core/Support/ShareLoop.h"
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace astfe::core {

class ThreadPool {
public:
  /// That of this process, also after fork().
  static ThreadPool &process();

  /// Runs all shares of the loop and waits until they have ended. Returns how
  /// long the caller itself worked. The caller is at place 0 and does all the
  /// work where the system gives no threads.
  std::chrono::nanoseconds run(ShareLoop &loop);

  /// For tests: how many threads were begun.
  int64_t helpers();

private:
  /// A place for a loop that its caller has not closed. `loop` is null where
  /// there is none; a helper counts itself in before it looks, and a caller
  /// that has taken its loop away waits until nobody is counted.
  struct alignas(64) Slot {
    std::atomic<bool> isTaken{false};
    std::atomic<ShareLoop *> loop{nullptr};
    uint64_t number = 0;            ///< of the loop, told by `news`
    std::atomic<int64_t> places{0}; ///< for helpers who come
    alignas(64) std::atomic<int64_t> inside{0};
  };
  static constexpr size_t kSlots = 8;

  Slot *takeSlot();
  void open(Slot &slot, ShareLoop &loop);
  void close(Slot &slot);
  void beginHelpers(int64_t wanted);
  void help(int64_t place);
  bool workIn(Slot &slot, int64_t place, uint64_t &last);
  bool lookOut(uint64_t known) const;

  std::array<Slot, kSlots> slots;
  alignas(64) std::atomic<uint64_t> news{0}; ///< loops that were opened
  alignas(64) std::atomic<int64_t> begun{0}, asleep{0}, waiting{0};
  std::atomic<bool> isRefused{false}; ///< the system gives no more threads

  std::mutex mutex; ///< of those who sleep, and of who begins helpers
  std::condition_variable opened, left;
};

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_THREADPOOL_H
