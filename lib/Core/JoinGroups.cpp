//===- JoinGroups.cpp - consecutive blocks become groups ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinGroups.h"
#include "LargeArray.h"
#include "Tournament.h"
#include <limits>

using namespace astfe::core;

namespace {

constexpr uint32_t kNone = ~uint32_t(0);

/// A group on its way, known by the number of its first block.
struct Growing {
  int64_t work, nonzeros, traffic;
  uint32_t previous, next; ///< groups beside it in its part, or kNone
  /// Mode by mode; the sides themselves are from the first block's place on.
  std::array<uint32_t, kMaxRank> sides;
};

class Joiner {
public:
  Joiner(ArrayRef<Leaf> leaves, WeighedBoxes boxes, const FuseRules &rules,
         RunTraffic &evaluate);
  void run();
  std::vector<int64_t> finish(int64_t &traffic) const;

private:
  ArrayRef<Side> sides(size_t group, unsigned k) const {
    return {pools[k].data() + group, groups[group].sides[k]};
  }
  int64_t gainOf(size_t left);
  /// The best join is anywhere: what it reads is fetched all at once.
  void fetch(size_t group) const {
    __builtin_prefetch(&groups[group]);
    for (const std::vector<Side> &pool : pools) {
      __builtin_prefetch(pool.data() + group);
      __builtin_prefetch(pool.data() + group + 3);
    }
  }
  void join(size_t left, int64_t gain);

  ArrayRef<Leaf> leaves;
  const FuseRules &rules;
  RunTraffic &evaluate;
  std::vector<Growing> groups;
  /// By mode: one place a block. Groups are runs of blocks, so that a group's
  /// sides, never more than its blocks, stay in its own places.
  std::vector<std::vector<Side>> pools;
  std::vector<Side> left; ///< of a join, while its places are overwritten
};

} // namespace

Joiner::Joiner(ArrayRef<Leaf> leaves, WeighedBoxes boxes,
               const FuseRules &rules, RunTraffic &evaluate)
    : leaves(leaves), rules(rules), evaluate(evaluate), pools(boxes.rank) {
  makeLarge(groups, leaves.size());
  auto inOnePart = [&](size_t i) {
    return i > 0 && i < leaves.size() && leaves[i - 1].part == leaves[i].part;
  };
  for (size_t i = 0; i < leaves.size(); ++i) {
    groups[i] = {leaves[i].work,
                 boxes.nonzeros[i],
                 boxes.traffic[i],
                 inOnePart(i) ? uint32_t(i - 1) : kNone,
                 inOnePart(i + 1) ? uint32_t(i + 1) : kNone,
                 {}};
    std::fill_n(groups[i].sides.begin(), boxes.rank, 1);
  }
  for (unsigned k = 0; k < boxes.rank; ++k) {
    makeLarge(pools[k], leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i)
      pools[k][i] = boxes.sides[i * boxes.rank + k];
  }
}

/// What joining a group with the next saves; kOut where that may not be.
int64_t Joiner::gainOf(size_t left) {
  const Growing &a = groups[left];
  if (a.next == kNone)
    return Tournament::kOut;
  size_t right = a.next;
  const Growing &b = groups[right];
  if (a.work + b.work > rules.limit)
    return Tournament::kOut;
  Distinct distinct =
      evaluate.distinctOf([&](unsigned k) { return sides(left, k); },
                          [&](unsigned k) { return sides(right, k); });
  if (evaluate.footprint(distinct) > rules.cache)
    return Tournament::kOut;
  int64_t gain = saturatingAdd(a.traffic, b.traffic) -
                 evaluate.traffic(distinct, a.nonzeros + b.nonzeros).total();
  return std::max(gain, Tournament::kOut);
}

void Joiner::join(size_t group, int64_t gain) {
  Growing &a = groups[group];
  size_t right = a.next;
  const Growing &b = groups[right];
  for (unsigned k = 0; k < pools.size(); ++k) {
    ArrayRef<Side> before = sides(group, k);
    left.assign(before.begin(), before.end());
    a.sides[k] =
        uint32_t(joinSides(left, sides(right, k), pools[k].data() + group));
  }
  a.traffic = saturatingAdd(a.traffic, b.traffic) - gain;
  a.nonzeros = saturatingAdd(a.nonzeros, b.nonzeros);
  a.work += b.work;
  a.next = b.next;
  if (a.next != kNone)
    groups[a.next].previous = uint32_t(group);
}

void Joiner::run() {
  std::vector<int64_t> gains(groups.size());
  for (size_t i = 0; i < groups.size(); ++i)
    gains[i] = gainOf(i);
  Tournament joins(std::move(gains));
  while (joins.best() != Tournament::kOut) {
    size_t group = joins.bestPlace();
    fetch(group);
    size_t right = groups[group].next;
    join(group, joins.best());
    size_t previous = std::min<size_t>(groups[group].previous, group);
    if (previous != group)
      joins.change(previous, gainOf(previous));
    joins.change(group, gainOf(group));
    joins.change(right, Tournament::kOut);
    joins.settle(Tournament::nodeOf(group));
    for (size_t beside : {previous, right})
      if (Tournament::nodeOf(beside) != Tournament::nodeOf(group))
        joins.settle(Tournament::nodeOf(beside));
  }
}

std::vector<int64_t> Joiner::finish(int64_t &traffic) const {
  std::vector<int64_t> offsets;
  traffic = 0;
  for (size_t i = 0; i < groups.size();) {
    offsets.push_back(int64_t(i));
    traffic = saturatingAdd(traffic, groups[i].traffic);
    // The next group of this part, or the first of the next part.
    size_t next = groups[i].next;
    if (next == kNone)
      for (next = i + 1;
           next < groups.size() && leaves[next].part == leaves[i].part;)
        ++next;
    i = next;
  }
  offsets.push_back(int64_t(groups.size()));
  return offsets;
}

std::vector<int64_t> astfe::core::joinGroups(ArrayRef<Leaf> leaves,
                                             WeighedBoxes boxes,
                                             const FuseRules &rules,
                                             RunTraffic &evaluate,
                                             int64_t &traffic) {
  Joiner joiner(leaves, std::move(boxes), rules, evaluate);
  joiner.run();
  return joiner.finish(traffic);
}
