//===- KeyBuckets.h - keys by their leading bits --------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys are dropped into buckets as they come, without having been counted
// before: a bucket is a list of small blocks, taken one after the other from
// one array as they fill up. With a thousand buckets the places where the next
// keys go stay in the cache, which is what makes this several times faster than
// moving keys to where 1e5 boxes have their room. Of a key only the bits behind
// its bucket's are kept ("the rest"), in 32 bits where that is enough.
//
// Each task of a parallel loop has blocks of its own, so a bucket's keys are in
// an order that depends on the number of tasks: they are for counting.
//
//   buckets 2, blocks of 2:  add(0, a) add(1, b) add(0, c) add(0, d)
//   blocks: [a c] [b .] [d .], of buckets 0 1 0
//
// O(1) for a key; memory beyond the keys: a block for each bucket and task.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PROFILE_KEYBUCKETS_H
#define ASTFE_LIB_CORE_PROFILE_KEYBUCKETS_H

#include "Support/LargeArray.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace astfe::core {

using llvm::ArrayRef;

/// Calls body for all entries, from four places in turn: neighbours mostly meet
/// in one bucket, whose counter would have to come back from memory between
/// them.
template <typename T, typename Body>
__attribute__((always_inline)) inline void forEachApart(ArrayRef<T> entries,
                                                        Body body) {
  size_t quarter = entries.size() / 4;
  const T *entry = entries.data();
  for (size_t i = 0; i < quarter; ++i) {
    body(entry[i]);
    body(entry[i + quarter]);
    body(entry[i + 2 * quarter]);
    body(entry[i + 3 * quarter]);
  }
  for (size_t i = 4 * quarter; i < entries.size(); ++i)
    body(entry[i]);
}

template <typename Rest>
class KeyBuckets {
public:
  /// Keys in a block.
  static constexpr uint32_t kBlock = 1024 / sizeof(Rest);
  /// Keys in a line of the cache.
  static constexpr uint32_t kLine = 64 / sizeof(Rest);

  /// What one task adds, fewer than 2^31 keys.
  class Filler {
  public:
    __attribute__((always_inline)) void add(size_t bucket, Rest rest) {
      uint32_t place = next[bucket];
      lines[bucket * kLine + place % kLine] = rest;
      next[bucket] = ++place;
      if (place % kLine == 0)
        flush(bucket, place);
    }

    /// All keys of the task are there.
    void end();

  private:
    friend class KeyBuckets;
    void begin(size_t buckets);
    void flush(size_t bucket, uint32_t place);
    uint32_t beginBlock(size_t bucket) {
      owners.push_back(uint32_t(bucket));
      return uint32_t(owners.size() - 1) * kBlock;
    }

    Rest *rests = nullptr;
    std::vector<Rest> room;
    Rest *lines = nullptr;        ///< by bucket, in `room`
    std::vector<uint32_t> next;   ///< by bucket
    std::vector<uint32_t> owners; ///< by block, in the order of their places
  };

  /// `sizes[task]` keys at most.
  KeyBuckets(size_t buckets, ArrayRef<int64_t> sizes)
      : buckets(buckets), rests(roomFor(buckets, sizes) + kBlock),
        fillers(sizes.size()) {
    size_t begin = (-(uintptr_t(rests.data()) / sizeof(Rest))) % kBlock;
    for (size_t task = 0; task < sizes.size(); ++task) {
      fillers[task].rests = rests.data() + begin;
      begin += blocksFor(buckets, sizes[task]) * kBlock;
    }
  }

  /// A task begins to fill memory of its own.
  Filler &begin(size_t task) {
    fillers[task].begin(buckets);
    return fillers[task];
  }

  /// All tasks have ended: sorts the blocks by bucket. Returns the number of
  /// keys in each bucket.
  std::vector<int64_t> finish();

  /// The keys of a bucket, in pieces.
  ArrayRef<ArrayRef<Rest>> operator[](size_t bucket) const {
    return ArrayRef<ArrayRef<Rest>>(runs).slice(
        begins[bucket], begins[bucket + 1] - begins[bucket]);
  }

private:
  static size_t blocksFor(size_t buckets, int64_t size) {
    return buckets + size_t(size) / kBlock;
  }
  static size_t roomFor(size_t buckets, ArrayRef<int64_t> sizes) {
    size_t blocks = 0;
    for (int64_t size : sizes)
      blocks += blocksFor(buckets, size);
    return blocks * kBlock;
  }

  size_t buckets;
  Scratch<Rest> rests;
  std::vector<Filler> fillers;
  std::vector<ArrayRef<Rest>> runs; ///< the blocks, by bucket
  std::vector<size_t> begins;       ///< of the buckets in `runs`
};

extern template class KeyBuckets<uint32_t>;
extern template class KeyBuckets<uint64_t>;

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PROFILE_KEYBUCKETS_H
