//===- RefusingMalloc.cpp - a process whose memory is short ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefusingMalloc.h"
#include <atomic>
#include <cerrno>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace astfe::product;

static std::atomic<size_t> most{SIZE_MAX};
static std::atomic<int64_t> refusals{0};

static bool isRefused(size_t bytes) {
  if (bytes <= most)
    return false;
  ++refusals;
  return true;
}

MostBytes::MostBytes(size_t bytes) {
  refusals = 0;
  most = bytes;
}
MostBytes::~MostBytes() { most = SIZE_MAX; }
int64_t MostBytes::refused() const { return refusals; }

static std::atomic<bool> pagesAreRefused{false};
static std::atomic<int64_t> refusedPages{0};

NoPages::NoPages() {
  refusedPages = 0;
  pagesAreRefused = true;
}
NoPages::~NoPages() { pagesAreRefused = false; }
int64_t NoPages::refused() const { return refusedPages; }

extern "C" {
void *mmap(void *address, size_t size, int protection, int flags, int file,
           off_t offset) noexcept {
  if (pagesAreRefused) {
    ++refusedPages;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void *>(
      ::syscall(SYS_mmap, address, size, protection, flags, file, offset));
}
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
  return isRefused(size) ? nullptr : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return isRefused(count * size) ? nullptr : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  return isRefused(size) ? nullptr : __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return isRefused(size) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory ? 0 : 12;
}
}
