//===- Parallel.cpp - static loops over threads ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Support/Parallel.h"
#include "ASTFE/Core/Support/ThreadPool.h"
#include <exception>
#include <mutex>

using namespace astfe::core;

namespace {
/// A body that may throw, with the first exception that it threw.
class Chunks {
public:
  explicit Chunks(const std::function<void(int64_t)> &body) : body(body) {}

  /// After an exception chunks do nothing.
  static void run(void *self, int64_t chunk) noexcept {
    auto &chunks = *static_cast<Chunks *>(self);
    if (chunks.over.load(std::memory_order_relaxed))
      return;
    try {
      chunks.body(chunk);
    } catch (...) {
      chunks.over = true;
      std::lock_guard<std::mutex> lock(chunks.mutex);
      if (!chunks.thrown)
        chunks.thrown = std::current_exception();
    }
  }

  void rethrow() const {
    if (thrown)
      std::rethrow_exception(thrown);
  }

private:
  const std::function<void(int64_t)> &body;
  std::atomic<bool> over{false};
  std::mutex mutex;
  std::exception_ptr thrown;
};
} // namespace

void astfe::core::parallelFor(int64_t chunks, unsigned threads,
                              const std::function<void(int64_t)> &body) {
  Chunks context(body);
  ShareLoop loop(chunks, threads, Chunks::run, &context);
  ThreadPool::process().run(loop);
  context.rethrow();
}
