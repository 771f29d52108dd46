//===- Refine.cpp - V(t+1) = f(V(t), C(t)): split what does most ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Refine.h"
#include "Graph/Limit.h"
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
      : profile(profile), work(workOf(profile)), limit(limit), min(min) {}

  /// A leaf with one bin is not split: what is inside would be a guess.
  bool shouldSplit(const Leaf &leaf) const {
    return leaf.work > limit && leaf.nonzeros / 2 >= min &&
           leaf.binEnd - leaf.binBegin >= 2;
  }
  /// One step over all leaves; false where it changed nothing.
  bool step(std::vector<Leaf> &leaves);

  int64_t splits = 0;

private:
  void divide(const Leaf &leaf, unsigned levels);

  const Profile &profile;
  ArrayRef<int64_t> work;
  int64_t limit, min;
  std::vector<Leaf> made;                       ///< of split leaves
  std::vector<std::pair<size_t, size_t>> split; ///< which, and ends in `made`
};

} // namespace

/// Appends what becomes of a leaf.
void Splitter::divide(const Leaf &leaf, unsigned levels) {
  if (levels == 0 || !shouldSplit(leaf)) {
    made.push_back(leaf);
    return;
  }
  ++splits;
  Leaf first = leaf, second = leaf;
  first.prefix = leaf.prefix.child(false);
  second.prefix = leaf.prefix.child(true);
  auto begin = profile.prefix.begin();
  auto middle = size_t(std::lower_bound(begin + std::ptrdiff_t(leaf.binBegin),
                                        begin + std::ptrdiff_t(leaf.binEnd),
                                        second.prefix.bits) -
                       begin);
  first.binEnd = second.binBegin = middle;
  first.nonzeros = first.work = 0;
  for (size_t bin = leaf.binBegin; bin < middle; ++bin) {
    first.nonzeros += profile.nonzeros[bin];
    first.work += work[bin];
  }
  second.nonzeros -= first.nonzeros;
  second.work -= first.work;
  if (first.binEnd > first.binBegin)
    divide(first, levels - 1);
  if (second.binEnd > second.binBegin)
    divide(second, levels - 1);
}

bool Splitter::step(std::vector<Leaf> &leaves) {
  unsigned levels = levelsPerStep(leaves.size());
  made.clear();
  split.clear();
  for (size_t i = 0; i < leaves.size(); ++i)
    if (shouldSplit(leaves[i])) {
      divide(leaves[i], levels);
      split.emplace_back(i, made.size());
    }
  // Few leaves are hot: the others move up in their places, last ones first.
  size_t end = leaves.size(), to = end - split.size() + made.size();
  leaves.resize(to);
  while (!split.empty()) {
    auto [place, madeEnd] = split.back();
    split.pop_back();
    size_t madeBegin = split.empty() ? 0 : split.back().second;
    auto at = leaves.begin();
    std::move_backward(at + std::ptrdiff_t(place + 1), at + std::ptrdiff_t(end),
                       at + std::ptrdiff_t(to));
    to -= end - (place + 1) + (madeEnd - madeBegin);
    std::copy(made.begin() + std::ptrdiff_t(madeBegin),
              made.begin() + std::ptrdiff_t(madeEnd), at + std::ptrdiff_t(to));
    end = place;
  }
  return !made.empty();
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
                           const RefineOptions &options, bool isLogged,
                           RefineLog &log) {
  log.limit = workLimit(leaves, options.threshold, options.workers,
                        options.waves, isLogged ? &log.median : nullptr);
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
  int64_t limit = chooseLimit(graph, leaves, options, log != nullptr, done);
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
