//===- LaunchPlanTest.cpp - a saved kernel's launches ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/LaunchPlan.h"
#include "PackOracle.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

/// Multiprocessors.
constexpr int64_t kUnits = 132;

/// A row of 1000 among short ones, which several workers share.
Packed sharedRow() {
  std::vector<int64_t> lengths(20, 1);
  lengths[7] = 1000;
  CooTensor tensor = rowsOfLengths(lengths, 10000);
  PackOptions options;
  options.layout.target = PackTarget::GPU;
  options.workers = 10;
  return packed(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8),
                options);
}

/// Adds to its output, tile by tile of 64 columns.
KernelFile adding() {
  KernelFile kernel;
  kernel.entry = "main";
  kernel.columnTile = 64;
  kernel.arguments = {"worker_span", "values",  "dense:0",
                      "output",      "workers", "column_count"};
  kernel.layout.target = PackTarget::GPU;
  return kernel;
}

/// Adds partial results of shared rows, which have memory of their own.
KernelFile withPartials() {
  KernelFile kernel = adding();
  kernel.arguments.push_back("partials");
  kernel.companions = {{"fill", {"partials", "count"}, 128},
                       {"combine", {"partials", "output"}, 128}};
  return kernel;
}

} // namespace

TEST(LaunchPlan, BlocksHoldWorkersAndTilesOfColumns) {
  const Packed pattern = sharedRow();
  ASSERT_EQ(pattern.workers(), 10);
  auto launches = planLaunches(adding(), pattern, 100, kUnits);
  ASSERT_TRUE(launches) << launches.message();
  ASSERT_EQ(launches->size(), 1u);
  const KernelLaunch &launch = launches->front();
  EXPECT_EQ(launch.entry, "main");
  EXPECT_EQ(launch.gridX, 2);
  EXPECT_EQ(launch.gridY, 3);
  EXPECT_EQ(launch.gridZ, 1);
  EXPECT_EQ(launch.blockThreads, 128);
  ASSERT_EQ(launch.arguments.size(), 6u);
  EXPECT_EQ(launch.arguments[0].data, pattern.workerSpan.data());
  EXPECT_EQ(launch.arguments[0].bytes, 11 * 8);
  EXPECT_EQ(launch.arguments[1].bytes, pattern.slots * 4);
  EXPECT_EQ(launch.arguments[2].kind, ArgumentKind::Dense);
  EXPECT_EQ(launch.arguments[3].bytes, 20 * 100 * 4);
  EXPECT_EQ(launch.arguments[4].number, 10);
  EXPECT_EQ(launch.arguments[5].number, 100);
  // Of one multiprocessor all follow each other.
  launches = planLaunches(adding(), pattern, 100, 1);
  EXPECT_EQ(launches->front().gridX, 1);
  EXPECT_EQ(launches->front().gridY, 1);
  EXPECT_EQ(launches->front().gridZ, 3);
  // No columns: nothing to do.
  EXPECT_TRUE(planLaunches(adding(), pattern, 0, kUnits)->empty());
}

TEST(LaunchPlan, PartialsAreFilledAndCombined) {
  const Packed pattern = sharedRow();
  const int64_t partials = pattern.partialRows();
  ASSERT_GT(partials, 0);
  auto launches = planLaunches(withPartials(), pattern, 100, kUnits);
  ASSERT_TRUE(launches) << launches.message();
  ASSERT_EQ(launches->size(), 3u);
  const KernelLaunch &fill = launches->front();
  EXPECT_EQ(fill.entry, "fill");
  EXPECT_EQ(fill.gridX, (partials * 100 + 127) / 128);
  EXPECT_EQ(fill.arguments[0].kind, ArgumentKind::Partials);
  EXPECT_EQ(fill.arguments[0].bytes, partials * 100 * 4);
  EXPECT_EQ(fill.arguments[1].number, partials * 100);
  EXPECT_EQ((*launches)[1].entry, "main");
  EXPECT_EQ((*launches)[2].entry, "combine");
  EXPECT_EQ((*launches)[2].gridX, (partials + 3) / 4);
  // A count of elements has 64 bits: there may be more than 2^31.
  const int64_t many = (int64_t(1) << 31) / partials + 64;
  KernelFile wide = withPartials();
  wide.wide = true;
  launches = planLaunches(wide, pattern, many / 64 * 64, kUnits);
  ASSERT_TRUE(launches) << launches.message();
  EXPECT_EQ(launches->front().arguments[1].bits, 64u);
  EXPECT_EQ(launches->front().arguments[1].number, partials * (many / 64 * 64));
  EXPECT_GT(launches->front().arguments[1].number, INT32_MAX);
}

