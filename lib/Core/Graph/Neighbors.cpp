//===- Neighbors.cpp - face neighbours of the blocks ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Neighbors.h"
#include "Graph/Leaves.h"
#include "Graph/RunTraffic.h"
#include <algorithm>

using namespace astfe::core;

namespace {

/// The box around a run of blocks that share a prefix; a leaf is one block.
struct Node {
  std::array<int64_t, kMaxRank> lower, upper;
  int64_t first = -1, second = -1; ///< halves, in curve order
  int64_t block = -1;              ///< of a leaf
};

/// Halves pairs of boxes as long as they touch: of all pairs of nodes, only
/// those of similar size with a common face are ever looked at.
class FaceFinder {
public:
  FaceFinder(const Graph &graph, const TrafficModel &model);
  std::vector<Edge> run();

private:
  int64_t build(size_t begin, size_t end);
  int64_t addLeaf(size_t block);
  int64_t addInner(int64_t first, int64_t second);
  bool touch(const Node &a, const Node &b, unsigned &axis) const;
  bool isLarger(const Node &a, const Node &b) const;
  void within(int64_t node);
  void between(int64_t a, int64_t b);
  int64_t sharedBytes(size_t from, size_t to, unsigned axis) const;

  const Graph &graph;
  BoxSides sides;
  unsigned rank;
  int64_t rowBytes;
  std::vector<Run> runs;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

} // namespace

FaceFinder::FaceFinder(const Graph &graph, const TrafficModel &model)
    : graph(graph), sides(graph.space), rank(graph.space.rank()),
      rowBytes(saturatingMultiply(model.columns, model.elementBytes)) {
  runs.reserve(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    runs.push_back(sides.run(graph.part[i], graph.block(i), graph.nonzeros[i]));
  nodes.reserve(graph.size() * 2);
}

int64_t FaceFinder::addLeaf(size_t block) {
  Node node;
  for (unsigned k = 0; k < rank; ++k) {
    node.lower[k] = runs[block].sides[k][0].lower;
    node.upper[k] = runs[block].sides[k][0].upper();
  }
  node.block = int64_t(block);
  nodes.push_back(node);
  return int64_t(nodes.size()) - 1;
}

int64_t FaceFinder::addInner(int64_t first, int64_t second) {
  Node node;
  const Node &a = nodes[size_t(first)], &b = nodes[size_t(second)];
  for (unsigned k = 0; k < rank; ++k) {
    node.lower[k] = std::min(a.lower[k], b.lower[k]);
    node.upper[k] = std::max(a.upper[k], b.upper[k]);
  }
  node.first = first;
  node.second = second;
  nodes.push_back(node);
  return int64_t(nodes.size()) - 1;
}

/// The blocks [begin, end) of one part, halved where their prefixes part.
int64_t FaceFinder::build(size_t begin, size_t end) {
  if (end - begin == 1)
    return addLeaf(begin);
  Prefix first = graph.block(begin);
  unsigned common = commonBits(first, graph.block(end - 1));
  uint64_t kept = common == 0 ? 0 : ~uint64_t(0) << (64 - common);
  uint64_t half = (first.bits & kept) | uint64_t(1) << (63 - common);
  auto base = graph.prefix.begin();
  auto middle = std::lower_bound(base + std::ptrdiff_t(begin),
                                 base + std::ptrdiff_t(end), half);
  auto split = size_t(middle - base);
  int64_t left = build(begin, split);
  return addInner(left, build(split, end));
}

/// Whether a face of positive measure can be common to something in `a` and
/// something in `b`; for two blocks, whether they have one, normal to `axis`.
bool FaceFinder::touch(const Node &a, const Node &b, unsigned &axis) const {
  unsigned faces = 0;
  for (unsigned k = 0; k < rank; ++k) {
    int64_t overlap =
        std::min(a.upper[k], b.upper[k]) - std::max(a.lower[k], b.lower[k]);
    if (overlap < 0)
      return false;
    if (overlap == 0) {
      axis = k;
      if (++faces > 1)
        return false;
    }
  }
  return true;
}

bool FaceFinder::isLarger(const Node &a, const Node &b) const {
  double ratio = 1;
  for (unsigned k = 0; k < rank; ++k)
    ratio *= double(a.upper[k] - a.lower[k]) / double(b.upper[k] - b.lower[k]);
  return ratio > 1;
}

/// What both blocks touch beside the face: input rows once, output rows read
/// and written, as in the traffic model.
int64_t FaceFinder::sharedBytes(size_t from, size_t to, unsigned axis) const {
  int64_t bytes = 0;
  for (unsigned k = 0; k < rank; ++k) {
    if (k == axis)
      continue;
    const Side &a = runs[from].sides[k][0], &b = runs[to].sides[k][0];
    int64_t common =
        std::min(a.upper(), b.upper()) - std::max(a.lower, b.lower);
    double rows = double(common) * a.touched * b.touched;
    int64_t whole = saturatingMultiply(int64_t(rows + 0.5), k == 0 ? 2 : 1);
    bytes = saturatingAdd(bytes, saturatingMultiply(whole, rowBytes));
  }
  return bytes;
}

void FaceFinder::between(int64_t a, int64_t b) {
  const Node &x = nodes[size_t(a)], &y = nodes[size_t(b)];
  unsigned axis = 0;
  if (!touch(x, y, axis))
    return;
  if (x.block >= 0 && y.block >= 0) {
    edges.push_back({x.block, y.block, axis,
                     sharedBytes(size_t(x.block), size_t(y.block), axis)});
    return;
  }
  if (y.block >= 0 || (x.block < 0 && isLarger(x, y))) {
    between(x.first, b);
    between(x.second, b);
  } else {
    between(a, y.first);
    between(a, y.second);
  }
}

void FaceFinder::within(int64_t node) {
  const Node &inner = nodes[size_t(node)];
  if (inner.block >= 0)
    return;
  within(inner.first);
  within(inner.second);
  between(inner.first, inner.second);
}

static bool comesBefore(const Edge &a, const Edge &b) {
  return a.from != b.from ? a.from < b.from : a.to < b.to;
}

std::vector<Edge> FaceFinder::run() {
  std::vector<int64_t> roots;
  for (size_t begin = 0, end = 0; begin < graph.size(); begin = end) {
    while (end < graph.size() && graph.part[end] == graph.part[begin])
      ++end;
    roots.push_back(build(begin, end));
  }
  for (size_t i = 0; i < roots.size(); ++i) {
    within(roots[i]);
    for (size_t j = 0; j < i; ++j)
      between(roots[j], roots[i]);
  }
  std::sort(edges.begin(), edges.end(), comesBefore);
  return std::move(edges);
}

std::vector<Edge> astfe::core::faceNeighbors(const Graph &graph,
                                             const TrafficModel &model) {
  return FaceFinder(graph, model).run();
}

/// "0 -- 2".
static std::string pairText(const Edge &edge) {
  return std::to_string(edge.from) + " -- " + std::to_string(edge.to);
}

/// Edges join two blocks that there are, and ascend.
static Status checkPairs(ArrayRef<Edge> edges, int64_t blocks) {
  for (size_t i = 0; i < edges.size(); ++i) {
    const Edge &edge = edges[i];
    if (edge.from < 0 || edge.from >= edge.to || edge.to >= blocks)
      return Error{"expected an edge of two ascending blocks below " +
                   std::to_string(blocks) + " but got " + pairText(edge)};
    if (i > 0 && !comesBefore(edges[i - 1], edge))
      return Error{"expected ascending edges but got " + pairText(edge) +
                   " after " + pairText(edges[i - 1])};
  }
  return Success{};
}

/// What the face of one pair must be.
static Status checkFace(const Edge &expected, const Edge &edge) {
  if (edge.axis != expected.axis)
    return Error{"edge " + pairText(edge) + ": expected axis " +
                 std::to_string(expected.axis) + " but got " +
                 std::to_string(edge.axis)};
  if (edge.bytes != expected.bytes)
    return Error{"edge " + pairText(edge) + ": expected " +
                 std::to_string(expected.bytes) + " shared rows but got " +
                 std::to_string(edge.bytes)};
  return Success{};
}

Status astfe::core::checkEdges(const Graph &graph, ArrayRef<Edge> edges) {
  if (Status status = checkPairs(edges, int64_t(graph.size())); !status)
    return status;
  std::vector<Edge> derived = faceNeighbors(graph, kCountRows);
  for (size_t i = 0; i < derived.size() || i < edges.size(); ++i) {
    if (i == derived.size() ||
        (i < edges.size() && comesBefore(edges[i], derived[i])))
      return Error{"expected blocks that share a face but got edge " +
                   pairText(edges[i])};
    if (i == edges.size() || comesBefore(derived[i], edges[i]))
      return Error{"expected edge " + pairText(derived[i]) +
                   " but got none between these blocks"};
    if (Status status = checkFace(derived[i], edges[i]); !status)
      return status;
  }
  return Success{};
}
