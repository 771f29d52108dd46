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
// + 3 bits, so that mostly the second pass is the last and moves nothing.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_LIB_CORE_COUNTBINS_H
#define ASTFE_LIB_CORE_COUNTBINS_H

#include "ASTFE/Core/Order.h"

namespace astfe::core {

/// A bin found, or a box that needs another pass.
struct Piece {
  Prefix prefix;
  int64_t begin, count;
};

/// Keys that share a prefix, and as much room to move them to.
struct KeyRange {
  uint64_t *keys, *room;
  int64_t count;
};

/// Counts the bins of one part.
class BinCounter {
public:
  BinCounter(unsigned depth, int64_t min) : depth(depth), min(min) {}

  bool isBin(Prefix prefix, int64_t count) const {
    return count < min || prefix.length == depth;
  }
  /// How many bits keys have after `prefix`.
  unsigned bitsBelow(Prefix prefix) const { return depth - prefix.length; }
  /// Appends the bins below `prefix`, which all keys of the range have. The
  /// keys lose their order.
  void count(KeyRange range, Prefix prefix, unsigned threads,
             std::vector<Piece> &bins) const;
  /// The pieces among the buckets [low, high), which are the box of `prefix`:
  /// bucket b holds ends[b + 1] - ends[b] keys.
  void collect(const int64_t *ends, Prefix prefix, int64_t low, int64_t high,
               std::vector<Piece> &pieces) const;

private:
  void countSorted(const uint64_t *keys, int64_t count, Prefix prefix,
                   std::vector<Piece> &bins) const;
  void countPieces(KeyRange range, const std::vector<Piece> &pieces,
                   unsigned threads, std::vector<Piece> &bins) const;

  unsigned depth;
  int64_t min;
};

} // namespace astfe::core

#endif // ASTFE_LIB_CORE_COUNTBINS_H
