//===- Threads.h - one pool of threads at a time --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of OpenMP spin for a while after a parallel region. The compiled
// code, the expert and Eigen share one runtime; Debian's GraphBLAS and librsb
// bring another, whose threads would compete with the first's for the cores.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_BENCHMARKS_KERNELS_THREADS_H
#define ASTFE_BENCHMARKS_KERNELS_THREADS_H

namespace astfe::bench {

/// Lets the shared runtime's threads sleep at once after each region.
void restThreads(int threads);
/// Waits for the other runtime's threads to sleep, then lets ours spin again.
void wakeThreads(int threads);

} // namespace astfe::bench

#endif // ASTFE_BENCHMARKS_KERNELS_THREADS_H
