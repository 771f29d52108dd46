//===- LevelStorageTest.cpp - tensors stored by levels, read again --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Tensor/LevelStorage.h"
#include "ASTFE/Core/Tensor/LevelCursor.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace astfe::core;

namespace {

using Point = std::vector<int64_t>;

/// Distinct coordinates, in no order; values are 1, 2, ...
CooTensor randomTensor(std::vector<int64_t> shape, int64_t nonzeros,
                       unsigned seed) {
  std::mt19937 random(seed);
  std::map<Point, unsigned> points;
  for (int64_t n = 0; n < nonzeros; ++n) {
    Point point;
    for (int64_t extent : shape)
      point.push_back(int64_t(random() % unsigned(extent)));
    points[point] = random();
  }
  std::map<unsigned, Point> shuffled;
  for (auto &[point, key] : points)
    shuffled[key] = point;
  CooTensor tensor;
  tensor.shape = shape;
  tensor.coordinates.resize(shape.size());
  for (auto &[key, point] : shuffled) {
    for (size_t k = 0; k < point.size(); ++k)
      tensor.coordinates[k].push_back(point[k]);
    tensor.values.push_back(double(tensor.values.size() + 1));
  }
  return tensor;
}

std::map<Point, double> listed(const CooTensor &tensor) {
  std::map<Point, double> result;
  for (size_t n = 0; n < tensor.values.size(); ++n) {
    Point point;
    for (const auto &mode : tensor.coordinates)
      point.push_back(mode[n]);
    result[point] = tensor.values[n];
  }
  return result;
}

LevelView viewOf(const CooTensor &tensor, const LevelStorage &storage,
                 ArrayRef<StorageLevel> levels) {
  auto array = [](const std::vector<int64_t> &entries) {
    return LevelArray(entries.data(), int64_t(entries.size()));
  };
  LevelView view;
  view.shape = tensor.shape;
  for (size_t l = 0; l < levels.size(); ++l) {
    TensorLevel level;
    level.kind = levels[l].kind;
    level.mode = levels[l].mode;
    level.size = levels[l].extentOf(tensor.shape[level.mode]);
    level.scale = levels[l].scale;
    level.positions = array(storage.positions[l]);
    level.coordinates = array(storage.coordinates[l]);
    level.unique = levels[l].unique;
    view.levels.push_back(level);
  }
  return view;
}

/// Stores, reads through the cursor, and compares with the list.
void expectStored(const CooTensor &tensor, ArrayRef<StorageLevel> levels) {
  Result<LevelStorage> storage = storeByLevels(tensor, levels);
  ASSERT_TRUE(storage) << storage.message();
  LevelView view = viewOf(tensor, *storage, levels);
  Status sound = view.check();
  ASSERT_TRUE(sound) << sound.message();
  ASSERT_EQ(view.entries(), int64_t(storage->nonzeros.size()));
  std::map<Point, double> found;
  for (LevelCursor cursor(view, 0, view.entries()); cursor.next();)
    for (int64_t i = 0; i < cursor.size(); ++i) {
      Point point;
      for (const int64_t *mode : cursor.coordinates())
        point.push_back(mode[i]);
      int64_t n = storage->nonzeros[size_t(cursor.numbers()[i])];
      if (n >= 0)
        found[point] = tensor.values[size_t(n)];
    }
  EXPECT_EQ(found, listed(tensor));
}

constexpr LevelKind D = LevelKind::Dense, C = LevelKind::Compressed,
                    L = LevelKind::Loose, S = LevelKind::Singleton;

TEST(LevelStorage, EveryFormatOfAMatrixHoldsItsNonzeros) {
  const std::vector<std::vector<StorageLevel>> formats = {
      {{D, 0}, {C, 1}},                   // CSR
      {{D, 1}, {C, 0}},                   // CSC
      {{C, 0}, {C, 1}},                   // DCSR
      {{C, 1}, {C, 0}},                   // DCSC
      {{C, 0, /*unique=*/false}, {S, 1}}, // COO
      {{C, 1, /*unique=*/false}, {S, 0}}, // COO by columns
      {{D, 0}, {D, 1}},
      {{C, 0}, {D, 1}},
      {{D, 0}, {L, 1}},
  };
  for (unsigned seed = 0; seed < 8; ++seed)
    for (int64_t nonzeros : {0, 1, 20, 200})
      for (const auto &levels : formats)
        expectStored(randomTensor({7, 13}, nonzeros, seed), levels);
}

TEST(LevelStorage, TensorsOfHigherRanks) {
  const CooTensor tensor = randomTensor({5, 3, 9}, 60, 7);
  expectStored(tensor, {{C, 0}, {C, 1}, {C, 2}});
  expectStored(tensor, {{C, 2}, {D, 0}, {C, 1}});
  expectStored(tensor, {{C, 0, false}, {S, 1, false}, {S, 2}});
}

TEST(LevelStorage, TheArraysOfTheHeadersExample) {
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  Result<LevelStorage> dcsr = storeByLevels(tensor, {{C, 0}, {C, 1}});
  ASSERT_TRUE(dcsr);
  EXPECT_EQ(dcsr->positions[0], (Point{0, 2}));
  EXPECT_EQ(dcsr->coordinates[0], (Point{0, 2}));
  EXPECT_EQ(dcsr->positions[1], (Point{0, 2, 3}));
  EXPECT_EQ(dcsr->coordinates[1], (Point{1, 3, 0}));
  EXPECT_EQ(dcsr->nonzeros, (Point{0, 1, 2}));
  Result<LevelStorage> loose = storeByLevels(tensor, {{D, 0}, {L, 1}});
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->positions[1], (Point{0, 2, 2, 2, 2, 3}));
}

