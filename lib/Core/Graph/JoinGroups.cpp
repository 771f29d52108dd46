//===- JoinGroups.cpp - consecutive blocks become groups ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/JoinGroups.h"
#include "ASTFE/Core/Target/Constants.h"
#include <limits>

using namespace astfe::core;

namespace {

constexpr uint32_t kNone = ~uint32_t(0);
/// The gain of a join that may not be.
constexpr int64_t kOut = -1;

/// A group on its way, known by the number of its first block.
struct Growing {
  int64_t work;
  int64_t gain;            ///< of a join with the next
  uint32_t previous, next; ///< groups beside it in its part, or kNone
};

class Joiner {
public:
  Joiner(ArrayRef<Leaf> leaves, WeighedBoxes boxes, const FuseRules &rules,
         RunTraffic &evaluate);
  void run();
  std::vector<int64_t> finish(int64_t &traffic) const;

private:
  ArrayRef<Side> sides(size_t group, unsigned k) const {
    return {boxes.sides[k].data() + group, counts[group * boxes.rank() + k]};
  }
  int64_t gainOf(size_t left);
  size_t better(size_t group) const;
  void join(size_t left, int64_t gain);
  size_t following(size_t group) const;
  void take(size_t group);
  void joinSiblings();
  void joinBest();

  ArrayRef<Leaf> leaves;
  const FuseRules &rules;
  RunTraffic &evaluate;
  /// One place a block. Groups are runs of blocks, so that a group's sides,
  /// never more than its blocks, stay in its own places.
  WeighedBoxes boxes;
  Scratch<Growing> groups;
  Scratch<uint32_t> counts; ///< of sides, by group and mode
  std::vector<Side> left;   ///< of a join, while its places are overwritten
};

} // namespace

Joiner::Joiner(ArrayRef<Leaf> leaves, WeighedBoxes weighed,
               const FuseRules &rules, RunTraffic &evaluate)
    : leaves(leaves), rules(rules), evaluate(evaluate),
      boxes(std::move(weighed)), groups(leaves.size()),
      counts(leaves.size() * boxes.rank()) {
  auto inOnePart = [&](size_t i) {
    return i > 0 && i < leaves.size() && leaves[i - 1].part == leaves[i].part;
  };
  for (size_t i = 0; i < leaves.size(); ++i)
    groups[i] = {leaves[i].work, kOut, inOnePart(i) ? uint32_t(i - 1) : kNone,
                 inOnePart(i + 1) ? uint32_t(i + 1) : kNone};
  std::fill_n(counts.data(), counts.size(), 1);
}

/// What joining a group with the next saves; kOut where that may not be.
int64_t Joiner::gainOf(size_t left) {
  const Growing &a = groups[left];
  if (a.next == kNone)
    return kOut;
  size_t right = a.next;
  const Growing &b = groups[right];
  if (a.work + b.work > rules.limit)
    return kOut;
  Distinct distinct =
      evaluate.distinctOf([&](unsigned k) { return sides(left, k); },
                          [&](unsigned k) { return sides(right, k); });
  if (evaluate.footprint(distinct) > rules.cache)
    return kOut;
  int64_t gain =
      saturatingAdd(boxes.traffic[left], boxes.traffic[right]) -
      evaluate.bytes(distinct, boxes.nonzeros[left] + boxes.nonzeros[right]);
  return std::max(gain, kOut);
}

void Joiner::join(size_t group, int64_t gain) {
  Growing &a = groups[group];
  size_t right = a.next;
  const Growing &b = groups[right];
  for (unsigned k = 0; k < boxes.rank(); ++k) {
    ArrayRef<Side> before = sides(group, k), added = sides(right, k);
    // What comes before all that is added stays where it is.
    size_t kept = before.size();
    while (kept > 0 && !comesFirst(before[kept - 1], added[0]))
      --kept;
    left.assign(before.begin() + kept, before.end());
    counts[group * boxes.rank() + k] = uint32_t(
        kept + joinSides(left, added, boxes.sides[k].data() + group + kept));
  }
  int64_t &traffic = boxes.traffic[group], &nonzeros = boxes.nonzeros[group];
  traffic = saturatingAdd(traffic, boxes.traffic[right]) - gain;
  nonzeros = saturatingAdd(nonzeros, boxes.nonzeros[right]);
  a.work += b.work;
  a.next = b.next;
  if (a.next != kNone)
    groups[a.next].previous = uint32_t(group);
}

/// Where the join of `group` with the next is: at one that saves more than it
/// on either side, if there is one, else at `group`.
size_t Joiner::better(size_t group) const {
  const Growing &here = groups[group];
  if (here.previous != kNone && groups[here.previous].gain > kOut &&
      groups[here.previous].gain >= here.gain)
    return here.previous;
  if (here.next != kNone && groups[here.next].gain > here.gain)
    return here.next;
  return group;
}

/// Siblings first, while they are small: what the curve has put together, and
/// one sum for each join.
void Joiner::joinSiblings() {
  std::vector<uint32_t> stack;
  for (size_t i = 0; i < leaves.size(); ++i) {
    stack.push_back(uint32_t(i));
    while (stack.size() > 1) {
      size_t right = stack.back(), left = stack[stack.size() - 2];
      int next = i + 1 < boxes.size() ? boxes.shared[i + 1] : -1;
      if (boxes.shared[right] <= next ||
          boxes.shared[right] <= boxes.shared[left] ||
          groups[left].work + groups[right].work >
              rules.limit / rules::kSmallSiblings)
        break;
      int64_t gain = gainOf(left);
      if (gain <= kOut)
        break;
      join(left, gain);
      stack.pop_back();
    }
  }
}

void Joiner::joinBest() {
  for (size_t i = 0; i < groups.size(); i = following(i))
    groups[i].gain = gainOf(i);
  for (size_t start = 0; start < groups.size(); ++start)
    for (size_t group = start;;) {
      // Back to what was passed on the way here.
      while (groups[group].gain <= kOut && group > start)
        group = groups[group].previous;
      if (groups[group].gain <= kOut)
        break;
      if (size_t other = better(group); other != group)
        group = other;
      else
        take(group);
    }
}

/// Makes the join of a group with the next, and weighs those beside it again.
void Joiner::take(size_t group) {
  Growing &here = groups[group];
  groups[here.next].gain = kOut;
  join(group, here.gain);
  here.gain = gainOf(group);
  if (here.previous != kNone)
    groups[here.previous].gain = gainOf(here.previous);
}

void Joiner::run() {
  joinSiblings();
  joinBest();
}

/// The next group of this part, or the first of the next part.
size_t Joiner::following(size_t group) const {
  size_t next = groups[group].next;
  if (next == kNone)
    for (next = group + 1;
         next < groups.size() && leaves[next].part == leaves[group].part;)
      ++next;
  return next;
}

std::vector<int64_t> Joiner::finish(int64_t &traffic) const {
  std::vector<int64_t> offsets;
  traffic = 0;
  for (size_t i = 0; i < groups.size(); i = following(i)) {
    offsets.push_back(int64_t(i));
    traffic = saturatingAdd(traffic, boxes.traffic[i]);
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
