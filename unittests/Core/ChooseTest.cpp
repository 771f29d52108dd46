//===- ChooseTest.cpp - the arrangement with least modelled traffic -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Choose.h"
#include "Samples.h"

using namespace astfe::core;

static Choice chosen(const Sample &sample, const TrafficModel &model,
                     const Candidates &candidates, int64_t workers = 5) {
  Result<Choice> choice =
      choose(model, sample.view(), workers, {4, 1}, candidates);
  EXPECT_TRUE(choice) << choice.message();
  return std::move(*choice);
}

/// All orders, as they are.
static Candidates ordersOnly() {
  Candidates candidates;
  candidates.reorder = ReorderKind::None;
  return candidates;
}

TEST(Choose, RowsWinTies) {
  Sample sample{"diagonal", {64, 64}, {{}, {}}};
  for (int64_t i = 0; i < 64; ++i)
    for (auto &mode : sample.coordinates)
      mode.push_back(i);
  Choice choice = chosen(sample, {}, ordersOnly(), 4);
  ASSERT_EQ(choice.scores.size(), 4u);
  EXPECT_EQ(choice.scores[0].bytes, choice.scores[2].bytes);
  EXPECT_EQ(choice.best, 0u);
  EXPECT_EQ(choice.space.parts[0].kind, OrderKind::Rows);
}

TEST(Choose, TakesTheLeast) {
  for (const Sample &sample : allSamples()) {
    if (sample.shape.size() != 2)
      continue;
    SCOPED_TRACE(sample.name);
    Candidates all;
    all.hubs = kAutoHubs;
    Choice choice = chosen(sample, {}, all);
    // The least, unless it gains less than 2 % over the first.
    int64_t first = choice.scores[0].bytes, least = first;
    for (const Score &score : choice.scores)
      least = std::min(least, score.bytes);
    EXPECT_EQ(choice.scores[choice.best].bytes,
              50 * least < 49 * first ? least : first);
    EXPECT_TRUE(choice.space.check());
    Result<Space> space =
        arrange(sample.view(), choice.scores[choice.best].arrangement);
    ASSERT_TRUE(space) << space.message();
    EXPECT_TRUE(choice.space == *space);
  }
}

TEST(Choose, KeepsToWhatIsGiven) {
  Sample sample = scattered("matrix", {80, 90}, 500, 3);
  Candidates given;
  given.order = OrderKind::Morton;
  Choice choice = chosen(sample, {}, given);
  ASSERT_EQ(choice.scores.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(choice.scores[i].arrangement.order, OrderKind::Morton);
    EXPECT_EQ(choice.scores[i].arrangement.reorder, ReorderKind(i));
  }
}

TEST(Choose, DoesNotRenumberEmptySpace) {
  // 2^40 rows for 500 nonzeros: permutations would not fit into memory.
  Sample sample =
      scattered("large", {int64_t(1) << 40, int64_t(1) << 40}, 500, 6);
  Choice choice = chosen(sample, {}, Candidates());
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