TEST(LaunchPlan, TheFirstVariantThatFitsRuns) {
  Packed pattern = sharedRow();
  KernelFile kernel = adding();
  kernel.others = {{"main_wide", 64, /*wide=*/true},
                   {"narrow", 32, /*wide=*/false},
                   {"narrow_wide", 32, /*wide=*/true}};
  auto entry = [&](int64_t columns) {
    auto launches = planLaunches(kernel, pattern, columns, kUnits);
    EXPECT_TRUE(launches) << launches.message();
    return launches ? launches->back().entry : "";
  };
  EXPECT_EQ(entry(64), "main");
  // Two columns a lane do not divide 101; of 32 half of the lanes have none.
  EXPECT_EQ(entry(101), "narrow");
  EXPECT_EQ(entry(32), "narrow");
  kernel.others.resize(1);
  EXPECT_EQ(entry(32), "main");
  // 2^28 rows of 32 vectors are beyond offsets of 32 bits.
  kernel.others = {{"narrow", 32, false}, {"main_wide", 64, true}};
  pattern.shape[1] = int64_t(1) << 28;
  EXPECT_EQ(entry(64), "main_wide");
  EXPECT_EQ(entry(16), "main");
  kernel.others.clear();
  EXPECT_EQ(planLaunches(kernel, pattern, 64, kUnits).message(),
            "expected a dense operand of fewer than 2^32 vectors, or a kernel "
            "with offsets of 64 bits, but got 268435456 rows of 32");
  // The grid is the variant's: tiles of 32 columns are four of 101.
  kernel.others = {{"narrow", 32, true}};
  auto launches = planLaunches(kernel, pattern, 101, kUnits);
  ASSERT_TRUE(launches) << launches.message();
  EXPECT_EQ(launches->back().gridY, 4);
}

TEST(LaunchPlan, LanesOfTeamsHaveAVectorOfTheirOwn) {
  Packed pattern = sharedRow();
  KernelFile kernel = adding();
  kernel.columnTile = 32;
  kernel.vector = 4;
  EXPECT_TRUE(bool(planLaunches(kernel, pattern, 28, kUnits)));
  EXPECT_EQ(planLaunches(kernel, pattern, 30, kUnits).message(),
            "expected columns divisible by 4 but got 30");
  // A tile of 16 columns is four vectors a row, and 2^30 rows are 2^32.
  kernel.columnTile = 16;
  kernel.others = {{"main_wide", 16, /*wide=*/true, /*vector=*/4}};
  pattern.shape[1] = int64_t(1) << 30;
  auto launches = planLaunches(kernel, pattern, 16, kUnits);
  ASSERT_TRUE(launches) << launches.message();
  EXPECT_EQ(launches->back().entry, "main_wide");
}

TEST(LaunchPlan, WhatDoesNotFitIsRefused) {
  const Packed pattern = sharedRow();
  auto refusal = [&](const KernelFile &kernel, int64_t columns) {
    return planLaunches(kernel, pattern, columns, kUnits).message();
  };
  // A lane of a tile of 64 columns loads two at a time.
  EXPECT_EQ(refusal(adding(), 101),
            "expected columns divisible by 2 but got 101");
  // Those of a tile of 8 load all of them.
  KernelFile kernel = adding();
  kernel.columnTile = 8;
  EXPECT_EQ(refusal(kernel, 12), "expected columns divisible by 8 but got 12");
  EXPECT_TRUE(bool(planLaunches(kernel, pattern, 16, kUnits)));
  kernel.columnTile = 0;
  EXPECT_EQ(refusal(kernel, 2),
            "expected 1 column, as the kernel computes, but got 2");
  kernel = adding();
  kernel.layout.columnBits = 16;
  EXPECT_EQ(refusal(kernel, 64),
            "expected columns of 16 bits, the kernel's, but got 32");
  kernel = adding();
  kernel.arguments[0] = "dense:1234567";
  EXPECT_EQ(refusal(kernel, 64), "expected arguments that the launcher knows "
                                 "but got 'dense:1234567'");
  kernel = adding();
  kernel.arguments[3] = "values";
  EXPECT_EQ(refusal(kernel, 64), "expected an argument 'output' but got none");
  kernel = withPartials();
  kernel.companions.pop_back();
  EXPECT_EQ(refusal(kernel, 64),
            "expected a kernel 'combine' beside this one but got none");
}
