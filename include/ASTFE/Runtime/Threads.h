//===- Threads.h - the one thread setting ---------------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of Core, workers of host kernels, and threads of their regions
// (Runtime/Parallel.h) are one number.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_THREADS_H
#define ASTFE_RUNTIME_THREADS_H

#include <cstdint>

namespace astfe::rt {

constexpr int64_t kMaxThreads = 4096;

/// At least 1: what was set, else the machine's number.
int64_t threads();
/// Whether astfe_rt_set_workers() chose the number of workers.
bool workersAreSet();
/// Those of this machine that the process may use, at least 1.
int64_t machineThreads();

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_THREADS_H
