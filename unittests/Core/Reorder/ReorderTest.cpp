//===- ReorderTest.cpp - numberings, hubs and the spaces made of them -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Graph/Fuse.h"
#include "ASTFE/Core/Graph/Refine.h"
#include "ASTFE/Core/Reorder/Arrange.h"
#include "Generate.h"
#include "PackOracle.h"
#include "Samples.h"
#include <map>
#include <set>

using namespace astfe::core;
using astfe::bench::generate;
using astfe::bench::Matrix;
using astfe::bench::MatrixClass;

namespace {

constexpr ReorderKind kReorders[] = {ReorderKind::None, ReorderKind::Labels,
                                     ReorderKind::Rcm, ReorderKind::Twins};

using Permutations = std::vector<std::vector<int64_t>>;

Sample fromEdges(int64_t size, std::vector<std::pair<int64_t, int64_t>> edges) {
  Sample sample{"edges", {size, size}, {{}, {}}};
  for (auto [a, b] : edges)
    for (auto [row, column] : {std::pair(a, b), std::pair(b, a)}) {
      sample.coordinates[0].push_back(row);
      sample.coordinates[1].push_back(column);
    }
  return sample;
}

Permutations permutationsOf(const Sample &sample, ReorderKind kind,
                            const Hubs &hubs = {}) {
  Result<Permutations> result = reorder(sample.view(), kind, hubs);
  EXPECT_TRUE(result) << result.message();
  return *result;
}

/// The largest distance between the numbers of a nonzero's row and column.
int64_t bandwidth(const SparseView &view, const Permutations &permutations) {
  int64_t most = 0;
  for (const Entry &entry : entriesOf(view))
    most = std::max(most, std::abs(permutations[0][size_t(entry.row)] -
                                   permutations[1][size_t(entry.column)]));
  return most;
}

/// Coordinates of one mode touched by more than one of the runs that equal
/// numbers of rows in the new order make: a brute-force volume.
int64_t sharedColumns(const SparseView &view, const std::vector<int64_t> &rows,
                      int64_t runs) {
  std::set<std::pair<int64_t, int64_t>> touched;
  std::set<int64_t> columns;
  for (const Entry &entry : entriesOf(view)) {
    int64_t row = rows.empty() ? entry.row : rows[size_t(entry.row)];
    touched.insert({entry.column, row * runs / view.shape[0]});
    columns.insert(entry.column);
  }
  return int64_t(touched.size() - columns.size());
}

/// Refined and fused, with small blocks.
Graph graphFor(const SparseView &view, const Space &space) {
  Profile profile = *countProfile(view, space, {8, 1});
  Graph graph = *partition(profile, {24, 8});
  RefineOptions refining;
  refining.workers = 8;
  refining.min = 8;
  FuseOptions fusing;
  fusing.workers = 8;
  return *fuse(*refine(graph, profile, refining), profile, fusing);
}

} // namespace

TEST(Reorder, NamesGoBothWays) {
  for (ReorderKind kind : kReorders)
    EXPECT_EQ(parseReorder(reorderName(kind)), kind);
  EXPECT_EQ(parseReorder("metis"), std::nullopt);
}

