//===- CacheShare.h - the part of a cache that one thread has -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_TARGET_CACHESHARE_H
#define ASTFE_LIB_CORE_TARGET_CACHESHARE_H

#include "ASTFE/Core/Target/Machine.h"

namespace astfe::core {

/// Of L1 (0) and L2 (1) all, of L3 (2 and 3) as much as every other thread.
inline int64_t shareOf(const Machine &machine, unsigned level) {
  return level < 2 ? machine.cacheBytes[level]
                   : machine.cacheBytes[level] / machine.threads;
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_TARGET_CACHESHARE_H
