//===- KernelTest.cpp - classes, layouts and kernels ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/LayoutFile.h"
#include <gtest/gtest.h>

using namespace astfe::core;

TEST(Kernel, NamesOfClassesParseBack) {
  for (unsigned i = 0; i < kSegmentClasses; ++i)
    EXPECT_EQ(parseClass(className(SegmentClass(i))), SegmentClass(i));
  EXPECT_EQ(parseClass("dense"), std::nullopt);
}

TEST(Kernel, LayoutsAreChecked) {
  Layout layout;
  EXPECT_TRUE(layout.check());
  layout.columnBits = 12;
  EXPECT_EQ(layout.check().message(),
            "expected columns of 8, 16 or 32 bits but got 12");
  layout.columnBits = 16;
  for (SegmentClass any :
       {SegmentClass::RowSegments, SegmentClass::Scattered}) {
    layout.classes = ClassSet::of(any);
    EXPECT_TRUE(layout.check());
  }
  layout.classes =
      ClassSet::of(SegmentClass::RowSegments).with(SegmentClass::RowSlices);
  EXPECT_EQ(layout.check().message(),
            "expected 'scattered' beside 'row_slices'");
  layout.classes = ClassSet::of(SegmentClass::DenseTile);
  EXPECT_EQ(layout.check().message(),
            "expected packed storage to permit 'row_segments' or 'scattered' "
            "but got 'dense_tile'");
  layout.storage = Storage::View;
  EXPECT_TRUE(layout.check());
  layout.classes.bits = 128;
  EXPECT_EQ(layout.check().message(),
            "expected a set of known classes but got the bits 128");
}

TEST(Kernel, WhatPackIsToldIsForOneTarget) {
  Layout host;
  host.windowColumns = 0;
  EXPECT_EQ(host.check().message(),
            "expected windows of 1..192 columns but got 0");
  host.windowColumns = kWidestWindow;
  EXPECT_TRUE(host.check());
  host.denseBytes = -1;
  EXPECT_EQ(host.check().message(), "expected rows of the dense operands of at "
                                    "least 0 bytes but got -1");
  host.denseBytes = 2048;
  EXPECT_TRUE(host.check());
  host.target = PackTarget::GPU;
  EXPECT_EQ(host.check().message(),
            "expected windows and bytes of dense operands for a host only but "
            "got them for a GPU");
  Layout gpu;
  gpu.columnTile = 64;
  EXPECT_EQ(gpu.check().message(),
            "expected a column tile for a GPU only but got 64 for a host");
  gpu.target = PackTarget::GPU;
  EXPECT_TRUE(gpu.check());
  gpu.columnTile = 2 * kWidestTile;
  EXPECT_EQ(gpu.check().message(),
            "expected a column tile that is 0 or a power "
            "of two up to 128 but got 256");
  gpu.columnTile = 0;
  EXPECT_TRUE(gpu.check());
  gpu.classes = gpu.classes.with(SegmentClass::RowTiles);
  EXPECT_EQ(gpu.check().message(),
            "expected classes that kernels of a GPU have but got 'row_tiles'");
}

/// One layout a field, each with another value than the default.
static std::vector<Layout> layoutsByField() {
  std::vector<Layout> layouts(9);
  layouts[1].storage = Storage::View;
  layouts[2].columnBits = 8;
  layouts[3].classes = ClassSet::of(SegmentClass::Scattered);
  layouts[4].deterministic = true;
  layouts[5].assumeFinite = true;
  layouts[6].windowColumns = 48;
  layouts[7].denseBytes = int64_t(1) << 40;
  layouts[8].target = PackTarget::GPU;
  layouts.push_back(layouts[8]);
  layouts.back().columnTile = 0;
  return layouts;
}

TEST(Kernel, LayoutsAreTexts) {
  const std::vector<Layout> layouts = layoutsByField();
  for (size_t i = 0; i < layouts.size(); ++i)
    for (size_t j = 0; j < layouts.size(); ++j) {
      Result<Layout> back = parseLayout(toJson(layouts[i]), "l");
      ASSERT_TRUE(back) << back.message();
      EXPECT_EQ(*back == layouts[j], i == j) << i << ' ' << j;
    }
}

TEST(Kernel, TextsThatAreNoLayouts) {
  const std::string text = toJson(Layout());
  auto refused = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    const size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from << " in " << text;
    changed.replace(at, from.size(), to);
    return parseLayout(changed, "l").message();
  };
  EXPECT_EQ(refused("\"host\"", "\"tpu\""),
            "l: target: expected host or gpu but got \"tpu\"");
  EXPECT_EQ(refused("\"window\":96", "\"window\":193"),
            "l: window: expected an integer in 1..192 but got 193");
  EXPECT_EQ(refused("\"column_tile\":128", "\"column_tile\":64"),
            "l: expected a column tile for a GPU only but got 64 for a host");
  EXPECT_NE(refused(",\"dense_bytes\":0", ""), "");
  EXPECT_NE(refused("{", ""), "");
}

TEST(Kernel, KernelsDependOnHowAPatternIsStoredOnly) {
  const std::vector<Layout> layouts = layoutsByField();
  for (size_t i = 1; i < layouts.size(); ++i) {
    const Layout &other = i + 1 == layouts.size() ? layouts[8] : layouts[0];
    const bool onlyPackReads = i == 6 || i == 7 || i == 9;
    EXPECT_EQ(layouts[i].forKernels() == other.forKernels(), onlyPackReads)
        << i;
  }
}

TEST(Kernel, SetsListTheirClasses) {
  EXPECT_EQ(classNames(ClassSet{5}), "row_segments, dense_tile");
  EXPECT_EQ(classNames(ClassSet{3}, "' or '"), "row_segments' or 'scattered");
  EXPECT_EQ(ClassSet::all().list().size(), kSegmentClasses);
  EXPECT_EQ(classNames(ClassSet::general()),
            "row_segments, scattered, dense_tile");
}

TEST(Kernel, KernelsAreChecked) {
  auto refused = [](ClassSet classes, int64_t columnTile) {
    Status status = Kernel{classes, columnTile}.check();
    return status ? "fine" : status.message();
  };
  EXPECT_EQ(refused({3}, 128), "fine");
  EXPECT_EQ(refused({}, 0),
            "expected at least one of row_segments, scattered, dense_tile, "
            "row_slices, row_windows, row_tiles");
  EXPECT_EQ(refused({2}, 48),
            "expected a column tile that is 0 or a power of two but got 48");
}
