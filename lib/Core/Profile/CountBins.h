//===- CountBins.h - the bins of keys that share a prefix -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bins are the leaves of a binary tree of prefixes, but nobody sorts the
// keys to find them. A pass counts the keys by their next few bits; the sums of
// these counts are the nodes of that many levels of the tree. Only where a node
// at the bottom still has to be split are the keys moved into their buckets,
// and the next pass runs inside of them. A pass over n keys takes log2(n / min)
// bits and a few more, so that mostly the second pass is the last and moves
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_PROFILE_COUNTBINS_H
#define ASTFE_LIB_CORE_PROFILE_COUNTBINS_H

#include "ASTFE/Core/Order/Order.h"
#include "Support/LargeArray.h"
#include <deque>

namespace astfe::core {

/// From here on keys are counted by all threads together; fewer are dealt out
/// whole.
constexpr int64_t kSharedCount = int64_t(1) << 20;

/// A bin found, or a box that needs another pass.
struct CountedBox {
  Prefix prefix;
  int64_t begin, count;
};

/// Where the tree of bins ends.
struct BinRule {
  unsigned depth;
  int64_t min;

  bool isBin(Prefix prefix, int64_t count) const {
    return count < min || prefix.length == depth;
  }
  /// The pieces among the buckets [low, high), which are the box of `prefix`:
  /// bucket b holds ends[b + 1] - ends[b] keys.
  void collect(const int64_t *ends, Prefix prefix, int64_t low, int64_t high,
               std::vector<CountedBox> &pieces) const;
};

/// Counts the bins of keys of which it gets the bits after the first `taken`
/// ones, left-aligned in a Rest (uint32_t or uint64_t). Its memory is used
/// again from call to call.
template <typename Rest>
class BinCounter {
public:
  using Runs = ArrayRef<ArrayRef<Rest>>;

  BinCounter(BinRule rule, unsigned taken) : rule(rule), taken(taken) {}

  /// Appends the bins below `prefix`, which all `count` keys have; they come in
  /// runs.
  void count(Runs runs, int64_t count, Prefix prefix,
             std::vector<CountedBox> &bins) {
    countLevel(runs, count, prefix, 0, bins);
  }
  /// The same by several threads, for many keys.
  void countTogether(Runs runs, int64_t count, Prefix prefix, unsigned threads,
                     std::vector<CountedBox> &bins) const;

private:
  /// One pass, while its pieces are split.
  struct Pass {
    std::vector<int64_t> ends;      ///< of the buckets
    std::vector<CountedBox> pieces; ///< of these, bins and others
    Scratch<Rest> room{0};          ///< the keys, bucket by bucket
  };

  unsigned digitsFor(int64_t count, Prefix prefix) const;
  bool allBins(ArrayRef<CountedBox> pieces) const;
  void countLevel(Runs runs, int64_t count, Prefix prefix, size_t level,
                  std::vector<CountedBox> &bins);
  void countSorted(Runs runs, Prefix prefix,
                   std::vector<CountedBox> &bins) const;

  BinRule rule;
  unsigned taken;
  std::deque<Pass> passes; ///< by level
};

extern template class BinCounter<uint32_t>;
extern template class BinCounter<uint64_t>;

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_PROFILE_COUNTBINS_H
