//===- Graph.cpp - a partition graph: parts, blocks, groups ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Graph.h"
#include "Graph/Leaves.h"
#include <numeric>

using namespace astfe::core;

Box Graph::box(size_t i) const {
  const Part &owner = space.parts[part[i]];
  Box box = owner.order().box(block(i));
  for (unsigned k = 0; k < box.rank; ++k)
    box.lower[k] += owner.origin[k];
  return box;
}

int64_t Graph::totalNonzeros() const {
  return std::accumulate(nonzeros.begin(), nonzeros.end(), int64_t(0));
}

void Graph::ungroup() {
  groups.resize(size() + 1);
  std::iota(groups.begin(), groups.end(), int64_t(0));
}

/// Block `i` is a prefix that its part's order can have.
static Status checkBlock(const Graph &graph, size_t i,
                         ArrayRef<unsigned> depths) {
  std::string name = "block " + std::to_string(i) + ": expected ";
  if (graph.part[i] >= depths.size())
    return Error{name + "a part below " + std::to_string(depths.size()) +
                 " but got " + std::to_string(graph.part[i])};
  Prefix prefix = graph.block(i);
  if (prefix.length > depths[graph.part[i]])
    return Error{name + "a length of at most " +
                 std::to_string(depths[graph.part[i]]) + " but got " +
                 std::to_string(prefix.length)};
  if (prefix.length < 64 && (prefix.bits << prefix.length) != 0)
    return Error{name + "no bits beyond length " +
                 std::to_string(prefix.length) + " but got some"};
  if (graph.nonzeros[i] < 0)
    return Error{name + "a number of nonzeros from 0 but got " +
                 std::to_string(graph.nonzeros[i])};
  return Success{};
}

static Status checkBlocks(const Graph &graph) {
  size_t count = graph.size();
  if (graph.part.size() != count || graph.length.size() != count ||
      graph.nonzeros.size() != count)
    return Error{"expected as many parts, lengths and nonzeros as prefixes"};
  std::vector<unsigned> depths;
  for (const Part &part : graph.space.parts)
    depths.push_back(part.order().prefixBits());
  int64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    if (Status status = checkBlock(graph, i, depths); !status)
      return status;
    if (i > 0 && (graph.part[i - 1] > graph.part[i] ||
                  (graph.part[i - 1] == graph.part[i] &&
                   graph.block(i - 1).last() >= graph.block(i).first())))
      return Error{"expected blocks in ascending curve order and disjoint but "
                   "got 'b" +
                   graph.block(i).str() + "'"};
    if (__builtin_add_overflow(total, graph.nonzeros[i], &total))
      return Error{"expected fewer than 2^63 nonzeros in all blocks"};
  }
  return Success{};
}

static Status checkGroups(const Graph &graph) {
  ArrayRef<int64_t> groups = graph.groups;
  auto size = int64_t(graph.size());
  if (groups.empty() || groups.front() != 0 || groups.back() != size)
    return Error{"expected groups from 0 to " + std::to_string(size)};
  for (size_t g = 1; g < groups.size(); ++g)
    if (groups[g - 1] >= groups[g])
      return Error{"expected ascending groups but got " +
                   std::to_string(groups[g]) + " after " +
                   std::to_string(groups[g - 1])};
  return Success{};
}

Status Graph::check() const {
  if (Status status = space.check(); !status)
    return status;
  if (Status status = checkBlocks(*this); !status)
    return status;
  if (Status status = checkGroups(*this); !status)
    return status;
  if (limit < 0)
    return Error{"expected a limit from 0 but got " + std::to_string(limit)};
  if (threshold && !(*threshold > 0.5 && *threshold < 1))
    return Error{"expected a threshold between 0.5 and 1 but got " +
                 std::to_string(*threshold)};
  return Success{};
}

bool Graph::operator==(const Graph &other) const {
  return space == other.space && part == other.part && length == other.length &&
         prefix == other.prefix && nonzeros == other.nonzeros &&
         groups == other.groups && limit == other.limit &&
         threshold == other.threshold;
}

Result<std::vector<int64_t>> astfe::core::intensities(const Graph &graph,
                                                      const Profile &profile) {
  if (Status status = checkSameSpace(graph.space, profile.space); !status)
    return status.error();
  std::vector<int64_t> result(graph.size());
  for (const Leaf &leaf : overlay(graph, profile))
    if (leaf.origin >= 0)
      result[size_t(leaf.origin)] = leaf.work;
  return result;
}
