//===- Samples.h - seeded tensors for the tests of graphs -----------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small tensors of every shape that has ever broken a partitioner: empty, 1x1,
// extents 0 and 1, one dense row, one dense column, duplicates, odd extents and
// one to four modes, each under all four orders.
//
//===----------------------------------------------------------------------===//

#ifndef ASTFE_UNITTESTS_CORE_SAMPLES_H
#define ASTFE_UNITTESTS_CORE_SAMPLES_H

#include "ASTFE/Core/Graph/Partition.h"
#include <gtest/gtest.h>
#include <random>

namespace astfe::core {

/// A tensor that owns its coordinates.
struct Sample {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> coordinates; ///< per mode

  int64_t nonzeros() const { return int64_t(coordinates[0].size()); }
  SparseView view() const {
    std::vector<IndexArray> arrays;
    for (const auto &mode : coordinates)
      arrays.emplace_back(mode.data(), int64_t(mode.size()));
    return SparseView::coo(shape, std::move(arrays));
  }
  Profile profile(OrderKind kind, int64_t min) const {
    Space space = *Space::whole(shape, kind, 3);
    Result<Profile> counted = countProfile(view(), space, {min, 1});
    EXPECT_TRUE(counted) << name;
    return *counted;
  }
};

/// `count` nonzeros, duplicates among them; half of them are in a corner, so
/// that blocks differ.
inline Sample scattered(std::string name, std::vector<int64_t> shape,
                        int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Sample sample{std::move(name), shape, {}};
  sample.coordinates.resize(shape.size());
  for (int64_t n = 0; n < count; ++n)
    for (size_t k = 0; k < shape.size(); ++k) {
      int64_t range = n % 2 ? shape[k] : (shape[k] + 7) / 8;
      sample.coordinates[k].push_back(int64_t(random() % uint64_t(range)));
    }
  return sample;
}

/// The quarters of a 4x4 space from `first` on, in the order of Morton, with so
/// many nonzeros each.
inline Profile quarters(uint64_t first, int64_t nonzeros) {
  Profile profile;
  profile.space = *Space::whole({4, 4}, OrderKind::Morton);
  for (uint64_t i = first; i < 4; ++i) {
    profile.part.push_back(0);
    profile.length.push_back(2);
    profile.prefix.push_back(i << 62);
    profile.nonzeros.push_back(nonzeros);
  }
  return profile;
}

inline std::vector<Sample> allSamples() {
  std::vector<Sample> samples{
      {"empty", {16, 9}, {{}, {}}},
      {"no rows", {0, 5}, {{}, {}}},
      {"one cell", {1, 1}, {{0}, {0}}},
      {"one column wide", {37, 1}, {{}, {}}},
      {"dense row", {33, 200}, {{}, {}}},
      {"dense column", {200, 33}, {{}, {}}},
      scattered("vector", {1000}, 300, 1),
      scattered("odd matrix", {101, 67}, 900, 2),
      scattered("wide matrix", {5, 3000}, 700, 3),
      scattered("cube", {21, 34, 13}, 800, 4),
      scattered("four modes", {9, 1, 17, 6}, 600, 5),
      scattered("beyond 64 bits", {int64_t(1) << 40, int64_t(1) << 40}, 500, 6),
  };
  for (int64_t i = 0; i < 37; i += 2) {
    samples[3].coordinates[0].push_back(i);
    samples[3].coordinates[1].push_back(0);
  }
  for (int64_t i = 0; i < 200; ++i) {
    samples[4].coordinates[0].push_back(i % 5 ? 17 : i % 33);
    samples[4].coordinates[1].push_back(i);
    samples[5].coordinates[0].push_back(i);
    samples[5].coordinates[1].push_back(i % 5 ? 17 : i % 33);
  }
  return samples;
}

constexpr OrderKind kAllOrders[] = {OrderKind::Rows, OrderKind::Morton,
                                    OrderKind::Hilbert, OrderKind::Panels};

/// Calls test(sample, order) for all of them, with a trace for failures.
template <typename Test>
void forAllSamples(Test test) {
  for (const Sample &sample : allSamples())
    for (OrderKind kind : kAllOrders) {
      SCOPED_TRACE(sample.name + ", " + std::string(orderName(kind)));
      test(sample, kind);
    }
}

/// The first `hubs` rows as a part by rows, the others as one by `kind`.
inline Space withHubs(std::vector<int64_t> shape, int64_t hubs,
                      OrderKind kind) {
  Space space;
  space.shape = shape;
  Part first, rest;
  first.origin = rest.origin = std::vector<int64_t>(shape.size(), 0);
  first.extents = rest.extents = shape;
  first.extents[0] = rest.origin[0] = hubs;
  rest.extents[0] -= hubs;
  rest.kind = kind;
  space.parts = {first, rest};
  return space;
}

/// Sound, and every nonzero in exactly one block, by asking each of them.
inline void expectCovers(const Graph &graph, const Sample &sample) {
  Status sound = graph.check();
  ASSERT_TRUE(sound) << sound.message();
  std::vector<int64_t> found(graph.size(), 0);
  std::vector<int64_t> point(sample.shape.size());
  std::vector<Box> boxes;
  for (size_t i = 0; i < graph.size(); ++i)
    boxes.push_back(graph.box(i));
  for (int64_t n = 0; n < sample.nonzeros(); ++n) {
    for (size_t k = 0; k < point.size(); ++k)
      point[k] = sample.coordinates[k][size_t(n)];
    int owners = 0;
    for (size_t i = 0; i < graph.size(); ++i)
      if (boxes[i].contains(point)) {
        ++owners;
        ++found[i];
      }
    ASSERT_EQ(owners, 1);
  }
  EXPECT_EQ(found, graph.nonzeros);
}

} // namespace astfe::core

#endif // ASTFE_UNITTESTS_CORE_SAMPLES_H
