//===- Threads.h - the one thread setting ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Core, workers of host kernels, and threads of the OpenMP runtime
// are one number. The runtime library knows no OpenMP: whoever opens it is told
// of changes.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_THREADS_H
#define ASTFE_RUNTIME_THREADS_H

#include <cstdint>
#include <functional>

namespace astfe::rt {

constexpr int64_t kMaxThreads = 4096;

/// At least 1: what was set, else the machine's number.
int64_t threads();
/// Whether astfe_rt_set_workers() chose the number of workers.
bool workersAreSet();
/// Calls `listener` now, and again in the thread that changes the setting.
/// There is one listener.
void onThreadsChanged(std::function<void(int64_t)> listener);

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_THREADS_H
