//===- StableSort.h - stable radix sort of a permutation ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts numbers of nonzeros by a key, least significant digit first. Equal keys
// keep their order, so sorting by column, then row, then group sorts by (group,
// row, column), and a key by which the input is sorted already costs nothing if
// the caller leaves it out. O(n) per digit of 11 bits; digits that all keys
// share are skipped.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_SUPPORT_STABLESORT_H
#define ASTFE_LIB_CORE_SUPPORT_STABLESORT_H

#include "ASTFE/Core/Support/Parallel.h"
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace astfe::core {

/// 0, 1, ..., count-1.
inline std::vector<int64_t> identityOrder(int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t(0));
  return order;
}

/// The passes of one sort; fixed chunks of the input are counted and moved in
/// parallel, each to places of its own.
template <typename KeyOf>
class StableSorter {
public:
  StableSorter(std::vector<int64_t> &order, KeyOf keyOf, unsigned threads)
      : order(order), target(order.size()), keyOf(keyOf), threads(threads),
        chunks(int64_t(order.size()) > kSmall ? kChunks : 1),
        counts(size_t(chunks)) {}

  void sort(uint64_t largestKey) {
    for (unsigned shift = 0; shift < 64 && largestKey >> shift != 0;
         shift += kDigitBits)
      if (count(shift))
        move(shift);
  }

private:
  static constexpr unsigned kDigitBits = 11;
  static constexpr uint64_t kBuckets = uint64_t(1) << kDigitBits;
  static constexpr int64_t kSmall = 1 << 16;
  static constexpr int64_t kChunks = 16;

  int64_t begin(int64_t chunk) const {
    return int64_t(order.size()) / chunks * chunk;
  }
  int64_t end(int64_t chunk) const {
    return chunk + 1 == chunks ? int64_t(order.size()) : begin(chunk + 1);
  }
  size_t digit(int64_t item, unsigned shift) const {
    return size_t(uint64_t(keyOf(item)) >> shift & (kBuckets - 1));
  }

  /// Turns counts into first places; false where one bucket takes all.
  bool count(unsigned shift) {
    parallelFor(chunks, threads, [&](int64_t chunk) {
      auto &mine = counts[size_t(chunk)];
      mine.fill(0);
      for (int64_t i = begin(chunk), e = end(chunk); i < e; ++i)
        ++mine[digit(order[size_t(i)], shift)];
    });
    int64_t place = 0;
    for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
      int64_t first = place;
      for (auto &mine : counts) {
        int64_t size = mine[bucket];
        mine[bucket] = place;
        place += size;
      }
      if (place - first == int64_t(order.size()))
        return false;
    }
    return true;
  }

  void move(unsigned shift) {
    parallelFor(chunks, threads, [&](int64_t chunk) {
      auto &mine = counts[size_t(chunk)];
      for (int64_t i = begin(chunk), e = end(chunk); i < e; ++i) {
        int64_t item = order[size_t(i)];
        target[size_t(mine[digit(item, shift)]++)] = item;
      }
    });
    order.swap(target);
  }

  std::vector<int64_t> &order;
  std::vector<int64_t> target;
  KeyOf keyOf;
  unsigned threads;
  int64_t chunks;
  std::vector<std::array<int64_t, kBuckets>> counts;
};

/// Sorts `order` by keyOf(item), stably. No key exceeds `largestKey`.
template <typename KeyOf>
void stableSortBy(std::vector<int64_t> &order, uint64_t largestKey, KeyOf keyOf,
                  unsigned threads = 1) {
  if (order.size() < 2 || largestKey == 0)
    return;
  StableSorter<KeyOf>(order, keyOf, threads).sort(largestKey);
}

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_SUPPORT_STABLESORT_H
