//===- Parallel.h - parallel regions of compiled code ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is compiled in this process runs its regions here, whichever pool
// of threads they end up on. Two pools in one process fight for the cores,
// since threads of OpenMP runtimes stay awake after a region, so ours is used
// only where there is no other:
//
//   libgomp is loaded            its threads (GOMP_parallel)
//   libomp or libiomp5 is        its threads (__kmpc_fork_call)
//   neither, or after fork()     core::ThreadPool
//
// Nothing is ever loaded for this. A helper that comes late, because its core
// is busy, finds that others took its shares (Core/Support/ShareLoop.h). Where
// one is held up in the middle of a share, for a time slice, callers work alone
// for a while.
//
// Code that is linked ahead of time calls the OpenMP runtime that it is linked
// with.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_RUNTIME_PARALLEL_H
#define ASTFE_RUNTIME_PARALLEL_H

#include "ASTFE/Core/Support/ShareLoop.h"
#include "ASTFE/Runtime/ABISymbols.h"

namespace astfe::rt {

/// Runs body(context, share) once for each of 0..shares-1 and returns when all
/// have ended. Shares are independent: one thread may run them all, in any
/// order. At most threads() threads and as many as the machine has.
void parallel(core::ShareBody body, void *context, int64_t shares);

/// How many processors there are for a region that the calling thread begins
/// now; 1 while callers work alone, or helpers come too late.
int64_t freeProcessors();

/// While it lives, regions that its thread begins have at most `most` threads
/// (of at least 1): for work that ends before others could be woken.
class ThreadLimit {
public:
  explicit ThreadLimit(int64_t most);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit &) = delete;
  ThreadLimit &operator=(const ThreadLimit &) = delete;

private:
  int64_t before;
};

/// The OpenMP functions that the linker of compiled code takes from here, under
/// the names that compilers call them by. A region is run by `parallel`; where
/// `together`, because its threads wait for one another (`__kmpc_barrier`),
/// each has a thread of its own.
const Symbol *openMPSymbols(bool together);

} // namespace astfe::rt

#endif // ASTFE_RUNTIME_PARALLEL_H