TEST(LevelStorage, BlocksAreLevels) {
  for (const auto &levels : std::vector<std::vector<StorageLevel>>{
           {{D, 0, true, 2},
            {C, 1, true, 3},
            {D, 0, true, 1, 2},
            {D, 1, true, 1, 3}},
           {{D, 1, true, 3},
            {C, 0, true, 2},
            {D, 1, true, 1, 3},
            {D, 0, true, 1, 2}},
           {{C, 0, true, 2},
            {C, 1, true, 3},
            {C, 0, true, 1, 2},
            {C, 1, true, 1, 3}},
           {{D, 0, true, 4}, {C, 1}, {D, 0, true, 2, 2}, {D, 0, true, 1, 2}}})
    for (int64_t nonzeros : {0, 1, 30, 150})
      expectStored(randomTensor({8, 12}, nonzeros, 3), levels);
  CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  Result<LevelStorage> blocks = storeByLevels(
      tensor,
      std::vector<StorageLevel>{{D, 0}, {C, 1, true, 2}, {D, 1, true, 1, 2}});
  ASSERT_TRUE(blocks) << blocks.message();
  EXPECT_EQ(blocks->positions[1], (Point{0, 2, 2, 3}));
  EXPECT_EQ(blocks->coordinates[1], (Point{0, 1, 0}));
  EXPECT_EQ(blocks->nonzeros, (Point{-1, 0, -1, 1, 2, -1}));
  // Zeros beside the nonzeros are entries, too.
  const std::vector<Point> points = {{0, 0}, {0, 1}, {0, 2},
                                     {0, 3}, {2, 0}, {2, 1}};
  for (size_t n = 0; n < points.size(); ++n)
    EXPECT_EQ(coordinatesOf(int64_t(n), *blocks,
                            std::vector<StorageLevel>{
                                {D, 0}, {C, 1, true, 2}, {D, 1, true, 1, 2}},
                            tensor.shape),
              points[n]);
}

TEST(LevelStorage, EntriesHaveTheirNonzerosCoordinates) {
  const CooTensor tensor = randomTensor({8, 12}, 40, 5);
  for (const auto &levels :
       std::vector<std::vector<StorageLevel>>{{{D, 1}, {C, 0}},
                                              {{D, 0}, {L, 1}},
                                              {{C, 0, false}, {S, 1}},
                                              {{C, 1}, {D, 0}},
                                              {{D, 1, true, 3},
                                               {C, 0, true, 2},
                                               {D, 1, true, 1, 3},
                                               {D, 0, true, 1, 2}}}) {
    Result<LevelStorage> storage = storeByLevels(tensor, levels);
    ASSERT_TRUE(storage) << storage.message();
    for (size_t n = 0; n < storage->nonzeros.size(); ++n) {
      const Point point =
          coordinatesOf(int64_t(n), *storage, levels, tensor.shape);
      for (size_t mode = 0; mode < 2 && storage->nonzeros[n] >= 0; ++mode)
        EXPECT_EQ(point[mode],
                  tensor.coordinates[mode][size_t(storage->nonzeros[n])]);
    }
  }
}

TEST(LevelStorage, WhatAFormatCannotHoldIsAnError) {
  const CooTensor tensor{{3, 4}, {{0, 0, 2}, {1, 3, 0}}, {5, 6, 7}};
  auto message = [&](std::vector<StorageLevel> levels) {
    Result<LevelStorage> storage = storeByLevels(tensor, levels);
    return storage ? std::string() : storage.message();
  };
  EXPECT_EQ(message({{C, 0}, {S, 1}}),
            "level 1: expected one nonzero for each position of the level "
            "above but got 2");
  EXPECT_EQ(message({{D, 0}, {LevelKind::NOutOfM, 1}}),
            "level 1: expected a level that a file's nonzeros can fill but got "
            "n:m");
  EXPECT_EQ(message({{D, 0}, {C, 0}}),
            "expected levels that have each coordinate of 2 modes once but got "
            "2 levels that do not");
  EXPECT_EQ(message({{D, 0}}),
            "expected levels that have each coordinate of 2 modes once but got "
            "1 levels that do not");
  // A digit twice, and one that is missing.
  EXPECT_EQ(message({{D, 0}, {C, 1, true, 2}, {D, 1, true, 1, 3}}),
            message({{D, 0}, {C, 1, true, 4}, {D, 1, true, 2, 2}}));
  EXPECT_NE(message({{D, 0}, {C, 1, true, 2}, {D, 1, true, 1, 3}}), "");
  const CooTensor twice{{2, 2}, {{1, 1}, {0, 0}}, {1, 2}};
  Result<LevelStorage> csr =
      storeByLevels(twice, std::vector<StorageLevel>{{D, 0}, {C, 1}});
  ASSERT_FALSE(csr);
  EXPECT_EQ(csr.message(), "expected one nonzero for each entry but got 2");
}

} // namespace
