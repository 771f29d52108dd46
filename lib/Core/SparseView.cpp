//===- SparseView.cpp - coordinates of a sparse tensor, not owned ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/SparseView.h"
#include "ASTFE/Core/Parallel.h"
#include "Nonzeros.h"
#include <numeric>

using namespace astfe::core;

static Error wrongCount(const std::string &what, int64_t expected,
                        int64_t got) {
  return Error{"expected " + std::to_string(expected) + " " + what +
               " but got " + std::to_string(got)};
}

static Status checkCoo(const SparseView &view) {
  if (view.coordinates.size() != view.rank())
    return wrongCount("coordinate arrays", view.rank(),
                      int64_t(view.coordinates.size()));
  for (unsigned k = 1; k < view.rank(); ++k)
    if (view.coordinates[k].size() != view.nonzeros())
      return wrongCount("coordinates of mode " + std::to_string(k),
                        view.nonzeros(), view.coordinates[k].size());
  return Success{};
}

static Status checkCompressed(const SparseView &view) {
  if (view.rank() != 2)
    return wrongCount("modes in a compressed matrix", 2, view.rank());
  if (view.coordinates.size() != 1)
    return wrongCount("coordinate array", 1, int64_t(view.coordinates.size()));
  int64_t outer = view.shape[view.format == SparseFormat::Csr ? 0 : 1];
  const IndexArray &positions = view.positions;
  if (positions.size() != outer + 1)
    return wrongCount("positions", outer + 1, positions.size());
  if (positions[0] != 0)
    return Error{"expected positions to begin with 0 but got " +
                 std::to_string(positions[0])};
  for (int64_t i = 0; i < outer; ++i)
    if (positions[i + 1] < positions[i])
      return Error{"expected ascending positions but got " +
                   std::to_string(positions[i + 1]) + " after " +
                   std::to_string(positions[i]) + " at position " +
                   std::to_string(i + 1)};
  if (positions[outer] != view.nonzeros())
    return Error{"expected positions to end with the " +
                 std::to_string(view.nonzeros()) + " nonzeros but got " +
                 std::to_string(positions[outer])};
  return Success{};
}

/// The first of `array` that is not in 0..extent-1, or its size.
template <typename T>
static int64_t firstOutside(const T *array, int64_t size, int64_t extent) {
  // Without an early exit the usual case, all inside, is a vector loop; so are
  // minimum and maximum in the array's own width.
  for (int64_t begin = 0; begin < size; begin += kStretch) {
    int64_t end = std::min(begin + kStretch, size);
    T smallest = 0, largest = -1;
    for (int64_t i = begin; i < end; ++i) {
      smallest = std::min(smallest, array[i]);
      largest = std::max(largest, array[i]);
    }
    bool outside = smallest < 0 || int64_t(largest) >= extent;
    for (int64_t i = begin; outside && i < end; ++i)
      if (array[i] < 0 || int64_t(array[i]) >= extent)
        return i;
  }
  return size;
}

static Status checkRange(const IndexArray &array, unsigned mode,
                         int64_t extent) {
  int64_t i = array.is64() ? firstOutside(array.as64(), array.size(), extent)
                           : firstOutside(array.as32(), array.size(), extent);
  if (i == array.size())
    return Success{};
  return Error{"nonzero " + std::to_string(i) +
               ": expected a coordinate of mode " + std::to_string(mode) +
               " below " + std::to_string(extent) + " but got " +
               std::to_string(array[i])};
}

Status SparseView::check() const {
  if (Result<Order> order = Order::get(OrderKind::Rows, shape); !order)
    return order.error();
  bool coo = format == SparseFormat::Coo;
  if (Status s = coo ? checkCoo(*this) : checkCompressed(*this); !s)
    return s;
  for (unsigned i = 0; i < coordinates.size(); ++i) {
    unsigned mode = coo ? i : format == SparseFormat::Csr ? 1 : 0;
    if (Status s = checkRange(coordinates[i], mode, shape[mode]); !s)
      return s;
  }
  return Success{};
}

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

/// The sum of the hashes of a stretch.
template <typename T>
__attribute__((always_inline)) static inline uint64_t
hashStretch(ArrayRef<const T *> modes, size_t size) {
  std::array<uint64_t, kStretch> hashes;
  std::fill_n(hashes.begin(), size, kFnvBasis);
  for (const T *coordinates : modes)
    for (size_t i = 0; i < size; ++i)
      hashes[i] = (hashes[i] ^ uint64_t(coordinates[i])) * kFnvPrime;
  uint64_t sum = 0;
  for (size_t i = 0; i < size; ++i)
    sum += finalize(hashes[i]);
  return sum;
}

template <typename T>
static uint64_t hashPlainly(ArrayRef<const T *> modes, size_t size) {
  return hashStretch(modes, size);
}

#if defined(__x86_64__)
/// Products of 64 bits in vectors.
template <typename T>
__attribute__((target("avx512f,avx512dq,avx512vl"))) static uint64_t
hashWidely(ArrayRef<const T *> modes, size_t size) {
  return hashStretch(modes, size);
}
#endif

template <typename T>
static uint64_t hashChunk(const SparseView &view, int64_t begin, int64_t end) {
  auto hash = hashPlainly<T>;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    hash = hashWidely<T>;
#endif
  uint64_t sum = 0;
  for (Stretches<T> stretch(view, begin, end); stretch.next();)
    sum += hash(stretch.coordinates(), size_t(stretch.size()));
  return sum;
}

uint64_t astfe::core::fingerprintPattern(const SparseView &view,
                                         unsigned threads) {
  std::vector<uint64_t> sums(size_t(chunkCount(view.nonzeros())));
  bool narrow = isNarrow(view);
  parallelFor(int64_t(sums.size()), threads, [&](int64_t chunk) {
    int64_t begin = chunk * kChunk;
    int64_t end = std::min(begin + kChunk, view.nonzeros());
    sums[size_t(chunk)] = narrow ? hashChunk<int32_t>(view, begin, end)
                                 : hashChunk<int64_t>(view, begin, end);
  });
  uint64_t hash = kFnvBasis;
  for (int64_t extent : view.shape)
    hash = (hash ^ uint64_t(extent)) * kFnvPrime;
  hash =
      finalize(hash) + std::accumulate(sums.begin(), sums.end(), uint64_t(0));
  return hash == 0 ? 1 : hash;
}