TEST(Reorder, WorkedExampleOfTheHeader) {
  Sample pairs = fromEdges(6, {{0, 3}, {1, 4}, {2, 5}});
  Permutations permutations = permutationsOf(pairs, ReorderKind::Labels);
  EXPECT_EQ(permutations[0], std::vector<int64_t>({0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(permutations[1], permutations[0]);
}

TEST(Reorder, PermutesEverySample) {
  for (const Sample &sample : allSamples()) {
    if (sample.shape.size() != 2 || sample.shape[0] > 10000)
      continue;
    for (ReorderKind kind : kReorders)
      for (int64_t hubs : {kNoHubs, kAutoHubs, int64_t(2)})
        for (OrderKind order : kAllOrders) {
          SCOPED_TRACE(sample.name + ", " + std::string(reorderName(kind)) +
                       ", " + std::to_string(hubs));
          Result<Space> space = arrange(sample.view(), {order, 3, kind, hubs});
          ASSERT_TRUE(space) << space.message();
          Status sound = space->check();
          EXPECT_TRUE(sound) << sound.message();
          Result<Profile> profile = countProfile(sample.view(), *space, {4, 1});
          ASSERT_TRUE(profile) << profile.message();
          EXPECT_EQ(profile->totalNonzeros(), sample.nonzeros());
        }
  }
}

TEST(Reorder, NumbersAlmostEmptyMatrices) {
  // Less work than vertices, and none: caps still grow.
  for (int64_t nonzeros : {0, 1, 2}) {
    Sample sample = scattered("few", {50, 40}, nonzeros, 9);
    for (ReorderKind kind : kReorders) {
      Result<Space> space =
          arrange(sample.view(), {OrderKind::Rows, 10, kind, kAutoHubs});
      ASSERT_TRUE(space) << space.message();
      EXPECT_TRUE(space->check());
    }
  }
}

TEST(Reorder, ProductsAreThoseOfTheMatrix) {
  CooTensor tensor = mixedMatrix(160, 700, 1500, 3);
  std::vector<double> values = counting(tensor.nonzeros()), x = counting(700);
  std::vector<double> expected = multiply(tensor.view(), values, x);
  for (ReorderKind kind : kReorders)
    for (OrderKind order : kAllOrders)
      for (int64_t hubs : {kNoHubs, int64_t(3)})
        for (int bits : {8, 32})
          for (int64_t workers : {1, 5}) {
            Result<Space> space =
                arrange(tensor.view(), {order, 4, kind, hubs});
            ASSERT_TRUE(space) << space.message();
            Layout layout;
            layout.columnBits = uint8_t(bits);
            layout.classes =
                workers == 1 ? ClassSet::all() : ClassSet::general();
            Packed result =
                packed(tensor.view(), graphFor(tensor.view(), *space),
                       {layout, workers});
            expectExact(tensor.view(), result);
            std::vector<double> packedValues(size_t(result.slots));
            packValues(result, values.data(), packedValues.data());
            EXPECT_EQ(multiplyByTarget(result, packedValues, x), expected);
            EXPECT_EQ(multiplyByRow(result, packedValues, x), expected);
          }
}

TEST(Reorder, RowsRunInTheirNewOrder) {
  // One group, so that only the order inside of it shows.
  Sample path = fromEdges(6, {{0, 5}, {5, 1}, {1, 4}, {4, 2}, {2, 3}});
  Space space = *arrange(path.view(), {OrderKind::Rows, 10, ReorderKind::Rcm});
  Graph graph = *partition(*countProfile(path.view(), space, {64, 1}), {64, 1});
  ASSERT_EQ(graph.groupCount(), 1u);
  Layout layout;
  layout.classes =
      ClassSet::of(SegmentClass::Scattered).with(SegmentClass::RowSegments);
  Packed result = packed(path.view(), graph, {layout, 1});
  std::vector<int64_t> numbers;
  for (int32_t row : result.segmentRow)
    numbers.push_back(space.permutations[0][size_t(row)]);
  EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_EQ(bandwidth(path.view(), space.permutations), 1);
}

TEST(Reorder, RcmIsReversed) {
  // A path of five vertices with five leaves at its end: leaves come before the
  // vertex that they hang on, which Cuthill and McKee number before them.
  Sample broom = fromEdges(
      10,
      {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {4, 6}, {4, 7}, {4, 8}, {4, 9}});
  Permutations found = permutationsOf(broom, ReorderKind::Rcm);
  int64_t before = 0;
  for (size_t leaf = 5; leaf < 10; ++leaf)
    before += found[0][leaf] < found[0][4];
  EXPECT_GE(before, 4);
}

TEST(Reorder, RcmNarrowsAShuffledMesh) {
  // The same numbers for rows and columns: a symmetric pattern stays one.
  astfe::bench::Matrix mesh = generate(MatrixClass::Mesh, 5000);
  std::vector<int64_t> numbers(size_t(mesh.rows));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = int64_t(i * 379 % numbers.size());
  ASSERT_NE(numbers.size() % 379, 0u);
  Sample shuffled{"mesh", {mesh.rows, mesh.rows}, {{}, {}}};
  for (const Entry &entry : entriesOf(mesh.view())) {
    shuffled.coordinates[0].push_back(numbers[size_t(entry.row)]);
    shuffled.coordinates[1].push_back(numbers[size_t(entry.column)]);
  }
  auto side = int64_t(std::lround(std::sqrt(double(mesh.rows))));
  Permutations found = permutationsOf(shuffled, ReorderKind::Rcm);
  EXPECT_EQ(found[0], found[1]);
  // No numbering of a square grid has a bandwidth below its side.
  EXPECT_LE(bandwidth(shuffled.view(), found), 2 * side);
  // Rows and columns apart: the bipartite graph.
  astfe::bench::Matrix apart = astfe::bench::shuffle(mesh);
  Permutations both = *reorder(apart.view(), ReorderKind::Rcm);
  EXPECT_LE(bandwidth(apart.view(), both), 4 * side);
}

TEST(Reorder, LabelsFindHiddenBlocks) {
  astfe::bench::Matrix blocks = generate(MatrixClass::PermutedBlocks, 20000);
  Permutations found = *reorder(blocks.view(), ReorderKind::Labels);
  // Runs of the height of a block: each should need four blocks of columns.
  int64_t runs = blocks.rows / 16;
  int64_t before = sharedColumns(blocks.view(), {}, runs);
  EXPECT_LT(3 * sharedColumns(blocks.view(), found[0], runs), before);
}

TEST(Reorder, LabelsKeepTogetherWhatRefinementMoves) {
  // Large enough for the last step; a mesh in its own order stays good.
  astfe::bench::Matrix mesh = generate(MatrixClass::Mesh, 40000);
  Permutations found = *reorder(mesh.view(), ReorderKind::Labels);
  EXPECT_LE(sharedColumns(mesh.view(), found[0], 64),
            sharedColumns(mesh.view(), {}, 64));
}

TEST(Reorder, DirectedGraphsAreBipartite) {
  // Rows 0..9 read columns 10..19 and no mirror image exists: rows and columns
  // get numbers of their own.
  Sample sample{"directed", {20, 20}, {{}, {}}};
  for (int64_t i = 0; i < 10; ++i)
    for (int64_t j : {i, (i + 1) % 10}) {
      sample.coordinates[0].push_back(i);
      sample.coordinates[1].push_back(10 + j);
    }
  for (ReorderKind kind : {ReorderKind::Labels, ReorderKind::Rcm}) {
    Permutations found = permutationsOf(sample, kind);
    // What has nonzeros comes first.
    for (int64_t i = 0; i < 10; ++i) {
      EXPECT_LT(found[0][size_t(i)], 10);
      EXPECT_GE(found[0][size_t(10 + i)], 10);
      EXPECT_LT(found[1][size_t(10 + i)], 10);
    }
    // A ring of rows and columns: along it, both ways round.
    if (kind == ReorderKind::Rcm) {
      EXPECT_LE(bandwidth(sample.view(), found), 3);
    }
  }
}

TEST(Reorder, TwinsComeSideBySide) {
  // Rows 0 and 3 are alike, so are 1 and 4; columns 0 and 2 are, and 1 and 5.
  Sample sample{"twins", {6, 6}, {{}, {}}};
  const std::vector<int64_t> columnsOf[] = {{0, 2}, {1, 5}, {0, 2, 3},
                                            {0, 2}, {1, 5}, {}};
  for (int64_t row = 0; row < 6; ++row)
    for (int64_t column : columnsOf[row]) {
      sample.coordinates[0].push_back(row);
      sample.coordinates[1].push_back(column);
    }
  Permutations found = permutationsOf(sample, ReorderKind::Twins);
  EXPECT_EQ(found[0], std::vector<int64_t>({0, 2, 4, 1, 3, 5}));
  // Column 4 has no nonzeros and is the last.
  EXPECT_EQ(found[1], std::vector<int64_t>({0, 2, 1, 4, 5, 3}));
  // Hubs are not seen: without column 3, row 2 is alike to 0 and 3.
  found = permutationsOf(sample, ReorderKind::Twins, {{}, {3}});
  EXPECT_EQ(found[0], std::vector<int64_t>({0, 3, 1, 2, 4, 5}));
  EXPECT_EQ(found[1], std::vector<int64_t>({1, 3, 2, 0, 5, 4}));
}

TEST(Reorder, WithoutTwinsNothingMoves) {
  Sample ring = fromEdges(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}});
  EXPECT_EQ(permutationsOf(ring, ReorderKind::Twins), Permutations(2));
}

TEST(Reorder, TwinsAreHiddenBlocks) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 50000);
  auto permutations = reorder(matrix.view(), ReorderKind::Twins);
  ASSERT_TRUE(permutations) << permutations.message();
  // Each nonzero's block of 16 x 16 in the new numbering is full.
  std::map<std::pair<int64_t, int64_t>, int64_t> blocks;
  for (const Entry &entry : entriesOf(matrix.view()))
    ++blocks[{(*permutations)[0][size_t(entry.row)] / 16,
              (*permutations)[1][size_t(entry.column)] / 16}];
  for (const auto &[block, nonzeros] : blocks)
    EXPECT_EQ(nonzeros, 256) << block.first << ' ' << block.second;
}

