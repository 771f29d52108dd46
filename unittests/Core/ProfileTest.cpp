//===- ProfileTest.cpp - profiles against brute force ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Profile.h"
#include <gtest/gtest.h>

using namespace astfe::core;

TEST(Profile, WorkedExampleOfTheHeader) {
  std::vector<int32_t> rows{0, 0, 0, 3}, columns{0, 1, 1, 3};
  SparseView view = SparseView::coo(
      {4, 4}, {IndexArray(rows.data(), 4), IndexArray(columns.data(), 4)});
  Space space = *Space::whole({4, 4}, OrderKind::Rows);
  Result<Profile> profile = countProfile(view, space, {2, 1});
  ASSERT_TRUE(profile) << profile.message();
  ASSERT_TRUE(profile->check()) << profile->check().message();
  ASSERT_EQ(profile->size(), 3u);
  EXPECT_EQ(profile->bin(0).str(), "0000");
  EXPECT_EQ(profile->bin(1).str(), "0001");
  EXPECT_EQ(profile->bin(2).str(), "1");
  EXPECT_EQ(profile->nonzeros, (std::vector<int64_t>{1, 2, 1}));
  EXPECT_EQ(profile->totalNonzeros(), 4);
  EXPECT_FALSE(profile->measured());
}
