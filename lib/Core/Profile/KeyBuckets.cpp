//===- KeyBuckets.cpp - keys by their leading bits ------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Profile/KeyBuckets.h"
#include <algorithm>
#include <atomic>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

using namespace astfe::core;

template <typename Rest>
void KeyBuckets<Rest>::Filler::begin(size_t buckets) {
  room.resize((buckets + 1) * kLine);
  lines = room.data() + (-(uintptr_t(room.data()) / sizeof(Rest))) % kLine;
  next.resize(buckets);
  for (size_t b = 0; b < buckets; ++b)
    next[b] = beginBlock(b);
}

/// A line to memory, past the caches where the processor can.
static void writeLine(const void *from, void *to) {
#if defined(__x86_64__)
  for (unsigned i = 0; i < 4; ++i)
    _mm_stream_si128(static_cast<__m128i *>(to) + i,
                     _mm_load_si128(static_cast<const __m128i *>(from) + i));
#else
  std::memcpy(to, from, 64);
#endif
}

template <typename Rest>
void KeyBuckets<Rest>::Filler::flush(size_t bucket, uint32_t place) {
  writeLine(lines + bucket * kLine, rests + place - kLine);
  if (place % kBlock == 0)
    next[bucket] = beginBlock(bucket);
}

template <typename Rest>
void KeyBuckets<Rest>::Filler::end() {
  for (size_t b = 0; b < next.size(); ++b)
    std::copy_n(lines + b * kLine, next[b] % kLine,
                rests + next[b] / kLine * kLine);
  // Stores past the caches come in an order of their own.
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

template <typename Rest>
std::vector<int64_t> KeyBuckets<Rest>::finish() {
  begins.assign(buckets + 1, 0);
  for (const Filler &filler : fillers)
    for (uint32_t bucket : filler.owners)
      ++begins[bucket + 1];
  for (size_t b = 0; b < buckets; ++b)
    begins[b + 1] += begins[b];
  runs.resize(begins.back());

  std::vector<int64_t> counts(buckets, 0);
  std::vector<size_t> next(begins.begin(), begins.end() - 1);
  for (const Filler &filler : fillers)
    for (size_t block = 0; block < filler.owners.size(); ++block) {
      uint32_t bucket = filler.owners[block];
      // All but the last one of a bucket are full.
      uint32_t place = filler.next[bucket];
      size_t size = place / kBlock == block ? place % kBlock : kBlock;
      runs[next[bucket]++] = {filler.rests + block * kBlock, size};
      counts[bucket] += int64_t(size);
    }
  return counts;
}

template class astfe::core::KeyBuckets<uint32_t>;
template class astfe::core::KeyBuckets<uint64_t>;
