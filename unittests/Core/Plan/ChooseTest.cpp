//===- ChooseTest.cpp - the arrangement with the least predicted time -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Choose.h"
#include "Generate.h"
#include "Samples.h"
#include <cmath>
#include <numeric>

using namespace astfe::core;
using astfe::bench::generate;
using astfe::bench::Matrix;
using astfe::bench::MatrixClass;
using astfe::bench::shuffle;

/// Everything that may gain something is looked at.
static Candidates patient() {
  Candidates candidates;
  candidates.hubs = kAutoHubs;
  candidates.expectedRuns = int64_t(1) << 40;
  return candidates;
}

static TrafficModel columnsOf(int64_t columns) {
  TrafficModel model;
  model.columns = columns;
  return model;
}

static Choice chosen(const Matrix &matrix, int64_t columns,
                     const Candidates &candidates, unsigned threads = 1) {
  Result<Choice> choice =
      choose(columnsOf(columns), matrix.view(), 64, {256, threads}, candidates);
  EXPECT_TRUE(choice) << choice.message();
  return std::move(*choice);
}

static Choice chosen(const Sample &sample, const TrafficModel &model,
                     const Candidates &candidates, int64_t workers = 5) {
  Result<Choice> choice =
      choose(model, sample.view(), workers, {4, 1}, candidates);
  EXPECT_TRUE(choice) << choice.message();
  return std::move(*choice);
}

TEST(Choose, RowsWinTies) {
  Sample sample{"diagonal", {64, 64}, {{}, {}}};
  for (int64_t i = 0; i < 64; ++i)
    for (auto &mode : sample.coordinates)
      mode.push_back(i);
  // Starting the threads is most of it: no order gains anything.
  Choice choice = chosen(sample, {}, patient(), 4);
  EXPECT_EQ(choice.scores.size(), 1u);
  EXPECT_EQ(choice.best, 0u);
  EXPECT_EQ(choice.space.parts[0].kind, OrderKind::Rows);
}

/// 48 nonzeros a row, anywhere: too few for windows.
static Matrix longRows() {
  Matrix matrix = generate(MatrixClass::Uniform, 48 * 2500);
  Matrix wide;
  wide.columns = matrix.columns;
  wide.positions = {0};
  for (int64_t row = 0; row + 2 < matrix.rows; row += 3) {
    auto begin = matrix.coordinates.begin();
    const auto from = wide.coordinates.size();
    wide.coordinates.insert(wide.coordinates.end(),
                            begin + matrix.positions[size_t(row)],
                            begin + matrix.positions[size_t(row) + 3]);
    std::sort(wide.coordinates.begin() + int64_t(from), wide.coordinates.end());
    wide.positions.push_back(int32_t(wide.coordinates.size()));
    ++wide.rows;
  }
  return wide;
}

TEST(Choose, TakesTheLeast) {
  for (const Matrix &matrix :
       {generate(MatrixClass::PermutedBlocks, 200000), longRows()}) {
    SCOPED_TRACE(matrix.rows);
    Choice choice = chosen(matrix, 512, patient());
    ASSERT_GT(choice.scores.size(), 3u);
    // The least or one before it that is alike, unless it gains less than
    // 10 % over the first.
    double first = choice.scores[0].seconds, least = first;
    for (const Score &score : choice.scores)
      least = std::min(least, score.seconds);
    if (least < 0.9 * first)
      EXPECT_LE(0.97 * choice.scores[choice.best].seconds, least);
    else
      EXPECT_EQ(choice.best, 0u);
    EXPECT_TRUE(choice.space.check());
    Result<Space> space =
        arrange(matrix.view(), choice.scores[choice.best].arrangement);
    ASSERT_TRUE(space) << space.message();
    EXPECT_TRUE(choice.space == *space);
  }
}

TEST(Choose, TriesNoCurveThatCannotGain) {
  // Windows keep B in the first cache; blocks read it once.
  for (MatrixClass kind : {MatrixClass::Pruned90, MatrixClass::BlockDiagonal})
    for (const Score &score :
         chosen(generate(kind, 200000), 128, patient()).scores)
      EXPECT_EQ(score.arrangement.order, OrderKind::Rows) << int(kind);
}

