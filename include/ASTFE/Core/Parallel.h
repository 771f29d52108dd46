//===- Parallel.h - static loops over threads -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core's own parallel loop: fixed chunks, so that results do not depend on the
// number of threads, and no OpenMP runtime (the compiled code brings its own).
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_CORE_PARALLEL_H
#define ASTFE_CORE_PARALLEL_H

#include <cstdint>
#include <functional>

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

} // namespace astfe::core

#endif // ASTFE_CORE_PARALLEL_H
