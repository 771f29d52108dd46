//===- Reorder.cpp - from a numbering to permutations ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Reorder/Reorder.h"
#include "Reorder/ReorderKinds.h"
#include <limits>
#include <numeric>

namespace astfe::core {
namespace {

Status checkMatrix(const SparseView &view) {
  if (view.rank() != 2)
    return Error{"expected a matrix to reorder but got a tensor of rank " +
                 std::to_string(view.rank())};
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (view.shape[0] > kMost || view.shape[1] > kMost - view.shape[0])
    return Error{"expected at most 2147483647 rows and columns to reorder but "
                 "got " +
                 std::to_string(view.shape[0]) + " and " +
                 std::to_string(view.shape[1])};
  return Success{};
}

std::vector<int32_t> numberVertices(const Adjacency &graph, ReorderKind kind) {
  if (kind == ReorderKind::Labels)
    return numberByLabels(graph);
  return numberByCuthillMcKee(graph);
}

/// Hubs, then what has work in the order of `vertices`, then the rest.
std::vector<int64_t> permutationOf(const Adjacency &graph, unsigned mode,
                                   ArrayRef<int64_t> hubs,
                                   ArrayRef<int32_t> vertices) {
  int64_t extent = mode == 0 ? graph.rows : graph.columns;
  int64_t first = graph.firstVertex(mode), next = 0;
  std::vector<int64_t> permutation(size_t(extent), -1);
  auto place = [&](int64_t index) {
    int64_t &slot = permutation[size_t(index)];
    if (slot < 0)
      slot = next++;
  };
  for (int64_t hub : hubs)
    place(hub);
  for (bool withWork : {true, false})
    for (int32_t vertex : vertices)
      if (vertex >= first && vertex - first < extent &&
          (graph.work[size_t(vertex)] > 0 ||
           graph.neighbors.length(vertex) > 0) == withWork)
        place(vertex - first);
  return permutation;
}

/// The hubs move to the front, all others keep their order.
std::vector<int64_t> hubsFirst(int64_t extent, ArrayRef<int64_t> hubs) {
  if (hubs.empty())
    return {};
  std::vector<int64_t> permutation(size_t(extent), -1);
  int64_t next = 0;
  for (int64_t hub : hubs)
    permutation[size_t(hub)] = next++;
  for (int64_t &index : permutation)
    if (index < 0)
      index = next++;
  return permutation;
}

} // namespace

NameList reorderNames() {
  static constexpr std::string_view names[] = {
#define ASTFE_REORDER(Name, name) #name,
#include "ASTFE/Core/Reorder/Reorders.def"
  };
  return NameList(names);
}

std::string_view reorderName(ReorderKind kind) {
  return reorderNames()[size_t(kind)];
}

std::optional<ReorderKind> parseReorder(std::string_view name) {
  if (std::optional<size_t> value = reorderNames().find(name))
    return ReorderKind(*value);
  return std::nullopt;
}

Result<std::vector<std::vector<int64_t>>>
reorder(const SparseView &view, ReorderKind kind, const Hubs &hubs) {
  if (Status status = checkMatrix(view); !status)
    return status.error();
  if (kind == ReorderKind::None)
    return std::vector<std::vector<int64_t>>{
        hubsFirst(view.shape[0], hubs.rows),
        hubsFirst(view.shape[1], hubs.columns)};
  if (kind == ReorderKind::Twins)
    return permuteByTwins(view, hubs);
  Adjacency graph = adjacencyOf(view, hubs);
  std::vector<int32_t> vertices = numberVertices(graph, kind);
  return std::vector<std::vector<int64_t>>{
      permutationOf(graph, 0, hubs.rows, vertices),
      permutationOf(graph, 1, hubs.columns, vertices)};
}

} // namespace astfe::core
