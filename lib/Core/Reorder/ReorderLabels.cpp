//===- ReorderLabels.cpp - label propagation in levels --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Label propagation: Raghavan, Albert and Kumara, "Near linear time algorithm
// to detect community structures in large-scale networks" (2007); with a cap on
// what a label gathers, and in levels, as in Meyerhenke, Sanders and Schulz,
// "Partitioning complex networks via size-constrained clustering" (2014).
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Constants.h"
#include "Reorder/ReorderKinds.h"
#include <algorithm>
#include <numeric>

namespace astfe::core {
namespace {

/// One level. The finest borrows its neighbours and has edges of weight 1.
struct Level {
  const IndexLists *borrowed = nullptr;
  IndexLists own;
  std::vector<int64_t> weight; ///< of edges; empty: all 1
  std::vector<int64_t> work;   ///< of vertices

  const IndexLists &neighbors() const { return borrowed ? *borrowed : own; }
  int64_t vertices() const { return int64_t(work.size()); }
};

/// For each label seen around a vertex the weight of the edges to it.
class Votes {
public:
  explicit Votes(int64_t labels) : sums(size_t(labels), 0) {}

  void add(int32_t label, int64_t weight) {
    if (sums[size_t(label)] == 0)
      labels.push_back(label);
    sums[size_t(label)] += weight;
  }
  void count(const Level &level, int64_t vertex,
             const std::vector<int32_t> &labelOf) {
    const IndexLists &lists = level.neighbors();
    int64_t end = lists.begin[size_t(vertex) + 1];
    for (int64_t i = lists.begin[size_t(vertex)]; i < end; ++i)
      add(labelOf[size_t(lists.index[size_t(i)])],
          level.weight.empty() ? 1 : level.weight[size_t(i)]);
  }
  int64_t of(int32_t label) const { return sums[size_t(label)]; }
  ArrayRef<int32_t> seen() const { return labels; }
  void clear() {
    for (int32_t label : labels)
      sums[size_t(label)] = 0;
    labels.clear();
  }

private:
  std::vector<int64_t> sums;
  std::vector<int32_t> labels;
};

/// Moves vertices to the label that most of their edges lead to, as long as no
/// label gathers more than `cap`; in place, one vertex after the other.
class Propagation {
public:
  Propagation(const Level &level, std::vector<int32_t> &labelOf,
              int64_t labelCount, int64_t cap)
      : level(level), labelOf(labelOf), cap(cap), votes(labelCount),
        gathered(size_t(labelCount), 0) {
    for (size_t v = 0; v < labelOf.size(); ++v)
      gathered[size_t(labelOf[v])] += level.work[v];
  }

  void run(int passes) {
    for (int pass = 0; pass < passes; ++pass) {
      int64_t moved = 0;
      for (int64_t vertex = 0; vertex < level.vertices(); ++vertex)
        moved += move(vertex);
      if (moved * rules::kStill < level.vertices())
        return;
    }
  }

private:
  bool move(int64_t vertex) {
    int64_t work = level.work[size_t(vertex)];
    int32_t current = labelOf[size_t(vertex)], best = current;
    votes.count(level, vertex, labelOf);
    for (int32_t label : votes.seen()) {
      bool better = votes.of(label) > votes.of(best) ||
                    (votes.of(label) == votes.of(best) && best != current &&
                     label < best);
      if (label != current && better && gathered[size_t(label)] + work <= cap)
        best = label;
    }
    votes.clear();
    if (best == current)
      return false;
    gathered[size_t(current)] -= work;
    gathered[size_t(best)] += work;
    labelOf[size_t(vertex)] = best;
    return true;
  }

