//===- Parallel.cpp - static loops over threads ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Parallel.h"
#include <algorithm>
#include <atomic>
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
  Helpers(Loop &loop, int64_t wanted) {
    try {
      threads.reserve(size_t(std::max<int64_t>(wanted, 0)));
      for (int64_t i = 0; i < wanted; ++i)
        threads.emplace_back([&loop] { loop.work(); });
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

void astfe::core::parallelFor(int64_t chunks, unsigned threads,
                              const std::function<void(int64_t)> &body) {
  Loop loop(chunks, body);
  {
    int64_t wanted = std::min(threads, kMostThreads);
    Helpers helpers(loop, std::min(wanted, chunks) - 1);
    loop.work();
  }
  loop.rethrow();
}