TEST(Reorder, DependsOnThePatternOnly) {
  Sample sample = scattered("matrix", {300, 200}, 2500, 5);
  CooTensor tensor{sample.shape, sample.coordinates,
                   std::vector<double>(2500, 1)};
  CsrMatrix csr = *toCsr(tensor);
  Sample reversed = sample;
  for (auto &mode : reversed.coordinates)
    std::reverse(mode.begin(), mode.end());
  for (ReorderKind kind :
       {ReorderKind::Labels, ReorderKind::Rcm, ReorderKind::Twins}) {
    Permutations expected = permutationsOf(sample, kind);
    EXPECT_EQ(permutationsOf(reversed, kind), expected);
    EXPECT_EQ(*reorder(csr.view(), kind), expected);
  }
}

TEST(Reorder, RefusesWhatItCannotNumber) {
  Sample cube = scattered("cube", {8, 8, 8}, 50, 1);
  EXPECT_EQ(reorder(cube.view(), ReorderKind::Rcm).message(),
            "expected a matrix to reorder but got a tensor of rank 3");
  Sample large = scattered("large", {int64_t(1) << 31, 4}, 5, 1);
  EXPECT_EQ(reorder(large.view(), ReorderKind::Labels).message(),
            "expected at most 2147483647 rows and columns to reorder but got "
            "2147483648 and 4");
  constexpr int64_t kWide = int64_t(1) << 40;
  EXPECT_FALSE(
      reorder(scattered("wide", {0, kWide}, 0, 1).view(), ReorderKind::Labels));
  EXPECT_FALSE(
      reorder(scattered("tall", {kWide, 0}, 0, 1).view(), ReorderKind::Rcm));
  Sample huge{"huge", {int64_t(1) << 62, 4}, {{5}, {1}}};
  EXPECT_EQ(findHubs(huge.view()).message(),
            "expected extents of at most 2147483647 to find hubs in but got "
            "4611686018427387904");
  Sample outside = scattered("outside", {8, 8}, 5, 1);
  outside.coordinates[0][2] = 8;
  EXPECT_FALSE(arrange(outside.view(),
                       {OrderKind::Rows, 10, ReorderKind::Labels, kNoHubs}));
}

