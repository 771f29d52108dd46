//===- PackForGPUTest.cpp - the cut between a GPU's workers ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Assign.h"
#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Pack/CutForGPU.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "PackOracle.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace astfe::core;

TEST(Pack, SegmentsMayCostBesideTheirSlots) {
  // Eight rows of one nonzero, then one of 16: by slots the first worker gets
  // eight rows and a part of the long one; with 2 a row, as for a GPU with the
  // widest tile, seven rows are 21, and so is the rest.
  CooTensor tensor{{9, 16}, {{}, {}}, {}};
  for (int64_t i = 0; i < 24; ++i) {
    tensor.coordinates[0].push_back(std::min<int64_t>(i, 8));
    tensor.coordinates[1].push_back(i < 8 ? 0 : i - 8);
    tensor.values.push_back(1);
  }
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000);
  PackOptions options;
  options.workers = 2;
  options.layout.classes =
      ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::Scattered);
  EXPECT_EQ(packed(tensor.view(), graph, options).workerOffsets()[1], 12);
  options.layout.target = PackTarget::GPU;
  ASSERT_EQ(segmentCost(options.layout), 2);
  Packed result = packed(tensor.view(), graph, options);
  expectExact(tensor.view(), result);
  EXPECT_EQ(result.workerOffsets()[1], 7);
  options.layout.columnTile = 48;
  EXPECT_EQ(
      pack(tensor.view(), graph, options).message(),
      "expected a column tile that is 0 or a power of two up to 128 but got "
      "48");
}

TEST(Pack, WithOneColumnAGPUsWorkIsInTheSectorsThatItReads) {
  // 64 rows of 16 nonzeros side by side, and 64 with one in each sector of the
  // vector.
  CooTensor tensor;
  tensor.shape = {128, 4096};
  tensor.coordinates.resize(2);
  for (int64_t row = 0; row < 128; ++row)
    for (int64_t i = 0; i < 16; ++i) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(row < 64 ? i : (row * 16 + i) * 8 % 4096);
      tensor.values.push_back(1);
    }
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000000);
  PackOptions options;
  options.workers = 2;
  options.layout.classes =
      ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::Scattered);
  EXPECT_EQ(packed(tensor.view(), graph, options).workerOffsets()[1], 1024);
  chooseForGPU(options.layout, 0);
  for (int bits : {16, 32}) {
    options.layout.columnBits = uint8_t(bits);
    Packed result = packed(tensor.view(), graph, options);
    expectExact(tensor.view(), result);
    EXPECT_GT(result.workerOffsets()[1], 1100);
    EXPECT_LT(result.workerOffsets()[1], 1600);
  }
}

TEST(Pack, AGPUsBlocksHaveEqualWorkWhereRowsDiffer) {
  // Rows of 4 to 12 nonzeros, each in a sector of its own: a slot costs about
  // as much wherever it is, but rows that are taken together begin with the
  // worker.
  CooTensor tensor;
  tensor.shape = {4000, 1 << 20};
  tensor.coordinates.resize(2);
  for (int64_t row = 0; row < 4000; ++row)
    for (int64_t i = 0; i < 4 + row * 7 % 9; ++i) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(row * 128 + i * 8);
      tensor.values.push_back(1);
    }
  Graph graph = graphOf(tensor.view(), OrderKind::Rows, 1000000);
  PackOptions options;
  options.workers = 200;
  options.layout.classes =
      ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::Scattered);
  chooseForGPU(options.layout, 0);
  Packed result = packed(tensor.view(), graph, options);
  expectExact(tensor.view(), result);
  std::vector<int64_t> blocks, offsets = result.workerOffsets();
  for (size_t w = 0; w < offsets.size(); w += size_t(kGPUBlockWarps))
    blocks.push_back(offsets[w]);
  EXPECT_LT(imbalance(blocks), 1.03);
}

TEST(Pack, AGPUsWorkersTakeEachSlotOnceHoweverFewThereAre) {
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (int64_t workers : {2, 7, 33, 200}) {
      const auto extent = int64_t(4 + seed * 5);
      CooTensor tensor =
          mixedMatrix(extent, extent, int64_t(1 + seed * 37), unsigned(seed));
      Graph graph = graphOf(tensor.view(), OrderKind::Rows, 64);
      PackOptions options;
      options.workers = workers;
      options.layout.classes =
          ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::Scattered);
      chooseForGPU(options.layout, 0);
      options.workers = workers;
      Packed result = packed(tensor.view(), graph, options);
      expectExact(tensor.view(), result);
      std::vector<int64_t> offsets = result.workerOffsets();
      EXPECT_TRUE(std::is_sorted(offsets.begin(), offsets.end()));
      EXPECT_EQ(offsets.back(), result.slots);
    }
}