TEST(Choose, SamplesOfAPrunedLayerAreAlongACurve) {
  // Rows of X and Y of a block stay near; as rows each nonzero reads one of Y
  // from L2.
  Candidates candidates;
  candidates.samples = true;
  for (int64_t nonzeros : {100000, 400000})
    for (int64_t columns : {64, 128}) {
      const Choice choice = chosen(generate(MatrixClass::Pruned75, nonzeros),
                                   columns, candidates);
      const Arrangement best = choice.scores[choice.best].arrangement;
      EXPECT_EQ(best.order, OrderKind::Hilbert) << nonzeros << ' ' << columns;
      // One curve stands for the others.
      EXPECT_EQ(choice.scores.size(), 2u);
    }
  EXPECT_EQ(
      chosen(generate(MatrixClass::Pruned75, 400000), 128, Candidates()).best,
      0u);
}

TEST(Choose, SamplesOfShortRowsMayBeAlongACurve) {
  // Eight full rows read all of Y in turn; most rows have nine nonzeros, too
  // few for a product to begin them again.
  const Matrix matrix = generate(MatrixClass::Arrow, 400000);
  Candidates candidates;
  EXPECT_EQ(chosen(matrix, 128, candidates).scores.size(), 1u);
  candidates.samples = true;
  const Choice choice = chosen(matrix, 128, candidates);
  EXPECT_EQ(choice.scores[choice.best].arrangement.order, OrderKind::Hilbert);
}

TEST(Choose, SamplesStayRowsWhereACurveBeginsThemForNothing) {
  Candidates candidates = patient();
  candidates.samples = true;
  // Blocks have a nonzero or two; a mesh has its rows near as it is; blocks on
  // the diagonal are.
  for (MatrixClass kind : {MatrixClass::Uniform, MatrixClass::Rmat,
                           MatrixClass::Mesh, MatrixClass::BlockDiagonal}) {
    const Choice choice = chosen(generate(kind, 300000), 128, candidates);
    EXPECT_EQ(choice.scores[choice.best].arrangement.order, OrderKind::Rows)
        << int(kind);
  }
}

TEST(Choose, SamplesLookAtNoCurveWhoseBoxesHaveTooFewNonzeros) {
  // As many rows of X and Y as L2 holds have about as many nonzeros: in boxes
  // each comes from beyond it for one or two of them, as it does by rows.
  Candidates candidates = patient();
  candidates.samples = true;
  EXPECT_EQ(chosen(generate(MatrixClass::Uniform, 500000), 32, candidates)
                .scores.size(),
            1u);
}

TEST(Choose, SamplesAreNotRenumberedWhereRowsOfXWouldComeFromAfar) {
  // A shuffled mesh of short rows: a numbering brings rows of Y near, but each
  // row of X comes from L3 then, where they followed each other.
  const Matrix mesh = shuffle(generate(MatrixClass::Mesh, 330000), 3);
  Candidates candidates = patient();
  for (int64_t columns : {32, 64}) {
    candidates.samples = true;
    const Choice choice = chosen(mesh, columns, candidates);
    EXPECT_GT(choice.scores.size(), 1u);
    EXPECT_EQ(choice.scores[choice.best].arrangement, Arrangement());
  }
  // Hidden blocks bring enough rows of both.
  const Choice choice =
      chosen(generate(MatrixClass::PermutedBlocks, 300000), 64, candidates);
  EXPECT_NE(choice.scores[choice.best].arrangement.reorder, ReorderKind::None);
}

TEST(Choose, LooksAtNothingWhereNoLookCanPay) {
  const Matrix matrix = generate(MatrixClass::Uniform, 100000);
  Candidates candidates = patient(), given;
  given.order = OrderKind::Rows;
  given.reorder = ReorderKind::None;
  const double looked = chosen(matrix, 1, given).scores[0].seconds;
  candidates.expectedRuns = 1;
  Choice hasty = chosen(matrix, 1, candidates);
  EXPECT_EQ(hasty.scores.size(), 1u);
  EXPECT_TRUE(hasty.space ==
              *Space::whole({matrix.rows, matrix.columns}, OrderKind::Rows));
  // What it takes is what it takes without caches.
  EXPECT_GT(hasty.scores[0].seconds, 1.2 * looked);
  EXPECT_TRUE(hasty.scores[0].isBound);
  EXPECT_FALSE(chosen(matrix, 1, patient()).scores[0].isBound);
  EXPECT_EQ(chosen(matrix, 1, patient()).scores[0].seconds, looked);
}

