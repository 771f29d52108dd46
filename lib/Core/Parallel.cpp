//===- Parallel.cpp - static loops over threads ---------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Parallel.h"
#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

void astfe::core::parallelFor(int64_t chunks, unsigned threads,
                              const std::function<void(int64_t)> &body) {
  // Which thread takes a chunk is left to chance; what a chunk is, is not.
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t chunk; (chunk = next.fetch_add(1)) < chunks;)
      body(chunk);
  };
  std::vector<std::thread> helpers;
  int64_t wanted = std::min<int64_t>(threads, chunks) - 1;
  for (int64_t i = 0; i < wanted; ++i) {
    try {
      helpers.emplace_back(work);
    } catch (const std::system_error &) {
      break; // No more threads to be had: those that run do all the work.
    }
  }
  work();
  for (std::thread &helper : helpers)
    helper.join();
}
