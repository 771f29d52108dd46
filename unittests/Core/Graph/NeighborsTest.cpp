//===- NeighborsTest.cpp - face neighbours against brute force ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Neighbors.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "Samples.h"
#include <algorithm>

using namespace astfe::core;

namespace {

TrafficModel modelOf(int64_t columns) {
  TrafficModel model;
  model.columns = columns;
  return model;
}

int64_t upperOf(const Graph &graph, const Box &box, unsigned k) {
  return std::min(box.lower[k] + (int64_t(1) << box.log2[k]),
                  graph.space.shape[k]);
}

/// All pairs, each axis, by definition.
std::vector<Edge> bruteForce(const Graph &graph, const TrafficModel &model) {
  std::vector<Edge> edges;
  unsigned rank = graph.space.rank();
  std::vector<Box> boxes;
  for (size_t i = 0; i < graph.size(); ++i)
    boxes.push_back(graph.box(i));
  for (size_t i = 0; i < graph.size(); ++i)
    for (size_t j = i + 1; j < graph.size(); ++j) {
      const Box &a = boxes[i], &b = boxes[j];
      unsigned normal = rank, overlaps = 0;
      int64_t bytes = 0;
      for (unsigned k = 0; k < rank; ++k) {
        int64_t lower = std::max(a.lower[k], b.lower[k]);
        int64_t upper = std::min(upperOf(graph, a, k), upperOf(graph, b, k));
        if (lower == upper)
          normal = k;
        if (lower >= upper)
          continue;
        ++overlaps;
        auto touched = [&](const Box &box, size_t block) {
          int64_t side = upperOf(graph, box, k) - box.lower[k];
          return cardenas(side, graph.nonzeros[block]) / double(side);
        };
        double rows = double(upper - lower) * touched(a, i) * touched(b, j);
        bytes += int64_t(rows + 0.5) * (k == 0 ? 2 : 1) * model.columns *
                 model.elementBytes;
      }
      if (overlaps == rank - 1 && normal < rank)
        edges.push_back({int64_t(i), int64_t(j), uint8_t(normal), bytes});
    }
  return edges;
}

} // namespace

TEST(Neighbors, AreThoseOfBruteForce) {
  size_t found = 0;
  forAllSamples([&](const Sample &sample, OrderKind kind) {
    Profile profile = sample.profile(kind, 4);
    RefineOptions options;
    options.min = 4;
    for (int64_t leaf : {8, 100}) {
      Graph graph = *refine(*partition(profile, {leaf, 1}), profile, options);
      std::vector<Edge> edges = faceNeighbors(graph, modelOf(3));
      std::vector<Edge> expected = bruteForce(graph, modelOf(3));
      EXPECT_EQ(edges, expected);
      if (sample.shape.size() == 2 && graph.size() >= 3) {
        EXPECT_LE(edges.size(), 3 * graph.size() - 6);
      }
      found += edges.size();
    }
  });
  EXPECT_GT(found, 1000u);
}

TEST(Neighbors, WorkedExample) {
  // Four quarters of a 4x4 space, all full: each edge shares two full rows.
  Profile profile = quarters(0, 1000);
  Graph graph = *partition(profile, {1, 1});
  std::vector<Edge> edges = faceNeighbors(graph, modelOf(1));
  // Along the reduction axis 1: 2 output rows, read and written; along axis 0:
  // 2 input rows. The quarters that meet in a corner are no neighbours.
  std::vector<Edge> expected{
      {0, 1, 1, 16}, {0, 2, 0, 8}, {1, 3, 0, 8}, {2, 3, 1, 16}};
  EXPECT_EQ(edges, expected);
}

TEST(Neighbors, CrossFromPartToPart) {
  Graph graph;
  graph.space.shape = {5, 8};
  graph.space.parts = {{{0, 0}, {1, 8}, OrderKind::Rows},
                       {{1, 0}, {4, 8}, OrderKind::Hilbert}};
  graph.part = {0, 1, 1};
  graph.length = {0, 2, 2};
  graph.prefix = {0, 0, uint64_t(3) << 62};
  graph.nonzeros = {8, 3, 3};
  graph.ungroup();
  ASSERT_TRUE(graph.check()) << graph.check().message();
  std::vector<Edge> edges = faceNeighbors(graph, modelOf(1));
  std::vector<Edge> expected = bruteForce(graph, modelOf(1));
  EXPECT_EQ(edges, expected);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].from, 0);
  EXPECT_EQ(edges[0].axis, 0);
}

TEST(Neighbors, NoBlocksNoEdges) {
  Graph graph = *partition(allSamples()[0].profile(OrderKind::Hilbert, 4));
  EXPECT_TRUE(faceNeighbors(graph, modelOf(1)).empty());
}

TEST(Neighbors, InRowsTheyAreThoseOfAnyModel) {
  forAllSamples([&](const Sample &sample, OrderKind kind) {
    Graph graph = *partition(sample.profile(kind, 4), {8, 1});
    std::vector<Edge> rows = faceNeighbors(graph, kCountRows);
    EXPECT_TRUE(checkEdges(graph, rows));
    std::vector<Edge> bytes = faceNeighbors(graph, modelOf(3));
    for (Edge &edge : rows)
      edge.bytes *= 3 * modelOf(3).elementBytes;
    EXPECT_EQ(rows, bytes);
  });
}