TEST(Choose, WhatItTakesToBeginRowsIsNoHope) {
  // Rows of many lengths: beginning them takes longer than all that an order
  // could change about where the vector comes from.
  const Matrix matrix = generate(MatrixClass::Rmat, 500000);
  Candidates candidates = patient();
  candidates.expectedRuns = kExpectedRuns;
  Choice choice = chosen(matrix, 1, candidates);
  EXPECT_EQ(choice.scores.size(), 1u);
  EXPECT_TRUE(choice.scores[0].isBound);
  // Wide rows of the operand are worth a look.
  EXPECT_FALSE(chosen(matrix, 128, candidates).scores[0].isBound);
}

TEST(Choose, WhereNobodyLooksNothingElseIsTried) {
  // Long rows, which curves are tried for, in a band.
  Matrix matrix;
  matrix.rows = matrix.columns = 20000;
  matrix.positions.push_back(0);
  for (int32_t row = 0; row < 20000; ++row) {
    for (int32_t k = 0; k < 40; ++k)
      matrix.coordinates.push_back(std::min(row, 19880) + 3 * k);
    matrix.positions.push_back(int32_t(matrix.coordinates.size()));
  }
  Candidates candidates = patient();
  for (int64_t runs : {1, 10, 100, 1000, 100000})
    for (int64_t columns : {1, 2, 16}) {
      candidates.expectedRuns = runs;
      Choice choice = chosen(matrix, columns, candidates);
      if (choice.scores[0].isBound)
        EXPECT_EQ(choice.scores.size(), 1u) << runs << ' ' << columns;
    }
  candidates.expectedRuns = 100;
  EXPECT_TRUE(chosen(matrix, 1, candidates).scores[0].isBound);
}

TEST(Choose, FindsHiddenBlocks) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 200000);
  Choice choice = chosen(matrix, 128, patient());
  const Score &best = choice.scores[choice.best];
  EXPECT_NE(best.arrangement.reorder, ReorderKind::None);
  EXPECT_LT(best.seconds, 0.8 * choice.scores[0].seconds);
}

TEST(Choose, HiddenBlocksPayWithinAHundredRunsOfFewColumns) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 500000);
  Candidates candidates;
  candidates.expectedRuns = 100;
  Choice choice = chosen(matrix, 32, candidates);
  EXPECT_EQ(choice.scores[choice.best].arrangement.reorder, ReorderKind::Twins);
}

TEST(Choose, TwinsAreNoCandidateWhereThereAreNone) {
  // A shuffled mesh hides much, but no two of its rows are alike.
  const Matrix mesh = shuffle(generate(MatrixClass::Mesh, 200000), 3);
  Choice choice = chosen(mesh, 128, patient());
  EXPECT_GT(choice.scores.size(), 1u);
  for (const Score &score : choice.scores)
    EXPECT_NE(score.arrangement.reorder, ReorderKind::Twins);
}

TEST(Choose, FormatsAreNoReason) {
  // The same nonzeros by columns and one by one: candidates are counted alike.
  const Matrix matrix = shuffle(generate(MatrixClass::Mesh, 200000), 3);
  const SparseView rows = matrix.view();
  std::vector<int64_t> begins(size_t(matrix.columns) + 1, 0);
  for (int32_t column : matrix.coordinates)
    ++begins[size_t(column) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<int64_t> next = begins;
  std::vector<int64_t> byColumns(matrix.coordinates.size()), rowOf, columnOf;
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t k = rows.positions[row]; k < rows.positions[row + 1]; ++k) {
      const int64_t column = rows.coordinates[0][k];
      byColumns[size_t(next[size_t(column)]++)] = row;
      rowOf.push_back(row);
      columnOf.push_back(column);
    }
  auto array = [](const std::vector<int64_t> &entries) {
    return IndexArray(entries.data(), int64_t(entries.size()));
  };
  // And these in any order.
  std::vector<int64_t> shuffledRow, shuffledColumn;
  for (size_t n = 0; n < rowOf.size(); ++n) {
    const size_t from = n * 7919 % rowOf.size();
    shuffledRow.push_back(rowOf[from]);
    shuffledColumn.push_back(columnOf[from]);
  }
  ASSERT_NE(rowOf.size() % 7919, 0u);
  const Choice expected = chosen(matrix, 128, patient());
  ASSERT_GT(expected.scores.size(), 2u);
  for (const SparseView &view :
       {SparseView::csc(matrix.rows, matrix.columns, array(begins),
                        array(byColumns)),
        SparseView::coo(rows.shape, {array(rowOf), array(columnOf)}),
        SparseView::coo(rows.shape,
                        {array(shuffledRow), array(shuffledColumn)})}) {
    Result<Choice> choice =
        choose(columnsOf(128), view, 64, {256, 1}, patient());
    ASSERT_TRUE(choice) << choice.message();
    ASSERT_EQ(choice->scores.size(), expected.scores.size());
    for (size_t i = 0; i < expected.scores.size(); ++i) {
      EXPECT_EQ(choice->scores[i].arrangement, expected.scores[i].arrangement);
      EXPECT_EQ(choice->scores[i].seconds, expected.scores[i].seconds);
    }
  }
}

