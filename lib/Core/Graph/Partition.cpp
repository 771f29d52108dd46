//===- Partition.cpp - G(0), the uniform grid -----------------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Target/Constants.h"
#include "Graph/Leaves.h"
#include <algorithm>

using namespace astfe::core;

Graph astfe::core::wholeGraph(const Space &space, int64_t nonzeros) {
  Graph graph;
  graph.space = space;
  if (nonzeros != 0) {
    graph.part = {0};
    graph.length = {0};
    graph.prefix = {0};
    graph.nonzeros = {nonzeros};
  }
  graph.ungroup();
  return graph;
}

/// counts[r]: the non-empty blocks of the grid after r rounds. Neighbouring
/// bins are in different blocks from the length on at which they differ, so one
/// pass over the bins counts the grids of all rounds.
static std::vector<int64_t> countBlocks(const Profile &profile,
                                        ArrayRef<Order> orders) {
  size_t rounds = 1;
  for (const Order &order : orders)
    rounds = std::max(rounds, order.rounds().size());
  std::vector<int64_t> counts(rounds, 0);
  for (size_t i = 0; i < profile.size(); ++i) {
    size_t from = 0;
    if (i > 0 && profile.part[i - 1] == profile.part[i]) {
      ArrayRef<uint8_t> ends = orders[profile.part[i]].rounds();
      unsigned common = commonBits(profile.bin(i - 1), profile.bin(i));
      from = size_t(std::upper_bound(ends.begin(), ends.end(), common) -
                    ends.begin());
    }
    ++counts[from];
  }
  for (size_t r = 1; r < rounds; ++r)
    counts[r] += counts[r - 1];
  return counts;
}

/// The first round with a mean of at most `leaf`, or else the first that splits
/// as far as the profile knows.
static size_t chooseRound(ArrayRef<int64_t> counts, int64_t total,
                          int64_t leaf) {
  size_t round = 0;
  while (counts[round] < counts.back() &&
         __int128(counts[round]) * leaf < __int128(total))
    ++round;
  return round;
}

static Prefix truncate(Prefix prefix, unsigned length) {
  if (prefix.length <= length)
    return prefix;
  uint64_t kept = length == 0 ? 0 : ~uint64_t(0) << (64 - length);
  return {prefix.bits & kept, uint8_t(length)};
}

static void addBlock(Graph &graph, uint32_t part, Prefix prefix,
                     int64_t nonzeros) {
  if (graph.size() > 0 && graph.part.back() == part &&
      graph.block(graph.size() - 1) == prefix) {
    graph.nonzeros.back() += nonzeros;
    return;
  }
  graph.part.push_back(part);
  graph.length.push_back(prefix.length);
  graph.prefix.push_back(prefix.bits);
  graph.nonzeros.push_back(nonzeros);
}

Result<Graph> astfe::core::partition(const Profile &profile,
                                     const PartitionOptions &options) {
  if (options.leaf < 0)
    return Error{"expected a leaf from 0 but got " +
                 std::to_string(options.leaf)};
  if (options.workers < 1)
    return Error{"expected at least 1 worker but got " +
                 std::to_string(options.workers)};
  std::vector<Order> orders;
  for (const Part &part : profile.space.parts)
    orders.push_back(part.order());
  int64_t total = profile.totalNonzeros();
  __int128 shares = __int128(options.workers) * rules::kLeavesOfWorker;
  int64_t leaf = options.leaf;
  if (leaf == 0)
    leaf = int64_t(std::max<__int128>(1, __int128(total) / shares));

  size_t round = chooseRound(countBlocks(profile, orders), total, leaf);
  Graph graph;
  graph.space = profile.space;
  for (size_t i = 0; i < profile.size(); ++i) {
    ArrayRef<uint8_t> ends = orders[profile.part[i]].rounds();
    unsigned length = ends[std::min(round, ends.size() - 1)];
    addBlock(graph, profile.part[i], truncate(profile.bin(i), length),
             profile.nonzeros[i]);
  }
  graph.ungroup();
  return graph;
}
