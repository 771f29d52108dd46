//===- KernelTest.cpp - classes, layouts and derivations ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/Kernel.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {
using Names = std::vector<std::string>;

std::string refused(const Names &productions, int64_t columnTile) {
  Status status = check(Derivation{productions, columnTile});
  return status ? "fine" : status.message();
}
} // namespace

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
  layout.classes =
      ClassSet::of(SegmentClass::Scattered).with(SegmentClass::RowPairs);
  EXPECT_EQ(layout.check().message(),
            "expected 'row_windows' beside 'row_pairs'");
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

TEST(Kernel, DerivationsFollowTheLayout) {
  Layout layout;
  EXPECT_EQ(derive(layout, 128).productions,
            Names({"row_segments", "scattered", "dense_tile", "column_tile",
                   "fma_tile"}));
  layout.classes = ClassSet::of(SegmentClass::Scattered);
  EXPECT_EQ(derive(layout, 0).productions, Names({"scattered"}));
  for (uint8_t bits = 1; bits < 128; ++bits)
    for (int64_t tile : {0, 1, 128}) {
      layout.classes = {bits};
      EXPECT_TRUE(check(derive(layout, tile)));
    }
}

TEST(Kernel, DerivationsNameTheirClasses) {
  for (uint8_t bits = 1; bits < 128; ++bits) {
    Layout layout;
    layout.classes = {bits};
    EXPECT_EQ(classesOf(derive(layout, 64)), layout.classes);
  }
  EXPECT_EQ(classNames(ClassSet{5}), "row_segments, dense_tile");
}

TEST(Kernel, DerivationsAreSentencesOfTheGrammar) {
  EXPECT_EQ(refused({"row_segments", "scattered"}, 128), "fine");
  EXPECT_EQ(refused({"row_segment"}, 0),
            "expected a production of the kernel grammar but got "
            "'row_segment'");
  EXPECT_EQ(refused({}, 0), "expected at least one of 'row_segments', "
                            "'scattered', 'dense_tile', 'row_slices', "
                            "'row_windows', 'row_tiles' and 'row_pairs'");
  EXPECT_EQ(refused({"scattered", "scattered"}, 0),
            "expected each production once but got 'scattered' more often");
  EXPECT_EQ(refused({"scattered", "fma_tile"}, 0),
            "expected 'dense_tile' beside 'fma_tile'");
  EXPECT_EQ(refused({"row_segments", "one_column"}, 64),
            "expected 'one_column' to go with a column tile of 0 but got 64");
  EXPECT_EQ(refused({"row_segments", "column_tile"}, 0),
            "expected 'column_tile' to go with a column tile above 0 but got "
            "0");
  EXPECT_EQ(refused({"scattered"}, 48),
            "expected a column tile that is 0 or a power of two but got 48");
}
