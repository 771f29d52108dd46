//===- AloneRuleTest.cpp - when callers of regions work alone -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/AloneRule.h"
#include <gtest/gtest.h>

using namespace astfe::rt;
using std::chrono::microseconds;

namespace {
struct RuntimeAloneRule : testing::Test {
  AloneRule rule;
  AloneRule::Clock::time_point now{std::chrono::hours(1)};

  Company after(microseconds time) const { return rule.at(now + time); }
};
} // namespace

TEST_F(RuntimeAloneRule, CallersThatLoseLessThanTheyWorkStayInCompany) {
  rule.learn(now, microseconds(10), microseconds(5), microseconds(0));
  EXPECT_EQ(after(microseconds(1)), Company::Shared);
}

TEST_F(RuntimeAloneRule, OneLossIsAChance) {
  rule.learn(now, microseconds(20), microseconds(15), std::nullopt);
  EXPECT_EQ(after(microseconds(1)), Company::Watched);
  EXPECT_EQ(after(microseconds(16 * 15 - 1)), Company::Watched);
  EXPECT_EQ(after(microseconds(16 * 15)), Company::Shared);
}

// Also one of a few microseconds, which products of small matrices take.
TEST_F(RuntimeAloneRule, ALossThatIsWatchedLeavesCallersAlone) {
  for (int lost : {3, 40, 4000}) {
    rule.learn(now, microseconds(lost + 2), microseconds(lost),
               microseconds(lost / 2));
    EXPECT_EQ(after(microseconds(1)), Company::Alone);
    EXPECT_EQ(after(microseconds(64 * lost - 1)), Company::Alone);
    EXPECT_EQ(after(microseconds(64 * lost)), Company::Watched);
    EXPECT_EQ(after(microseconds(80 * lost)), Company::Shared);
    now += microseconds(80 * lost);
  }
}

TEST_F(RuntimeAloneRule, NobodyIsAloneForMoreThanAQuarterOfASecond) {
  const auto stop = std::chrono::seconds(30);
  rule.learn(now, stop, stop - microseconds(1), microseconds(0));
  EXPECT_EQ(after(microseconds(255999)), Company::Alone);
  EXPECT_EQ(after(microseconds(256000)), Company::Watched);
  EXPECT_EQ(after(microseconds(320000)), Company::Shared);
}

TEST_F(RuntimeAloneRule, HelpersAreLateUntilOneComes) {
  rule.learnHelp(microseconds(190), false); // Too short to tell.
  EXPECT_FALSE(rule.areLate());
  rule.learnHelp(microseconds(210), true);
  EXPECT_FALSE(rule.areLate());
  rule.learnHelp(microseconds(210), false);
  EXPECT_TRUE(rule.areLate());
  EXPECT_EQ(after(microseconds(1)), Company::Shared); // Others may come.
  rule.learnHelp(microseconds(10), false);
  EXPECT_TRUE(rule.areLate());
  rule.learnHelp(microseconds(10), true);
  EXPECT_FALSE(rule.areLate());
}

TEST_F(RuntimeAloneRule, HelpersWithMoreWorkAreNoLoss) {
  rule.learn(now, microseconds(1000), microseconds(800), std::nullopt);
  EXPECT_EQ(after(microseconds(1)), Company::Watched);
  rule.learn(now, microseconds(1000), microseconds(800), microseconds(700));
  EXPECT_EQ(after(microseconds(1)), Company::Shared);
  // To watch costs time, which is not taken again soon.
  now += microseconds(64 * 800 - 1);
  rule.learn(now, microseconds(1000), microseconds(800), std::nullopt);
  EXPECT_EQ(after(microseconds(1)), Company::Shared);
  now += microseconds(1);
  rule.learn(now, microseconds(1000), microseconds(800), std::nullopt);
  EXPECT_EQ(after(microseconds(1)), Company::Watched);
  // Several helpers may work for more time than passes.
  rule.learn(now, microseconds(1000), microseconds(900), microseconds(5000));
  EXPECT_EQ(after(microseconds(1)), Company::Shared);
}