TEST(Choose, ExpectedRunsBoundTheEffort) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 200000);
  Candidates candidates = patient();
  size_t looked = chosen(matrix, 128, candidates).scores.size();
  candidates.expectedRuns = 1;
  Choice hasty = chosen(matrix, 128, candidates);
  EXPECT_EQ(hasty.scores.size(), 1u);
  EXPECT_EQ(hasty.scores[0].arrangement, Arrangement());
  candidates.expectedRuns = 100;
  EXPECT_GT(looked, chosen(matrix, 128, candidates).scores.size());
}

TEST(Choose, EmptyRowsAndColumnsTakeTimeToRenumber) {
  // The same rows, each before eight without nonzeros: permutations have an
  // entry for these, too.
  const Matrix compact = generate(MatrixClass::PermutedBlocks, 500000);
  Matrix spread = compact;
  spread.rows = compact.nonzeros() * 8;
  spread.positions.resize(size_t(spread.rows) + 1, int32_t(compact.nonzeros()));
  Candidates candidates;
  candidates.expectedRuns = 100;
  EXPECT_GT(chosen(compact, 32, candidates).scores.size(), 1u);
  EXPECT_EQ(chosen(spread, 32, candidates).scores.size(), 1u);
}

/// The fewest runs for which something is looked for, within a twentieth.
static double runsFor(const Matrix &matrix) {
  double low = 1, high = 1e6;
  while (high > 1.05 * low) {
    const double middle = std::sqrt(low * high);
    Candidates candidates;
    candidates.expectedRuns = int64_t(middle);
    (chosen(matrix, 32, candidates).scores.size() > 1 ? high : low) = middle;
  }
  return high;
}

TEST(Choose, EntriesThatNoCacheHoldsTakeLonger) {
  // Rows without nonzeros make as many entries as fill the last cache, or a few
  // more.
  const int64_t fit = rules::kCacheBytes[3] / 16;
  Matrix matrix = generate(MatrixClass::PermutedBlocks, 200000);
  auto withRows = [&](int64_t rows) {
    Matrix spread = matrix;
    spread.rows = rows - spread.columns;
    spread.positions.resize(size_t(spread.rows) + 1,
                            int32_t(matrix.nonzeros()));
    return runsFor(spread);
  };
  const double near = withRows(fit), far = withRows(fit + 1000);
  EXPECT_GT(far, 1.8 * near);
  EXPECT_LT(far, 2.2 * near);
}

TEST(Choose, NumbersNothingWhereTheOperandIsNear) {
  // 2000 rows of B, of 32 bytes each, are in a near cache whatever the order,
  // although each row of C has others: what rows take is to be begun.
  Matrix tall = shuffle(generate(MatrixClass::Uniform, 300000), 5);
  tall.columns = 2000;
  std::vector<int32_t> positions{0};
  for (int32_t n = 0; n < int32_t(tall.nonzeros()); ++n) {
    tall.coordinates[size_t(n)] %= 2000;
    // Rows of one nonzero and of two.
    if (n % 3 != 0)
      positions.push_back(n + 1);
  }
  tall.positions = positions;
  tall.coordinates.resize(size_t(positions.back()));
  tall.values.resize(size_t(positions.back()));
  tall.rows = int64_t(positions.size()) - 1;
  for (int64_t row = 0; row < tall.rows; ++row)
    std::sort(tall.coordinates.begin() + tall.positions[size_t(row)],
              tall.coordinates.begin() + tall.positions[size_t(row) + 1]);
  Candidates candidates;
  candidates.expectedRuns = 1000;
  auto isNumbered = [](const Score &score) {
    return score.arrangement.reorder == ReorderKind::Labels ||
           score.arrangement.reorder == ReorderKind::Rcm;
  };
  for (const Score &score : chosen(tall, 8, candidates).scores)
    EXPECT_FALSE(isNumbered(score));
  // Those of 4 KiB are not.
  const std::vector<Score> wide = chosen(tall, 1024, patient()).scores;
  EXPECT_TRUE(std::any_of(wide.begin(), wide.end(), isNumbered));
}