//===----------------------------------------------------------------------===//
// Hubs
//===----------------------------------------------------------------------===//

namespace {

/// Tridiagonal, and full rows and columns.
Sample withHubsAt(int64_t size, std::vector<int64_t> rows,
                  std::vector<int64_t> columns) {
  std::set<std::pair<int64_t, int64_t>> cells;
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = std::max<int64_t>(i - 1, 0); j < std::min(i + 2, size);
         ++j)
      cells.insert({i, j});
    for (int64_t row : rows)
      cells.insert({row, i});
    for (int64_t column : columns)
      cells.insert({i, column});
  }
  Sample sample{"hubs", {size, size}, {{}, {}}};
  for (auto [row, column] : cells) {
    sample.coordinates[0].push_back(row);
    sample.coordinates[1].push_back(column);
  }
  return sample;
}

} // namespace

TEST(Hubs, WorkedExampleOfTheHeader) {
  Hubs hubs = *findHubs(withHubsAt(1000, {500}, {}).view());
  EXPECT_EQ(hubs.rows, std::vector<int64_t>({500}));
  EXPECT_TRUE(hubs.columns.empty());
}

TEST(Hubs, TouchHalfOfTheOtherModeOrASixtyFourthOfTheNonzeros) {
  // Row 7 touches that many of 64 columns, of 4 * 1023 nonzeros in other rows.
  auto hubsWith = [](int64_t touched) {
    Sample sample{"half", {1024, 64}, {{}, {}}};
    for (int64_t row = 0; row < 1024; ++row)
      for (int64_t k = 0; k < (row == 7 ? touched : 4); ++k) {
        sample.coordinates[0].push_back(row);
        sample.coordinates[1].push_back(row == 7 ? k : (row + 16 * k) % 64);
      }
    return findHubs(sample.view())->rows;
  };
  EXPECT_TRUE(hubsWith(31).empty());
  EXPECT_TRUE(hubsWith(32).empty()); // not eight times the mean
  EXPECT_EQ(hubsWith(40), std::vector<int64_t>({7}));
}

