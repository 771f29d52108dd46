//===- ThreadPool.h - helpers that stay and sleep -------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definition: one set of threads for the process, begun when a loop first asks
// for them, which help whoever has a loop open. The caller works too and waits
// only for helpers that are inside of a share. A helper that finds nothing to
// do looks out for the next loop for some microseconds and then sleeps: idle
// helpers cost other threads of the process, and other processes, nothing.
//
//   caller    open loop | work ... | close, wait for those inside
//   helper    asleep      wake, work ...  | look out | asleep
//
// Several threads may have loops open at once; helpers go to the oldest one
// that has a place left. A loop inside of a loop is run like any other, by its
// caller alone where all helpers are busy.
//
// After fork() a child has none of these threads: it begins a pool of its own.
// The pool is never destroyed: helpers may sleep while the process ends.
//
// Complexity: opening and closing a loop takes about 0.2 microseconds where
// helpers look out, and one call of the system for each that sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_SUPPORT_THREADPOOL_H
#define ASTFE_CORE_SUPPORT_THREADPOOL_H

#include "ASTFE/Core/Support/ShareLoop.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace astfe::core {

class ThreadPool {
public:
  /// That of this process, also after fork().
  static ThreadPool &process();

  /// Runs all shares of the loop; returns once they have ended, how long the
  /// caller waited for others. It is at place 0 itself. Where the system gives
  /// no threads, it does all the work.
  std::chrono::nanoseconds run(ShareLoop &loop);

  /// For tests: how many threads were begun.
  int64_t helpers();

private:
  /// A loop that its caller has not closed.
  struct Open {
    ShareLoop &loop;
    int64_t places; ///< for helpers who come
    std::atomic<int64_t> inside{0};
    Open *younger = nullptr;
  };

  void open(Open &entry);
  void close(Open &entry);
  void beginHelpers(int64_t wanted);
  void help(int64_t place);
  Open *enter();
  void leave(Open &entry);
  void lookOut(uint64_t known) const;

  std::mutex mutex;
  std::condition_variable opened, left;
  Open *oldest = nullptr;
  int64_t begun = 0, asleep = 0, waiting = 0;
  bool refused = false;          ///< the system gives no more threads
  std::atomic<uint64_t> news{0}; ///< loops that were opened
};

} // namespace astfe::core

#endif // ASTFE_CORE_SUPPORT_THREADPOOL_H
