//===- Refine.cpp - V(t+1) = f(V(t), C(t)): split what does most ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Refine.h"
#include "Limit.h"
#include <algorithm>

using namespace astfe::core;

Status astfe::core::check(const RefineOptions &options) {
  Status status =
      checkLimitOptions(options.threshold, options.workers, options.waves);
  if (!status)
    return status;
  if (options.min < 1)
    return Error{"expected a minimum from 1 but got " +
                 std::to_string(options.min)};
  if (options.steps < -1)
    return Error{"expected a number of steps from 0, or -1 for all, but got " +
                 std::to_string(options.steps)};
  return Success{};
}

/// The smallest d >= 1 with d^2 >= log2 of `blocks`.
static unsigned levelsPerStep(size_t blocks) {
  unsigned d = 1;
  while (d * d < 64 && uint64_t(1) << (d * d) < blocks)
    ++d;
  return d;
}

namespace {

/// Splits leaves by the bins inside them.
class Splitter {
public:
  Splitter(const Profile &profile, int64_t limit, int64_t min)
      : profile(profile), limit(limit), min(min) {
    ArrayRef<int64_t> work = workOf(profile);
    nonzerosUpTo.resize(profile.size() + 1);
    workUpTo.resize(profile.size() + 1);
    for (size_t i = 0; i < profile.size(); ++i) {
      nonzerosUpTo[i + 1] = nonzerosUpTo[i] + profile.nonzeros[i];
      workUpTo[i + 1] = workUpTo[i] + work[i];
    }
  }

  /// A leaf with one bin is not split: what is inside would be a guess.
  bool shouldSplit(const Leaf &leaf) const {
    return leaf.work > limit && leaf.nonzeros / 2 >= min &&
           leaf.binEnd - leaf.binBegin >= 2;
  }
  /// One step over all leaves; false where it changed nothing.
  bool step(std::vector<Leaf> &leaves);

  int64_t splits = 0;

private:
  void divide(const Leaf &leaf, unsigned levels, std::vector<Leaf> &out);
  Leaf narrow(const Leaf &leaf, Prefix prefix, size_t begin, size_t end) const;

  const Profile &profile;
  int64_t limit, min;
  std::vector<int64_t> nonzerosUpTo, workUpTo;
  std::vector<Leaf> next; ///< of a step; kept for its memory
};

} // namespace

Leaf Splitter::narrow(const Leaf &leaf, Prefix prefix, size_t begin,
                      size_t end) const {
  Leaf half = leaf;
  half.prefix = prefix;
  half.binBegin = begin;
  half.binEnd = end;
  half.nonzeros = nonzerosUpTo[end] - nonzerosUpTo[begin];
  half.work = workUpTo[end] - workUpTo[begin];
  return half;
}

void Splitter::divide(const Leaf &leaf, unsigned levels,
                      std::vector<Leaf> &out) {
  if (levels == 0 || !shouldSplit(leaf)) {
    out.push_back(leaf);
    return;
  }
  ++splits;
  Prefix first = leaf.prefix.child(false), second = leaf.prefix.child(true);
  auto begin = profile.prefix.begin();
  auto middle = size_t(std::lower_bound(begin + std::ptrdiff_t(leaf.binBegin),
                                        begin + std::ptrdiff_t(leaf.binEnd),
                                        second.bits) -
                       begin);
  if (middle > leaf.binBegin)
    divide(narrow(leaf, first, leaf.binBegin, middle), levels - 1, out);
  if (middle < leaf.binEnd)
    divide(narrow(leaf, second, middle, leaf.binEnd), levels - 1, out);
}

bool Splitter::step(std::vector<Leaf> &leaves) {
  auto hot = [&](const Leaf &leaf) { return shouldSplit(leaf); };
  if (std::none_of(leaves.begin(), leaves.end(), hot))
    return false;
  unsigned levels = levelsPerStep(leaves.size());
  next.clear();
  next.reserve(leaves.size() * 2);
  for (const Leaf &leaf : leaves)
    divide(leaf, levels, next);
  leaves.swap(next);
  return true;
}

/// Groups stay as they were but those that hold a block that was split, which
/// fall apart into blocks; work that was found in an empty box cuts the group
/// around it.
static std::vector<int64_t> keepGroups(const Graph &before,
                                       ArrayRef<Leaf> leaves) {
  const size_t none = before.groupCount();
  std::vector<bool> broken(none + 1, false);
  broken[none] = true;
  // Leaves come in the order of the blocks that they are parts of.
  auto forOwners = [&](auto body) {
    size_t group = 0;
    for (size_t i = 0; i < leaves.size(); ++i) {
      int64_t origin = leaves[i].origin;
      while (origin >= 0 && before.groups[group + 1] <= origin)
        ++group;
      body(i, origin < 0 ? none : group);
    }
  };
  forOwners([&](size_t i, size_t owner) {
    const Leaf &leaf = leaves[i];
    if (leaf.origin >= 0 && !(leaf.prefix == before.block(size_t(leaf.origin))))
      broken[owner] = true;
  });
  std::vector<int64_t> groups{0};
  groups.reserve(leaves.size() + 1);
  size_t last = none;
  forOwners([&](size_t i, size_t owner) {
    if (i > 0 && (owner != last || broken[owner]))
      groups.push_back(int64_t(i));
    last = owner;
  });
  if (!leaves.empty())
    groups.push_back(int64_t(leaves.size()));
  return groups;
}

static int64_t hottestOf(ArrayRef<Leaf> leaves) {
  int64_t hottest = 0;
  for (const Leaf &leaf : leaves)
    hottest = std::max(hottest, leaf.work);
  return hottest;
}

/// T: that of the epoch while tau is given and unchanged, because the median
/// moves as blocks split; T_min depends on no block and needs no memory.
static int64_t chooseLimit(const Graph &graph, ArrayRef<Leaf> leaves,
                           const RefineOptions &options, RefineLog &log) {
  log.limit = workLimit(leaves, options.threshold, options.workers,
                        options.waves, &log.median);
  if (options.threshold && graph.limit > 0 &&
      graph.threshold == options.threshold)
    log.limit = graph.limit;
  return log.limit;
}

Result<Graph> astfe::core::refine(const Graph &graph, const Profile &profile,
                                  const RefineOptions &options,
                                  RefineLog *log) {
  if (Status status = check(options); !status)
    return status.error();
  if (Status status = checkSameSpace(graph.space, profile.space); !status)
    return status.error();
  std::vector<Leaf> leaves = overlay(graph, profile);
  removeEmpty(leaves);
  RefineLog done;
  int64_t limit = chooseLimit(graph, leaves, options, done);
  done.hottest = hottestOf(leaves);

  Splitter splitter(profile, limit, options.min);
  while (done.steps != options.steps && splitter.step(leaves))
    ++done.steps;
  done.split = splitter.splits;
  done.hottestAfter = hottestOf(leaves);

  Graph result = graphOf(graph.space, leaves);
  result.groups = keepGroups(graph, leaves);
  result.limit = limit;
  result.threshold = options.threshold;
  if (log)
    *log = done;
  return result;
}