TEST(Hubs, AreAtMostASixteenthOfTheRowsThatHoldAny) {
  // A full row and rows of one nonzero; most rows are empty.
  auto hubsAmong = [](int64_t used) {
    Sample sample{"few", {1000, 20}, {{}, {}}};
    for (int64_t column = 0; column < 20; ++column) {
      sample.coordinates[0].push_back(0);
      sample.coordinates[1].push_back(column);
    }
    for (int64_t row = 1; row < used; ++row) {
      sample.coordinates[0].push_back(row);
      sample.coordinates[1].push_back(row);
    }
    return findHubs(sample.view())->rows.size();
  };
  EXPECT_EQ(hubsAmong(16), 1u);
  EXPECT_EQ(hubsAmong(15), 0u);
}

TEST(Hubs, TakesTheLargestFirst) {
  Sample sample = withHubsAt(1000, {100, 900}, {7, 8});
  sample.coordinates[0].push_back(900); // a duplicate: one more
  sample.coordinates[1].push_back(3);
  EXPECT_EQ(findHubs(sample.view(), 1)->rows, std::vector<int64_t>({900}));
  EXPECT_EQ(findHubs(sample.view(), 1)->columns, std::vector<int64_t>({7}));
  EXPECT_EQ(findHubs(sample.view())->rows, std::vector<int64_t>({100, 900}));
  EXPECT_EQ(findHubs(sample.view(), 9)->columns, std::vector<int64_t>({7, 8}));
  EXPECT_TRUE(findHubs(sample.view(), kNoHubs)->empty());
}

TEST(Hubs, NothingStandsOutAmongEquals) {
  Sample full{"full", {20, 20}, {{}, {}}};
  for (int64_t i = 0; i < 400; ++i) {
    full.coordinates[0].push_back(i / 20);
    full.coordinates[1].push_back(i % 20);
  }
  EXPECT_TRUE(findHubs(full.view())->empty());
  Sample empty{"empty", {5, 5}, {{}, {}}};
  EXPECT_TRUE(findHubs(empty.view())->empty());
}

TEST(Hubs, RefusesSenselessInput) {
  Sample cube = scattered("cube", {8, 8, 8}, 50, 1);
  EXPECT_EQ(findHubs(cube.view()).message(),
            "expected a matrix to find hubs in but got a tensor of rank 3");
  Sample sample = withHubsAt(100, {3}, {});
  EXPECT_EQ(findHubs(sample.view(), -2).message(),
            "expected hubs from 0, or -1 for auto, but got -2");
  EXPECT_EQ(parseHubs("auto"), kAutoHubs);
  EXPECT_EQ(parseHubs("none"), kNoHubs);
  EXPECT_EQ(parseHubs("12"), 12);
  for (const char *text : {"", "0", "-1", "x", "3x", "99999999999999999999"})
    EXPECT_EQ(parseHubs(text), std::nullopt) << text;
}