/// 1024 rows of 32 nonzeros, and how many of them several workers of a GPU
/// share.
static size_t sharedRows(int64_t workers, int64_t columnTile) {
  constexpr int32_t kRows = 1024, kEach = 32;
  std::vector<int32_t> positions{0}, coordinates;
  for (int32_t row = 0; row < kRows; ++row) {
    for (int32_t i = 0; i < kEach; ++i)
      coordinates.push_back((row * 7 + i * 31) % 1024);
    std::sort(coordinates.end() - kEach, coordinates.end());
    positions.push_back(int32_t(coordinates.size()));
  }
  const SparseView view = SparseView::csr(
      kRows, 1024, IndexArray(positions.data(), int64_t(positions.size())),
      IndexArray(coordinates.data(), int64_t(coordinates.size())));
  PlanOptions plan;
  plan.order = OrderKind::Rows;
  PackOptions options;
  chooseForGPU(options.layout, columnTile);
  options.workers = workers;
  auto graph = makePlan(view, plan);
  EXPECT_TRUE(bool(graph));
  auto packed = pack(view, graph->fused, options);
  EXPECT_TRUE(bool(packed));
  return packed->combineRow.size();
}

TEST(Pack, AGPUSharesNoRowsThatFitItsWarps) {
  for (int64_t tile : {32, 128}) {
    EXPECT_EQ(sharedRows(512, tile), 0u);
    // Equal shares would be 0.9 and 0.8 of a row.
    EXPECT_EQ(sharedRows(1144, tile), 0u);
    EXPECT_EQ(sharedRows(1280, tile), 0u);
  }
  for (int64_t tile : {32, 128}) {
    // A row is as long as two warps' shares, and as four.
    EXPECT_EQ(sharedRows(2048, tile), 0u);
    EXPECT_EQ(sharedRows(4096, tile), 1024u);
  }
}

TEST(Pack, AGPUHasFewerWorkersWhereThereIsLittleWork) {
  EXPECT_EQ(gpuWorkers(4224, 100000000), 4224);
  EXPECT_EQ(gpuWorkers(4224, 8000), 1000);
  EXPECT_EQ(gpuWorkers(4224, 5), 1);
  EXPECT_EQ(gpuWorkers(4224, 3 * 8), 3);
  // No block is filled in part.
  EXPECT_EQ(gpuWorkers(4224, 82 * 8), 80);
  // A graph of 10556 nonzeros fills more than the 132 multiprocessors of an
  // H200 with blocks of 4 warps.
  EXPECT_GE(gpuWorkers(4224, 10556), 132 * kGPUBlockWarps);
}

/// Coordinates are not read.
static SparseView squareOf(int64_t rows, int64_t nonzeros) {
  static const int64_t none = 0;
  const IndexArray array(&none, nonzeros);
  return SparseView::coo({rows, rows}, {array, array});
}

TEST(Pack, WarpsGoOverRowsAgainWhereTheOperandsOutgrowL2) {
  auto workers = [](int64_t rows, int64_t nonzeros, int64_t columnTile,
                    int64_t tiles = 1) {
    PackOptions options;
    chooseForGPU(options.layout, columnTile);
    GPUUse use;
    use.columnTiles = tiles;
    cutForGPU(options, use, squareOf(rows, nonzeros));
    return options.workers;
  };
  // The example of the header; each fourth of the warps has a tile of four.
  EXPECT_EQ(workers(200000, 1000000, 128), 8 * 4224);
  EXPECT_EQ(workers(200000, 1000000, 128, 4), 32 * 1056);
  EXPECT_EQ(workers(200000, 1000000, 32), 2 * 4224);
  EXPECT_EQ(workers(25600, 1000000, 128), 4224);
  EXPECT_EQ(workers(25601, 1000000, 128), 2 * 4224);
  // Rows that are not read, and nonzeros that are too few.
  EXPECT_EQ(workers(int64_t(1) << 31, 40000, 32), 4224);
  EXPECT_EQ(workers(int64_t(1) << 31, 25600, 128), 25600 / 8);
}

