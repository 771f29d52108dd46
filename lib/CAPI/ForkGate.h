//===- ForkGate.h - fork() beside calls into the library --------*- C++ -*-===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child of fork() has the calling thread alone. A lock that another thread
// holds at that time is held for ever in the child, what it counts is never
// counted back, and what it changes stays half done. So fork() waits until the
// calls of other threads have returned, and calls that come meanwhile wait for
// it: the child finds every object whole and nobody inside. What registers
// handlers of fork() within a call would wait for one that waits for it, with a
// C library that locks them (glibc before 2.36), so that this library registers
// its own as it is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CAPI_FORKGATE_H
#define ASTFE_LIB_CAPI_FORKGATE_H

namespace astfe::capi {

/// A call into the library, while it lives. Calls within a call are part of it.
class Inside {
public:
  Inside();
  ~Inside();
  Inside(const Inside &) = delete;
};

} // namespace astfe::capi

#endif // ASTFE_LIB_CAPI_FORKGATE_H
