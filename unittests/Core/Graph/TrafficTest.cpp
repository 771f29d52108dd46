//===- TrafficTest.cpp - modelled and counted bytes -----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Traffic.h"
#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "GraphTraffic.h"
#include "Samples.h"
#include <cmath>
#include <map>
#include <set>

using namespace astfe::core;

TEST(Traffic, CardenasIsTheFormula) {
  for (int64_t r : {1, 2, 7, 100, 4096, 1000003})
    for (int64_t k : {0, 1, 2, 3, 50, 999, 65536}) {
      double exact =
          -double(r) * std::expm1(double(k) * std::log1p(-1 / double(r)));
      EXPECT_NEAR(cardenas(r, k), k == 0 ? 0 : exact, 1e-12 * double(r));
    }
  EXPECT_EQ(cardenas(0, 5), 0);
  EXPECT_EQ(cardenas(1, 5), 1);
  // Where 1-1/r is 1 in a double, all draws are distinct.
  EXPECT_NEAR(cardenas(int64_t(1) << 60, 1000), 1000, 1e-9);
}

namespace {

/// Indices of mode k that a group touches, index by index.
int64_t touchedByGroup(const Graph &graph, size_t group, unsigned k) {
  std::vector<double> untouched(size_t(graph.space.shape[k]), 1);
  for (int64_t i = graph.groups[group]; i < graph.groups[group + 1]; ++i) {
    Box box = graph.box(size_t(i));
    int64_t upper = std::min(box.lower[k] + (int64_t(1) << box.log2[k]),
                             graph.space.shape[k]);
    double side = double(upper - box.lower[k]);
    double miss = std::pow(1 - 1 / side, double(graph.nonzeros[size_t(i)]));
    for (int64_t index = box.lower[k]; index < upper; ++index)
      untouched[size_t(index)] *= miss;
  }
  double sum = 0;
  for (double miss : untouched)
    sum += 1 - miss;
  return int64_t(std::ceil(sum * (1 - 1e-9)));
}

} // namespace

TEST(Traffic, ModelIsThatOfTheUnionIndexByIndex) {
  TrafficModel model;
  model.columns = 3;
  forAllSamples([&](const Sample &sample, OrderKind kind) {
    if (sample.name == "beyond 64 bits")
      return;
    Profile profile = sample.profile(kind, 4);
    Graph graph = *partition(profile, {8, 1});
    for (int64_t run : {1, 3, 1000}) {
      graph.groups = {0};
      while (graph.groups.back() < int64_t(graph.size()))
        graph.groups.push_back(
            std::min(graph.groups.back() + run, int64_t(graph.size())));
      Traffic expected;
      for (size_t g = 0; g < graph.groupCount(); ++g) {
        int64_t rows = touchedByGroup(graph, g, 0);
        expected.outputBytes += rows * 2 * 3 * 4;
        expected.indexBytes += rows * 8;
        for (unsigned k = 1; k < graph.space.rank(); ++k)
          expected.inputBytes += touchedByGroup(graph, g, k) * 3 * 4;
      }
      expected.indexBytes += sample.nonzeros() * 4;
      Traffic traffic = modelTraffic(model, graph);
      EXPECT_EQ(traffic.outputBytes, expected.outputBytes);
      EXPECT_EQ(traffic.inputBytes, expected.inputBytes);
      EXPECT_EQ(traffic.indexBytes, expected.indexBytes);
      EXPECT_EQ(traffic.sharedBytes, 0);
      EXPECT_EQ(traffic.total(), expected.total());
    }
  });
}

namespace {

/// A part and a key in it.
using Place = std::pair<uint32_t, uint64_t>;

Place placeOf(const Space &space, std::vector<int64_t> point) {
  uint32_t part = 0;
  while (point[0] >= space.parts[part].origin[0] + space.parts[part].extents[0])
    ++part;
  for (size_t k = 0; k < point.size(); ++k)
    point[k] -= space.parts[part].origin[k];
  return {part, space.parts[part].order().key(point)};
}

/// The group of a nonzero by asking every group; as Graph.h has it for keys
/// that lie in none.
size_t groupOf(const Graph &graph, const Place &place) {
  size_t group = 0;
  for (size_t g = 0; g < graph.groupCount(); ++g) {
    auto first = size_t(graph.groups[g]);
    if (Place(graph.part[first], graph.prefix[first]) <= place)
      group = g;
  }
  return group;
}

Traffic countByForce(const TrafficModel &model, const Sample &sample,
                     const Graph &graph, int64_t workers) {
  std::map<std::pair<Place, int64_t>, std::vector<int64_t>> byKey;
  for (int64_t n = 0; n < sample.nonzeros(); ++n) {
    std::vector<int64_t> point;
    for (const auto &mode : sample.coordinates)
      point.push_back(mode[size_t(n)]);
    byKey[{placeOf(graph.space, point), n}] = point;
  }
  std::vector<std::pair<Place, std::vector<int64_t>>> sorted;
  for (const auto &[key, point] : byKey)
    sorted.emplace_back(key.first, point);
  int64_t total = sample.nonzeros();
  workers = std::min(workers, std::max<int64_t>(total, 1));
  std::set<std::tuple<int64_t, unsigned, int64_t>> touched;
  std::set<std::tuple<int64_t, size_t, int64_t>> segments;
  std::map<int64_t, std::set<int64_t>> workersOf;
  for (int64_t w = 0; w < workers; ++w)
    for (int64_t i = total * w / workers; i < total * (w + 1) / workers; ++i) {
      const auto &[place, point] = sorted[size_t(i)];
      for (unsigned k = 0; k < point.size(); ++k)
        touched.insert({w, k, point[k]});
      segments.insert({w, groupOf(graph, place), point[0]});
      workersOf[point[0]].insert(w);
    }
  int64_t rowBytes = model.columns * model.elementBytes;
  Traffic traffic;
  for (const auto &[worker, mode, index] : touched)
    (mode == 0 ? traffic.outputBytes : traffic.inputBytes) +=
        mode == 0 ? 2 * rowBytes : rowBytes;
  traffic.indexBytes =
      total * model.indexBytes + int64_t(segments.size()) * model.segmentBytes;
  for (const auto &[row, sharers] : workersOf)
    if (sharers.size() > 1)
      traffic.sharedBytes +=
          int64_t(sharers.size()) * model.sharedPenalty * rowBytes;
  return traffic;
}

} // namespace