TEST(Choose, LooksForNothingWhereNothingIsHidden) {
  for (const Score &score :
       chosen(generate(MatrixClass::Pruned90, 100000), 128, patient()).scores)
    EXPECT_EQ(score.arrangement.reorder, ReorderKind::None);
  // Rows are too short for curves, too.
  EXPECT_EQ(chosen(generate(MatrixClass::Uniform, 100000), 128, patient())
                .scores.size(),
            1u);
}

TEST(Choose, DoesNotDependOnThreads) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 100000);
  Choice one = chosen(matrix, 128, patient(), 1),
         many = chosen(matrix, 128, patient(), 5);
  ASSERT_EQ(one.scores.size(), many.scores.size());
  EXPECT_EQ(one.best, many.best);
  EXPECT_TRUE(one.space == many.space);
  for (size_t i = 0; i < one.scores.size(); ++i)
    EXPECT_EQ(one.scores[i].seconds, many.scores[i].seconds);
}

TEST(Choose, KeepsToWhatIsGiven) {
  const Matrix matrix = generate(MatrixClass::PermutedBlocks, 200000);
  Candidates given = patient();
  given.order = OrderKind::Morton;
  Choice choice = chosen(matrix, 128, given);
  ASSERT_EQ(choice.scores.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(choice.scores[i].arrangement.order, OrderKind::Morton);
    EXPECT_EQ(choice.scores[i].arrangement.reorder, ReorderKind(i));
  }
  given = patient();
  given.reorder = ReorderKind::Rcm;
  choice = chosen(matrix, 128, given);
  EXPECT_GT(choice.scores.size(), 1u);
  for (const Score &score : choice.scores)
    EXPECT_EQ(score.arrangement.reorder, ReorderKind::Rcm);
}

TEST(Choose, DoesNotRenumberEmptySpace) {
  // 2^40 rows for 500 nonzeros: permutations would not fit into memory.
  Sample sample =
      scattered("large", {int64_t(1) << 40, int64_t(1) << 40}, 500, 6);
  Choice choice = chosen(sample, {}, patient());
  EXPECT_EQ(choice.scores.size(), 4u);
  Candidates labels;
  labels.reorder = ReorderKind::Labels;
  EXPECT_FALSE(choose({}, sample.view(), 5, {4, 1}, labels));
}

TEST(Choose, RefusesOtherRanks) {
  Sample cube = scattered("cube", {8, 8, 8}, 50, 1);
  EXPECT_EQ(choose({}, cube.view(), 5, {4, 1}, {}).message(),
            "expected a matrix to choose an order for but got a tensor of rank "
            "3");
}

TEST(Choose, SaysWhyItDoesNotTakeTheLeast) {
  const Arrangement rows, labels{OrderKind::Rows, 10, ReorderKind::Labels, 0},
      rcm{OrderKind::Rows, 10, ReorderKind::Rcm, 0};
  EXPECT_EQ(whyNotLeast({{rows, 100}, {rcm, 100}}, rows), "");
  EXPECT_EQ(whyNotLeast({{rows, 100}, {rcm, 80}}, rcm), "");
  // The first stays as it is unless the gain is large.
  EXPECT_EQ(whyNotLeast({{rows, 100}, {labels, 97}, {rcm, 91}}, rows),
            "rows after rcm is predicted 9.0 % faster, expected 10.0 % at "
            "least");
  // Of others that are alike the plainer one.
  EXPECT_EQ(whyNotLeast({{rows, 100}, {labels, 50}, {rcm, 49}}, labels),
            "rows after rcm is predicted 2.0 % faster, expected 3.0 % at "
            "least");
}
