//===- JoinGroups.cpp - consecutive blocks become groups ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinGroups.h"
#include <queue>

using namespace astfe::core;

namespace {

/// A group on its way, known by the number of its first block.
struct Growing {
  WeighedRun run;
  int64_t work = 0;
  size_t previous = 0, next = 0; ///< groups beside it
  uint32_t version = 0;          ///< joins so far
  bool gone = false;             ///< part of the group before it
};

/// Joining group `left` with the next, as it was when this was found.
struct Join {
  int64_t gain;
  size_t left;
  uint32_t leftVersion, rightVersion;

  /// Whether the other one comes first.
  bool operator<(const Join &o) const {
    return gain != o.gain ? gain < o.gain : left > o.left;
  }
};

class Joiner {
public:
  Joiner(ArrayRef<Leaf> leaves, std::vector<WeighedRun> &runs,
         const FuseRules &rules, RunTraffic &evaluate);
  void run();
  std::vector<int64_t> finish(std::vector<WeighedRun> &runs);

private:
  void consider(size_t left);
  void apply(const Join &join);

  ArrayRef<Leaf> leaves;
  const FuseRules &rules;
  RunTraffic &evaluate;
  std::vector<Growing> groups;
  std::priority_queue<Join> joins;
};

} // namespace

Joiner::Joiner(ArrayRef<Leaf> leaves, std::vector<WeighedRun> &runs,
               const FuseRules &rules, RunTraffic &evaluate)
    : leaves(leaves), rules(rules), evaluate(evaluate), groups(leaves.size()) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    groups[i].run = std::move(runs[i]);
    groups[i].work = leaves[i].work;
    groups[i].previous = i - 1;
    groups[i].next = i + 1;
  }
}

void Joiner::consider(size_t left) {
  if (left >= groups.size() || groups[left].next >= groups.size())
    return;
  const Growing &a = groups[left], &b = groups[a.next];
  if (leaves[left].part != leaves[a.next].part || a.work + b.work > rules.limit)
    return;
  Distinct distinct = evaluate.distinct(a.run.run, b.run.run);
  if (evaluate.footprint(distinct) > rules.cache)
    return;
  int64_t nonzeros = a.run.run.nonzeros + b.run.run.nonzeros;
  int64_t gain = saturatingAdd(a.run.traffic, b.run.traffic) -
                 evaluate.traffic(distinct, nonzeros).total();
  if (gain >= 0)
    joins.push({gain, left, a.version, b.version});
}

void Joiner::apply(const Join &join) {
  Growing &a = groups[join.left], &b = groups[a.next];
  a.run.traffic = saturatingAdd(a.run.traffic, b.run.traffic) - join.gain;
  a.run.run = evaluate.join(a.run.run, b.run.run);
  a.work += b.work;
  a.next = b.next;
  ++a.version;
  b.gone = true;
  b.run = WeighedRun();
  if (a.next < groups.size())
    groups[a.next].previous = join.left;
  consider(a.previous);
  consider(join.left);
}

void Joiner::run() {
  for (size_t i = 0; i < groups.size(); ++i)
    consider(i);
  while (!joins.empty()) {
    Join join = joins.top();
    joins.pop();
    const Growing &a = groups[join.left];
    if (!a.gone && a.version == join.leftVersion && a.next < groups.size() &&
        groups[a.next].version == join.rightVersion)
      apply(join);
  }
}

std::vector<int64_t> Joiner::finish(std::vector<WeighedRun> &runs) {
  runs.clear();
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < groups.size(); i = groups[i].next) {
    offsets.push_back(int64_t(i));
    runs.push_back(std::move(groups[i].run));
  }
  offsets.push_back(int64_t(groups.size()));
  return offsets;
}

std::vector<int64_t> astfe::core::joinGroups(ArrayRef<Leaf> leaves,
                                             std::vector<WeighedRun> &runs,
                                             const FuseRules &rules,
                                             RunTraffic &evaluate) {
  Joiner joiner(leaves, runs, rules, evaluate);
  joiner.run();
  return joiner.finish(runs);
}