TEST(Pack, EachTileOfColumnsHasAPartOfAGPUsWarps) {
  auto workers = [](int64_t columnTile, int64_t tiles, int64_t set = 0) {
    PackOptions options;
    chooseForGPU(options.layout, columnTile);
    GPUUse use;
    use.columnTiles = tiles;
    use.workers = set;
    cutForGPU(options, use, squareOf(10, 100000000));
    EXPECT_EQ(options.multiprocessors, 132);
    return options.workers;
  };
  // The example of the header.
  EXPECT_EQ(workers(128, 4), 1056);
  EXPECT_EQ(workers(128, 1), 4224);
  // Eight tiles are two passes over four.
  EXPECT_EQ(workers(128, 8), 1056);
  // Five do not divide the multiprocessors: each has all of them.
  EXPECT_EQ(workers(128, 5), 4224);
  // Narrow tiles are all worked on at the same time.
  EXPECT_EQ(workers(32, 5), 844);
  EXPECT_EQ(workers(32, 10000), 1);
  // What someone set stays.
  EXPECT_EQ(workers(128, 4, 1000), 1000);
}

TEST(Pack, RowsThatAreNoMoreThanWarpsHaveAWorkerEach) {
  auto workers = [](int64_t rows, int64_t each, int64_t columnTile = 128,
                    int64_t longest = 0, bool samples = false) {
    std::vector<int64_t> positions{0};
    for (int64_t row = 0; row < rows; ++row)
      positions.push_back(positions.back() + (row ? each : each + longest));
    const std::vector<int64_t> coordinates(size_t(positions.back()), 0);
    PackOptions options;
    chooseForGPU(options.layout, columnTile);
    if (samples)
      options.layout.classes = classesOfSamples();
    cutForGPU(options, GPUUse(),
              SparseView::csr(
                  rows, 2000, {positions.data(), int64_t(positions.size())},
                  {coordinates.data(), int64_t(coordinates.size())}));
    return options.workers;
  };
  // The example of the header.
  EXPECT_EQ(workers(1500, 64), 1500);
  // More rows than warps; a row that is cut; narrow tiles, which share nothing;
  // samples, which add nothing.
  EXPECT_EQ(workers(4300, 64), 4224);
  EXPECT_EQ(workers(1500, 64, 128, 40), 4224);
  EXPECT_EQ(workers(1500, 64, 32), 4224);
  EXPECT_EQ(workers(1500, 64, 128, 0, true), 4224);
  EXPECT_EQ(workers(0, 64), 1);
}

TEST(Pack, TilesComeOneAfterAnotherWhereL2HasOneButNotAll) {
  // Rows of `each` nonzeros, one of them longer.
  auto together = [](int64_t columns, int64_t tiles, int64_t longest = 10,
                     int64_t columnTile = 128) {
    std::vector<int64_t> positions(5001, 0);
    for (size_t row = 0; row < 5000; ++row)
      positions[row + 1] = positions[row] + (row == 9 ? longest : 10);
    const std::vector<int64_t> coordinates(size_t(positions.back()), 0);
    const SparseView view = SparseView::csr(
        5000, columns, {positions.data(), int64_t(positions.size())},
        {coordinates.data(), int64_t(coordinates.size())});
    PackOptions options;
    chooseForGPU(options.layout, columnTile);
    GPUUse use;
    use.columnTiles = tiles;
    cutForGPU(options, use, view);
    return options.tilesTogether;
  };
  // 60,000 rows of B take 31 MB of half of L2's 26 in a tile.
  EXPECT_EQ(together(60000, 4), 1);
  EXPECT_EQ(together(20000, 4), 2);
  // L2 has all of them, or not one.
  EXPECT_EQ(together(12000, 4), 0);
  EXPECT_EQ(together(120000, 4), 0);
  EXPECT_EQ(together(60000, 1), 0);
  // A row of more than a warp's share of some 12 nonzeros, which share no rows
  // of B; narrow tiles.
  EXPECT_EQ(together(60000, 4, 50), 0);
  EXPECT_EQ(together(240000, 4, 10, 32), 0);
}