  const Level &level;
  std::vector<int32_t> &labelOf;
  int64_t cap;
  Votes votes;
  std::vector<int64_t> gathered;
};

/// Numbers the labels in use by their first vertex; returns how many.
int64_t compact(std::vector<int32_t> &labelOf) {
  std::vector<int32_t> number(labelOf.size(), -1);
  int32_t count = 0;
  for (int32_t &label : labelOf) {
    int32_t &known = number[size_t(label)];
    if (known < 0)
      known = count++;
    label = known;
  }
  return count;
}

/// The vertices of each label, ascending.
IndexLists membersOf(const std::vector<int32_t> &labelOf, int64_t labels) {
  IndexLists members;
  members.begin.assign(size_t(labels) + 1, 0);
  for (int32_t label : labelOf)
    ++members.begin[size_t(label) + 1];
  std::partial_sum(members.begin.begin(), members.begin.end(),
                   members.begin.begin());
  members.index.resize(labelOf.size());
  std::vector<int64_t> next(members.begin.begin(), members.begin.end() - 1);
  for (size_t v = 0; v < labelOf.size(); ++v)
    members.index[size_t(next[size_t(labelOf[v])]++)] = int32_t(v);
  return members;
}

/// Labels become vertices; edges between the same two add up.
Level contract(const Level &fine, const std::vector<int32_t> &labelOf,
               int64_t labels) {
  Level coarse;
  coarse.work.assign(size_t(labels), 0);
  IndexLists members = membersOf(labelOf, labels);
  Votes edges(labels);
  for (int64_t label = 0; label < labels; ++label) {
    for (int32_t vertex : members[label]) {
      coarse.work[size_t(label)] += fine.work[size_t(vertex)];
      edges.count(fine, vertex, labelOf);
    }
    for (int32_t other : edges.seen())
      if (other != label) {
        coarse.own.index.push_back(other);
        coarse.weight.push_back(edges.of(other));
      }
    coarse.own.begin.push_back(int64_t(coarse.own.index.size()));
    edges.clear();
  }
  return coarse;
}

/// One label for all vertices with the same neighbours (themselves included
/// where edges join alike): rows of one hidden block, unknowns of one mesh
/// point. By a hash; a collision would cost speed only.
std::vector<int32_t> labelTwins(const Adjacency &graph) {
  std::vector<std::pair<uint64_t, int32_t>> hashes;
  for (int64_t v = 0; v < graph.vertices(); ++v) {
    uint64_t hash = graph.bipartite ? 0 : mix(uint64_t(v));
    for (int32_t neighbor : graph.neighbors[v])
      hash += mix(uint64_t(neighbor));
    hashes.push_back({hash, int32_t(v)});
  }
  std::sort(hashes.begin(), hashes.end());
  std::vector<int32_t> labelOf(hashes.size());
  for (size_t i = 0, first = 0; i < hashes.size(); ++i) {
    if (hashes[i].first != hashes[first].first)
      first = i;
    labelOf[size_t(hashes[i].second)] = hashes[first].second;
  }
  return labelOf;
}

/// The labels of each level, the finest first.
std::vector<std::vector<int32_t>> labelLevels(const Level &finest,
                                              int64_t total) {
  std::vector<std::vector<int32_t>> levels;
  Level coarse;
  const Level *level = &finest;
  int64_t cap = total / (rules::kLabelRuns * rules::kFirstLabel);
  for (; level->vertices() > 1; cap *= 2) {
    std::vector<int32_t> labelOf(size_t(level->vertices()));
    std::iota(labelOf.begin(), labelOf.end(), 0);
    // Nothing could move under less than twice the mean.
    cap = std::max({cap, 2 * total / level->vertices(), int64_t(1)});
    Propagation(*level, labelOf, level->vertices(), cap)
        .run(rules::kLabelPasses);
    int64_t count = compact(labelOf);
    if (count < level->vertices()) {
      coarse = contract(*level, labelOf, count);
      level = &coarse;
      levels.push_back(std::move(labelOf));
    }
    if (cap >= total)
      break;
  }
  return levels;
}

/// The members of the labels in their order.
std::vector<int32_t> expand(const std::vector<int32_t> &labelOf,
                            const std::vector<int32_t> &labels) {
  IndexLists members = membersOf(labelOf, int64_t(labels.size()));
  std::vector<int32_t> order;
  order.reserve(labelOf.size());
  for (int32_t label : labels)
    order.insert(order.end(), members[label].begin(), members[label].end());
  return order;
}

/// The tree of labels read from left to right.
std::vector<int32_t> readTree(const std::vector<std::vector<int32_t>> &levels,
                              int64_t vertices) {
  int64_t top = vertices;
  if (!levels.empty())
    top = 1 + *std::max_element(levels.back().begin(), levels.back().end());
  std::vector<int32_t> order(static_cast<size_t>(top));
  std::iota(order.begin(), order.end(), 0);
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    order = expand(*level, order);
  return order;
}

/// Cuts the order into equal runs, lets vertices move between them, and puts
/// each run's together again, in the order that they had.
std::vector<int32_t> refineRuns(const Level &level, int64_t total,
                                const std::vector<int32_t> &order) {
  if (level.vertices() < 4 * rules::kLabelRuns)
    return order;
  std::vector<int32_t> runOf(order.size());
  int64_t before = 0;
  for (int32_t vertex : order) {
    int64_t middle = before + level.work[size_t(vertex)] / 2;
    runOf[size_t(vertex)] = int32_t(std::min<int64_t>(
        rules::kLabelRuns - 1, int64_t(__int128(middle) * rules::kLabelRuns /
                                       std::max<int64_t>(total, 1))));
    before += level.work[size_t(vertex)];
  }
  int64_t mean = total / rules::kLabelRuns;
  Propagation(level, runOf, rules::kLabelRuns, mean + mean / rules::kRunSlack)
      .run(rules::kRunPasses);
  std::vector<int64_t> next(rules::kLabelRuns + 1, 0);
  for (int32_t run : runOf)
    ++next[size_t(run) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<int32_t> refined(order.size());
  for (int32_t vertex : order)
    refined[size_t(next[size_t(runOf[size_t(vertex)])]++)] = vertex;
  return refined;
}

} // namespace

std::vector<int32_t> numberByLabels(const Adjacency &graph) {
  Level finest;
  finest.borrowed = &graph.neighbors;
  finest.work = graph.work;
  int64_t total =
      std::accumulate(graph.work.begin(), graph.work.end(), int64_t(0));
  std::vector<int32_t> twins = labelTwins(graph);
  int64_t count = compact(twins);
  if (count < graph.vertices())
    finest = contract(finest, twins, count);
  std::vector<int32_t> order = readTree(labelLevels(finest, total), count);
  return expand(twins, refineRuns(finest, total, order));
}

} // namespace astfe::core
