//===- GraphTest.cpp - graphs: soundness, boxes and intensities -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Graph.h"
#include "Samples.h"
#include <numeric>

using namespace astfe::core;

namespace {

constexpr uint64_t kHalf = uint64_t(1) << 63;

/// b00 : 4, b0100 : 2, b11 : 6 on a 16x16 grid, in Morton order.
Graph smallGraph() {
  Graph graph;
  graph.space = *Space::whole({16, 16}, OrderKind::Morton);
  graph.part = {0, 0, 0};
  graph.length = {2, 4, 2};
  graph.prefix = {0, kHalf >> 1, kHalf | kHalf >> 1};
  graph.nonzeros = {4, 2, 6};
  graph.ungroup();
  return graph;
}

Profile
profileOf(const Space &space,
          std::initializer_list<std::pair<const char *, int64_t>> bins) {
  Profile profile;
  profile.space = space;
  for (auto [text, count] : bins) {
    Prefix prefix;
    for (const char *bit = text; *bit; ++bit)
      prefix = prefix.child(*bit == '1');
    profile.part.push_back(0);
    profile.length.push_back(prefix.length);
    profile.prefix.push_back(prefix.bits);
    profile.nonzeros.push_back(count);
  }
  EXPECT_TRUE(profile.check());
  return profile;
}

} // namespace

TEST(Graph, ChecksWhatNeedsNoData) {
  const struct {
    void (*spoil)(Graph &);
    const char *message;
  } cases[] = {
      {[](Graph &g) { g.length.pop_back(); },
       "expected as many parts, lengths and nonzeros as prefixes"},
      {[](Graph &g) { g.part[2] = 1; },
       "block 2: expected a part below 1 but got 1"},
      {[](Graph &g) { g.length[1] = 9; },
       "block 1: expected a length of at most 8 but got 9"},
      {[](Graph &g) { g.prefix[1] |= 1; },
       "block 1: expected no bits beyond length 4 but got some"},
      {[](Graph &g) { g.nonzeros[0] = -1; },
       "block 0: expected a number of nonzeros from 0 but got -1"},
      {[](Graph &g) { std::swap(g.prefix[0], g.prefix[2]); },
       "expected blocks in ascending curve order and disjoint but got 'b0100'"},
      {[](Graph &g) { g.length[0] = 1; },
       "expected blocks in ascending curve order and disjoint but got 'b0100'"},
      {[](Graph &g) { g.nonzeros = {INT64_MAX, 1, 0}; },
       "expected fewer than 2^63 nonzeros in all blocks"},
      {[](Graph &g) { g.groups.clear(); }, "expected groups from 0 to 3"},
      {[](Graph &g) { g.groups = {1, 3}; }, "expected groups from 0 to 3"},
      {[](Graph &g) { g.groups = {0, 2}; }, "expected groups from 0 to 3"},
      {[](Graph &g) { g.groups = {0, 2, 2, 3}; },
       "expected ascending groups but got 2 after 2"},
      {[](Graph &g) { g.limit = -1; }, "expected a limit from 0 but got -1"},
      {[](Graph &g) { g.threshold = 1; },
       "expected a threshold between 0.5 and 1 but got 1.000000"},
      {[](Graph &g) { g.space.parts[0].extents[0] = 17; },
       "part 0: expected a box inside mode 0 of extent 16 but got 17 from 0"},
  };
  ASSERT_TRUE(smallGraph().check());
  for (const auto &example : cases) {
    Graph graph = smallGraph();
    example.spoil(graph);
    Status status = graph.check();
    ASSERT_FALSE(status) << example.message;
    EXPECT_EQ(status.message(), example.message);
    EXPECT_FALSE(graph == smallGraph());
  }
  EXPECT_EQ(smallGraph(), smallGraph());
}

TEST(Graph, BoxesStartWhereTheirPartDoes) {
  Graph graph;
  graph.space.shape = {8, 8};
  graph.space.parts = {{{0, 0}, {2, 8}, OrderKind::Rows},
                       {{2, 0}, {6, 8}, OrderKind::Morton}};
  graph.part = {0, 1};
  graph.length = {1, 2};
  graph.prefix = {kHalf, kHalf};
  graph.nonzeros = {1, 1};
  graph.ungroup();
  ASSERT_TRUE(graph.check()) << graph.check().message();
  EXPECT_EQ(graph.box(0).lower[0], 1);
  EXPECT_EQ(graph.box(0).log2[0], 0);
  EXPECT_EQ(graph.box(0).log2[1], 3);
  EXPECT_EQ(graph.box(1).lower[0], 2 + 4);
  EXPECT_EQ(graph.box(1).lower[1], 0);
}

TEST(Graph, IntensitiesAreSumsOfBins) {
  Graph graph = smallGraph();
  Profile profile = profileOf(
      graph.space,
      {{"000", 1}, {"0010", 2}, {"0100", 5}, {"1100", 7}, {"1111", 1}});
  EXPECT_EQ(*intensities(graph, profile), (std::vector<int64_t>{3, 5, 8}));
}

TEST(Graph, CoarseBinsAreSharedByNonzeros) {
  Graph graph = smallGraph();
  // b0 covers blocks 0 and 1 with 4 and 2 nonzeros.
  Profile profile = profileOf(graph.space, {{"0", 13}, {"11", 2}});
  EXPECT_EQ(*intensities(graph, profile), (std::vector<int64_t>{9, 4, 2}));
  profile.nonzeros[0] = INT64_MAX - 2;
  std::vector<int64_t> shares = *intensities(graph, profile);
  EXPECT_EQ(shares[0] + shares[1], INT64_MAX - 2);
  EXPECT_EQ(shares[1], (INT64_MAX - 2) / 3);
}

TEST(Graph, CoarseBinsAreSharedByVolumeWithoutNonzeros) {
  Graph graph = smallGraph();
  graph.nonzeros = {0, 0, 6};
  // b00 is four times b0100.
  Profile profile = profileOf(graph.space, {{"0", 20}, {"11", 2}});
  EXPECT_EQ(*intensities(graph, profile), (std::vector<int64_t>{16, 4, 2}));
  // Two halves of an odd number: the first is rounded up.
  graph.part = {0, 0};
  graph.length = {1, 1};
  graph.prefix = {0, kHalf};
  graph.nonzeros = {0, 0};
  graph.ungroup();
  profile = profileOf(graph.space, {{"", 7}});
  EXPECT_EQ(*intensities(graph, profile), (std::vector<int64_t>{4, 3}));
}

TEST(Graph, IntensitiesOfAnyGridAddUp) {
  forAllSamples([](const Sample &sample, OrderKind kind) {
    // A fine graph seen through coarse profiles and the other way round.
    for (int64_t graphMin : {2, 50})
      for (int64_t profileMin : {2, 50}) {
        Graph graph = *partition(sample.profile(kind, graphMin), {1, 1});
        Profile profile = sample.profile(kind, profileMin);
        std::vector<int64_t> work = *intensities(graph, profile);
        EXPECT_EQ(std::accumulate(work.begin(), work.end(), int64_t(0)),
                  sample.nonzeros());
        if (graphMin == profileMin) {
          EXPECT_EQ(work, graph.nonzeros);
        }
      }
  });
}

TEST(Graph, IntensitiesNeedTheSameSpace) {
  Graph graph = smallGraph();
  Profile profile =
      profileOf(*Space::whole({16, 8}, OrderKind::Morton), {{"0", 1}});
  EXPECT_EQ(intensities(graph, profile).message(),
            "expected a profile of the graph's shape [16, 16] but got [16, 8]");
}
