//===- Fingerprint.cpp - the hash of a pattern ----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor/Fingerprint.h"
#include "ASTFE/Core/Support/Parallel.h"
#include "Tensor/Nonzeros.h"
#include <atomic>
#include <numeric>

using namespace astfe::core;

static constexpr uint64_t kFnvBasis = 0xcbf29ce484222325;
static constexpr uint64_t kFnvPrime = 0x100000001b3;

/// Spreads every bit of the input over the whole word: sums of the results then
/// tell patterns apart that sums of the inputs would not.
static uint64_t finalize(uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xff51afd7ed558ccd;
  hash ^= hash >> 33;
  hash *= 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 33);
}

template <typename T>
__attribute__((always_inline)) static inline bool
addBatch(ArrayRef<const T *> modes, int64_t count, ArrayRef<int64_t> shape,
         uint64_t &sum) {
  std::array<uint64_t, kBatch> hashes;
  std::fill_n(hashes.begin(), count, kFnvBasis);
  bool inside = true;
  for (size_t k = 0; k < modes.size(); ++k) {
    // As an unsigned number what is negative is too large as well.
    std::make_unsigned_t<T> largest = 0;
    auto add = [&](int64_t i) __attribute__((always_inline)) {
      T coordinate = modes[k][i];
      largest = std::max(largest, std::make_unsigned_t<T>(coordinate));
      hashes[i] = (hashes[i] ^ uint64_t(coordinate)) * kFnvPrime;
    };
    // Batches end where pages do, beyond which no processor looks ahead.
    constexpr int64_t kLine = 64 / sizeof(T);
    int64_t i = 0;
    for (; i + kLine <= count; i += kLine) {
      __builtin_prefetch(modes[k] + i + kBatch);
      for (int64_t j = i; j < i + kLine; ++j)
        add(j);
    }
    for (; i < count; ++i)
      add(i);
    inside &= uint64_t(largest) < uint64_t(shape[k]);
  }
  uint64_t added = 0;
  for (int64_t i = 0; i < count; ++i)
    added += finalize(hashes[i]);
  sum += added;
  return inside;
}

template <typename T>
static bool addPlainly(ArrayRef<const T *> modes, int64_t count,
                       ArrayRef<int64_t> shape, uint64_t &sum) {
  return addBatch(modes, count, shape, sum);
}

#if defined(__x86_64__)
/// Products of 64 bits in vectors.
template <typename T>
__attribute__((target("avx512f,avx512dq,avx512vl"))) static bool
addWidely(ArrayRef<const T *> modes, int64_t count, ArrayRef<int64_t> shape,
          uint64_t &sum) {
  return addBatch(modes, count, shape, sum);
}
#endif

template <typename T>
bool astfe::core::addHashes(ArrayRef<const T *> modes, int64_t count,
                            ArrayRef<int64_t> shape, uint64_t &sum) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return addWidely(modes, count, shape, sum);
#endif
  return addPlainly(modes, count, shape, sum);
}

template bool astfe::core::addHashes(ArrayRef<const int32_t *>, int64_t,
                                     ArrayRef<int64_t>, uint64_t &);
template bool astfe::core::addHashes(ArrayRef<const int64_t *>, int64_t,
                                     ArrayRef<int64_t>, uint64_t &);

uint64_t astfe::core::fingerprintOf(ArrayRef<int64_t> shape, uint64_t sum) {
  uint64_t hash = kFnvBasis;
  for (int64_t extent : shape)
    hash = (hash ^ uint64_t(extent)) * kFnvPrime;
  hash = finalize(hash) + sum;
  return hash == 0 ? 1 : hash;
}

template <typename T>
static bool addChunk(const SparseView &view, int64_t begin, int64_t end,
                     uint64_t &sum) {
  bool inside = true;
  for (NonzeroBatches<T> batch(view, begin, end); batch.next() && inside;)
    inside = addHashes(batch.coordinates(), batch.size(), view.shape, sum);
  return inside;
}

std::optional<uint64_t> astfe::core::fingerprintIfInside(const SparseView &view,
                                                         unsigned threads) {
  std::vector<uint64_t> sums(size_t(chunkCount(view.nonzeros())), 0);
  std::atomic<bool> inside{true};
  const bool narrow = isNarrow(view);
  parallelFor(int64_t(sums.size()), threads, [&](int64_t chunk) {
    int64_t begin = chunk * kChunk;
    int64_t end = std::min(begin + kChunk, view.nonzeros());
    uint64_t &sum = sums[size_t(chunk)];
    if (!(narrow ? addChunk<int32_t>(view, begin, end, sum)
                 : addChunk<int64_t>(view, begin, end, sum)))
      inside = false;
  });
  if (!inside)
    return std::nullopt;
  return fingerprintOf(view.shape,
                       std::accumulate(sums.begin(), sums.end(), uint64_t(0)));
}

uint64_t astfe::core::fingerprintPattern(const SparseView &view,
                                         unsigned threads) {
  std::optional<uint64_t> found = fingerprintIfInside(view, threads);
  assert(found && "expected coordinates in range");
  return found.value_or(0);
}