TEST(Pack, TilesOfLongRowsComeInTurnWhereMemoryIsSlowerThanL2) {
  // 20,000 rows of 10 nonzeros, and one of `longest`, in any of `used` columns
  // of 60,000: 31 MB in a tile, of which half of L2 holds 26.
  auto together = [](int64_t used, int64_t longest, int64_t wrong = 0) {
    std::vector<int64_t> positions{0}, coordinates;
    std::mt19937_64 random(5);
    for (size_t row = 0; row < 20001; ++row)
      positions.push_back(positions.back() + (row == 9 ? longest : 10));
    for (int64_t i = 0; i < positions.back(); ++i)
      coordinates.push_back(int64_t(random() % uint64_t(used)) + wrong);
    PackOptions options;
    chooseForGPU(options.layout, 128);
    GPUUse use;
    use.columnTiles = 4;
    cutForGPU(options, use,
              SparseView::csr(
                  20001, 60000, {positions.data(), int64_t(positions.size())},
                  {coordinates.data(), int64_t(coordinates.size())}));
    return options.tilesTogether;
  };
  // Half of L2 has 12,800 rows of B of all columns, and 51,200 of a tile's.
  EXPECT_EQ(together(60000, 500), 1);
  EXPECT_EQ(together(8000, 500), 0);
  EXPECT_EQ(together(8000, 10), 1) << "even rows";
  // pack() says so where coordinates are out of range.
  EXPECT_EQ(together(60000, 500, 60000), 0);
}

/// By how many rows of 300 at most the worker that so many others of each group
/// precede begins beside its equal share: 64 workers for 20 such rows, most of
/// which leave a worker with nothing to do, and 600 of ten nonzeros.
static double rowsFromShare(int64_t multiprocessors, int64_t tiles,
                            int64_t group, int64_t place) {
  std::vector<int64_t> lengths(620, 10);
  std::fill_n(lengths.begin(), 20, 300);
  const CooTensor tensor = rowsOfLengths(lengths, 1024);
  PackOptions options;
  chooseForGPU(options.layout, 128);
  options.workers = 64;
  options.multiprocessors = multiprocessors;
  options.columnTiles = tiles;
  const Packed result = packed(
      tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1000000), options);
  // A row costs two slots more than it has.
  auto costOf = [](int64_t slot) {
    return slot < 6000 ? slot * 302 / 300 : 6040 + (slot - 6000) * 12 / 10;
  };
  const std::vector<int64_t> offsets = result.workerOffsets();
  double most = 0;
  for (int64_t worker = place; worker < 64; worker += group)
    most = std::max(most, std::fabs(double(costOf(offsets[size_t(worker)])) -
                                    13240.0 * double(worker) / 64) /
                              302);
  return most;
}

TEST(Pack, AGPUsMultiprocessorsHaveEqualWorkAsTheGridHasThem) {
  // 16 blocks: a multiprocessor of four has four, one of 32 has one, whatever
  // the tiles.
  EXPECT_LE(rowsFromShare(4, 1, 16, 0), 0.6);
  EXPECT_GE(rowsFromShare(4, 1, 16, 12), 1);
  EXPECT_LE(rowsFromShare(32, 1, 4, 0), 0.6);
  EXPECT_LE(rowsFromShare(32, 4, 4, 0), 0.6);
  // Of eight, each of two tiles has four.
  EXPECT_LE(rowsFromShare(8, 2, 16, 0), 0.6);
  EXPECT_GE(rowsFromShare(8, 2, 16, 12), 1);
}

TEST(Pack, ARowCostsAGPUMoreWithANarrowTile) {
  auto costOf = [](int64_t tile) {
    Layout layout;
    chooseForGPU(layout, tile);
    return segmentCost(layout);
  };
  EXPECT_EQ(segmentCost(Layout()), 0);
  EXPECT_GT(costOf(128), costOf(0));
  // Its own sectors are more nonzeros where these have fewer.
  EXPECT_GT(costOf(32), costOf(128));
}

TEST(Pack, TeamsShareARowOfAViewByItsMeanLength) {
  const int64_t rows = 1 << 20, warps = 4224;
  auto logOf = [&](int64_t mean, int64_t lanes) {
    return teamsOfRow(rows, rows * mean, lanes, warps);
  };
  EXPECT_EQ(logOf(4, 1), 0u);
  EXPECT_EQ(logOf(5, 1), 1u);
  EXPECT_EQ(logOf(16, 1), 2u);
  EXPECT_EQ(logOf(1000, 1), 5u);
  // A warp has four teams of eight lanes.
  EXPECT_EQ(logOf(1000, 8), 2u);
  // A warp for each row, where there are as many.
  EXPECT_EQ(teamsOfRow(warps, warps * 4, 1, warps), 5u);
  EXPECT_EQ(teamsOfRow(warps + 1, (warps + 1) * 4, 1, warps), 1u);
  EXPECT_EQ(teamsOfRow(warps, warps * 4, 2, warps), 4u);
  EXPECT_EQ(teamsOfRow(warps, warps * 4, 8, warps), 0u);
  // Half as many nonzeros for each, while all rows have teams at once.
  EXPECT_EQ(teamsOfRow(warps * 16, warps * 16 * 4, 1, warps), 1u);
  EXPECT_EQ(teamsOfRow(warps * 16 + 1, (warps * 16 + 1) * 4, 1, warps), 0u);
  // Teams of eight lanes read eight nonzeros at a time, and have twice as many
  // of rows that are more than the four teams of all warps.
  EXPECT_EQ(teamsOfRow(warps * 2, warps * 2 * 5, 8, warps), 1u);
  EXPECT_EQ(teamsOfRow(warps * 4, warps * 4 * 8, 8, warps), 0u);
  EXPECT_EQ(teamsOfRow(warps * 4, warps * 4 * 9, 8, warps), 1u);
  EXPECT_EQ(teamsOfRow(warps * 5, warps * 5 * 16, 8, warps), 0u);
  EXPECT_EQ(teamsOfRow(warps * 5, warps * 5 * 17, 8, warps), 1u);
}