TEST(Arrange, HubRowsTakeTurnsWithBands) {
  Sample sample = withHubsAt(1000, {500}, {700});
  Space space =
      *arrange(sample.view(), {OrderKind::Hilbert, 10, ReorderKind::None, 1});
  ASSERT_TRUE(space.check());
  EXPECT_EQ(space.permutations[0][500], 0);
  EXPECT_EQ(space.permutations[0][0], 1);
  EXPECT_EQ(space.permutations[1][700], 0);
  ASSERT_EQ(space.parts.size(), 128u);
  int64_t row = 1, column = 0;
  for (size_t i = 0; i < space.parts.size(); i += 2) {
    const Part &hub = space.parts[i], &band = space.parts[i + 1];
    EXPECT_EQ(hub.kind, OrderKind::Rows);
    EXPECT_EQ(hub.origin, std::vector<int64_t>({0, column}));
    EXPECT_EQ(hub.extents[0], 1);
    column += hub.extents[1];
    EXPECT_EQ(band.kind, OrderKind::Hilbert);
    EXPECT_EQ(band.origin, std::vector<int64_t>({row, 0}));
    row += band.extents[0];
    // Equal work, and the hub's columns are those of the band's diagonal.
    EXPECT_NEAR(double(band.extents[0]), 999 / 64.0, 1.1);
    EXPECT_NEAR(double(column), double(row), 1);
  }
}

TEST(Arrange, OneDenseRowCostsItsPartsOnly) {
  // Volume of a mesh and a full row on 16 workers, by sets: the row is touched
  // by each of them, and nothing else is added.
  Sample mesh = fromEdges(0, {}), dense;
  constexpr int64_t kSide = 40, kSize = kSide * kSide, kWorkers = 16;
  mesh.shape = {kSize, kSize};
  for (int64_t i = 0; i < kSize; ++i)
    for (int64_t j : {i - kSide, i - 1, i, i + 1, i + kSide})
      if (j >= 0 && j < kSize &&
          (std::abs(i - j) != 1 || i / kSide == j / kSide)) {
        mesh.coordinates[0].push_back(i);
        mesh.coordinates[1].push_back(j);
      }
  dense = mesh;
  for (int64_t j = 0; j < kSize; ++j) {
    dense.coordinates[0].push_back(77);
    dense.coordinates[1].push_back(j);
  }
  auto volume = [](const Sample &sample, const Space &space) {
    std::vector<uint32_t> parts;
    std::vector<uint64_t> keys;
    encodeNonzeros(sample.view(), space, parts, keys);
    parts.resize(keys.size(), 0);
    std::map<std::tuple<uint32_t, uint64_t, size_t>, size_t> sorted;
    for (size_t n = 0; n < keys.size(); ++n)
      sorted[{parts[n], keys[n], n}] = n;
    std::set<std::tuple<unsigned, int64_t, int64_t>> touched;
    std::set<std::pair<unsigned, int64_t>> used;
    int64_t place = 0;
    for (const auto &[key, n] : sorted) {
      int64_t worker = place++ * kWorkers / int64_t(keys.size());
      for (unsigned k = 0; k < 2; ++k) {
        touched.insert({k, sample.coordinates[k][n], worker});
        used.insert({k, sample.coordinates[k][n]});
      }
    }
    return int64_t(touched.size() - used.size());
  };
  Arrangement labels{OrderKind::Rows, 10, ReorderKind::Labels, kAutoHubs};
  int64_t least = volume(mesh, *arrange(mesh.view(), labels)) + kWorkers - 1;
  EXPECT_LE(2 * volume(dense, *arrange(dense.view(), labels)), 3 * least);
  labels.hubs = kNoHubs;
  EXPECT_GT(volume(dense, *arrange(dense.view(), labels)), 2 * least);
}
