//===- LargeArray.cpp - arrays on large pages -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/LargeArray.h"
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Kernels look ahead by up to 16 entries of 32 bits, at the end too
/// (Bricks/LocalArray.h).
static constexpr size_t kBehindLast = 64;

void *astfe::core::allocateTable(size_t bytes) {
  void *memory = ::operator new(bytes + kBehindLast);
  adviseLargePages(memory, bytes);
  return memory;
}

void astfe::core::adviseLargePages(void *data, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kPage = 4096;
  constexpr size_t kWorthwhile = size_t(1) << 22;
  if (bytes < kWorthwhile)
    return;
  uintptr_t first = (uintptr_t(data) + kPage - 1) / kPage * kPage;
  uintptr_t last = (uintptr_t(data) + bytes) / kPage * kPage;
  // A request: where it is refused the pages stay small.
  (void)madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#endif
}