static void expectCountsOfSets(const Sample &sample, const Graph &graph) {
  TrafficModel model;
  model.columns = 5;
  model.sharedPenalty = 3;
  for (int64_t workers : {1, 2, 7, 5000}) {
    Result<Traffic> counted =
        countTraffic(model, sample.view(), graph, workers);
    ASSERT_TRUE(counted) << counted.message();
    Traffic expected = countByForce(model, sample, graph, workers);
    EXPECT_EQ(counted->inputBytes, expected.inputBytes);
    EXPECT_EQ(counted->outputBytes, expected.outputBytes);
    EXPECT_EQ(counted->indexBytes, expected.indexBytes);
    EXPECT_EQ(counted->sharedBytes, expected.sharedBytes);
  }
}

TEST(Traffic, CountsAreThoseOfSets) {
  forAllSamples([&](const Sample &sample, OrderKind kind) {
    expectCountsOfSets(sample, *partition(sample.profile(kind, 4), {20, 1}));
  });
}

TEST(Traffic, CountsFollowTheParts) {
  Sample sample = scattered("matrix", {50, 70}, 800, 11);
  Space space = withHubs(sample.shape, 3, OrderKind::Hilbert);
  Profile profile = *countProfile(sample.view(), space, {4, 1});
  expectCountsOfSets(sample, *partition(profile, {20, 1}));
}

TEST(Traffic, CountsCompressedMatricesAsCoordinates) {
  // [[0,5,0,6],[0,0,0,0],[7,0,0,0]] as COO, CSR and CSC.
  std::vector<int32_t> rows{0, 0, 2}, columns{1, 3, 0}, positions{0, 2, 2, 3};
  std::vector<int32_t> byColumn{0, 1, 2, 2, 3}, rowsByColumn{2, 0, 0};
  SparseView coo = SparseView::coo(
      {3, 4}, {IndexArray(rows.data(), 3), IndexArray(columns.data(), 3)});
  SparseView csr = SparseView::csr(3, 4, IndexArray(positions.data(), 4),
                                   IndexArray(columns.data(), 3));
  SparseView csc = SparseView::csc(3, 4, IndexArray(byColumn.data(), 5),
                                   IndexArray(rowsByColumn.data(), 3));
  Space space = *Space::whole({3, 4}, OrderKind::Hilbert);
  Graph graph = *partition(*countProfile(coo, space, {1, 1}), {1, 1});
  for (const SparseView &view : {coo, csr, csc}) {
    Traffic traffic = *countTraffic({}, view, graph, 1);
    EXPECT_EQ(traffic.inputBytes, 3 * 4);
    EXPECT_EQ(traffic.outputBytes, 2 * 2 * 4);
    EXPECT_EQ(traffic.sharedBytes, 0);
    EXPECT_EQ(countTraffic({}, view, graph, 3)->total(),
              countTraffic({}, coo, graph, 3)->total());
  }
}

TEST(Traffic, CountsDoNotDependOnThreads) {
  Sample sample = scattered("matrix", {3000, 2000}, 200000, 9);
  Graph graph = *partition(sample.profile(OrderKind::Hilbert, 64));
  Traffic one = *countTraffic({}, sample.view(), graph, 13, 1);
  Traffic many = *countTraffic({}, sample.view(), graph, 13, 5);
  EXPECT_EQ(one.inputBytes, many.inputBytes);
  EXPECT_EQ(one.outputBytes, many.outputBytes);
  EXPECT_EQ(one.indexBytes, many.indexBytes);
  EXPECT_EQ(one.sharedBytes, many.sharedBytes);
}

TEST(Traffic, RefusesSenselessInput) {
  Sample sample = scattered("matrix", {10, 10}, 20, 1);
  Graph graph = *partition(sample.profile(OrderKind::Rows, 4));
  TrafficModel model;
  EXPECT_EQ(countTraffic(model, sample.view(), graph, 0).message(),
            "expected at least 1 worker but got 0");
  model.columns = 0;
  EXPECT_EQ(countTraffic(model, sample.view(), graph, 1).message(),
            "expected columns from 1 but got 0");
  model.columns = 1;
  model.sharedPenalty = -1;
  EXPECT_EQ(countTraffic(model, sample.view(), graph, 1).message(),
            "expected a penalty from 0 but got -1");
  Sample other = scattered("matrix", {10, 11}, 20, 1);
  EXPECT_EQ(countTraffic({}, other.view(), graph, 1).message(),
            "expected a tensor of the graph's shape but got another");
  sample.coordinates[0][3] = 10;
  EXPECT_FALSE(countTraffic({}, sample.view(), graph, 1));
}
