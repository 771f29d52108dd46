//===- KernelTest.cpp - classes, layouts and kernels ----------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
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
