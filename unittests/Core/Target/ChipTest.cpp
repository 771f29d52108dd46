//===- ChipTest.cpp - chips and the PTX versions that have them -----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Target/Chip.h"
#include "gtest/gtest.h"

using namespace astfe::core;

TEST(Chip, IsFoundByItsWholeName) {
  ASSERT_NE(findChip("sm_90a"), nullptr);
  EXPECT_EQ(findChip("sm_90a")->ptx, 80u);
  EXPECT_EQ(findChip("sm_88")->ptx, 90u);
  for (const char *other : {"", "sm_", "sm_9", "sm_60", "sm_90x", "sm_90 ",
                            "SM_90", "gfx90a", "sm_130"})
    EXPECT_EQ(findChip(other), nullptr) << other;
}

TEST(Chip, NamesAreListed) {
  std::string names = chipNames();
  EXPECT_EQ(names.rfind("sm_70, sm_72, sm_75, ", 0), 0u) << names;
  EXPECT_NE(names.find(", sm_121a or sm_121f"), std::string::npos) << names;
}

TEST(Chip, OldestVersionIsTheDefault) {
  EXPECT_EQ(*ptxFeatures(*findChip("sm_75"), ""), "+ptx63");
  EXPECT_EQ(*ptxFeatures(*findChip("sm_121a"), ""), "+ptx88");
}

TEST(Chip, VersionsAreThoseThatHaveTheChip) {
  const Chip &chip = *findChip("sm_120f");
  EXPECT_EQ(*ptxFeatures(chip, "+ptx88"), "+ptx88");
  EXPECT_EQ(*ptxFeatures(chip, "+ptx90"), "+ptx90");
  // Too old, unknown to LLVM, not a version, several.
  for (const char *wrong : {"+ptx87", "+ptx89", "+ptx91", "ptx88", "-ptx88",
                            "+sm_90", "banana", "+ptx88,+ptx90", "+ptx088"}) {
    auto features = ptxFeatures(chip, wrong);
    ASSERT_FALSE(features) << wrong;
    EXPECT_EQ(features.message(),
              std::string("expected features of sm_120f to be +ptx88 or +ptx90 "
                          "but got '") +
                  wrong + "'");
  }
}