namespace {
/// 1000 rows of three nonzeros, and one that is longer.
struct OneLongRow {
  std::vector<int64_t> positions{0}, coordinates;

  explicit OneLongRow(int64_t longest) {
    for (int64_t row = 0; row < 1001; ++row) {
      for (int64_t i = 0; i < (row == 500 ? longest : 3); ++i)
        coordinates.push_back(i);
      positions.push_back(int64_t(coordinates.size()));
    }
  }
  SparseView view() const {
    return SparseView::csr(1001, 4096,
                           {positions.data(), int64_t(positions.size())},
                           {coordinates.data(), int64_t(coordinates.size())});
  }
};
} // namespace

static bool suitsView(int64_t longest, int64_t lanes, int64_t warps) {
  return suitsGPUView(OneLongRow(longest).view(), lanes, warps);
}

TEST(Pack, AViewSuitsAGPUWhereNoWarpHasLongRowsForAsLongAsALaunch) {
  // A lane takes four nonzeros at a time, and a warp 32 lanes of a long row.
  const int64_t most = rules::kPieceRounds * rules::kInFlight * 32;
  EXPECT_TRUE(suitsView(most, 1, /*warps=*/1));
  EXPECT_FALSE(suitsView(most + 1, 1, /*warps=*/1));
  EXPECT_TRUE(suitsView(most, 1, /*warps=*/4224));
  EXPECT_FALSE(suitsView(most + 1, 1, /*warps=*/4224));
  // Two lanes have 8 columns of f32.
  EXPECT_TRUE(suitsView(most / 2, 2, /*warps=*/1));
  EXPECT_FALSE(suitsView(most / 2 + 1, 2, /*warps=*/1));
}

TEST(Pack, AViewDoesNotSuitAGPUWhereAWarpHasManyLongRows) {
  // A warp has all 32 rows of three nonzeros, of which some are longer than
  // four rounds of a lane.
  const int64_t rows = 1 << 12;
  auto suits = [&](int64_t longRows) {
    std::vector<int64_t> positions{0}, coordinates;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t length = row < longRows ? 17 : 3;
      for (int64_t i = 0; i < length; ++i)
        coordinates.push_back(i);
      positions.push_back(int64_t(coordinates.size()));
    }
    return suitsGPUView(
        SparseView::csr(rows, 64, {positions.data(), int64_t(positions.size())},
                        {coordinates.data(), int64_t(coordinates.size())}),
        /*lanes=*/1, /*warps=*/1);
  };
  EXPECT_TRUE(suits(rules::kPieceRounds));
  EXPECT_FALSE(suits(rules::kPieceRounds + 1));
}

TEST(Pack, ARowOfAViewIsLongFromThreePiecesOn) {
  // Eight rounds of four nonzeros of each team, of which a warp has 32 to one.
  EXPECT_EQ(smallestGPUPiece(/*lanes=*/1), 1024);
  EXPECT_EQ(smallestGPUPiece(/*lanes=*/2), 512);
  EXPECT_EQ(smallestGPUPiece(/*lanes=*/32), 32);
  EXPECT_EQ(longGPURow(/*nonzeros=*/3096, 32, /*warps=*/4224), 96);
  EXPECT_EQ(longGPURow(/*nonzeros=*/4536, 2, /*warps=*/4224), 3 * 512);
  // Three times a warp's share of all nonzeros.
  EXPECT_EQ(longGPURow(/*nonzeros=*/4000, 32, /*warps=*/10), 1200);
  EXPECT_EQ(longGPURow(/*nonzeros=*/4001, 32, /*warps=*/10), 1203);
}
