//===- PackedTest.cpp - Packed::check finds every seeded fault ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOracle.h"
#include <functional>
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

/// One nonzero in each of rows 0..9, a tile in rows 10..19, fifteen in most of
/// the others, and two dense rows, which three workers must share.
CooTensor sampleMatrix() {
  CooTensor tensor{{40, 300}, {{}, {}}, {}};
  for (int64_t row = 0; row < 40; ++row) {
    bool dense = row == 25 || row == 35;
    int64_t count = row < 10 ? 1 : row < 20 ? 8 : dense ? 300 : 15;
    int64_t step = row < 20 || dense ? 1 : 17;
    for (int64_t i = 0; i < count; ++i) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(i * step);
      tensor.values.push_back(1);
    }
  }
  return tensor;
}

/// All three classes, rows of one worker and shared ones.
Packed sample(unsigned columnBits = 8) {
  CooTensor tensor = sampleMatrix();
  PackOptions options;
  options.layout.columnBits = uint8_t(columnBits);
  options.workers = 3;
  Result<Packed> result = pack(
      tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 100000), options);
  EXPECT_TRUE(result);
  return *result;
}

/// The first span of a class.
size_t spanOf(const Packed &packed, SegmentClass kind) {
  for (size_t s = 0; s < size_t(packed.spans()); ++s)
    if (packed.spanClass[s] == int32_t(kind))
      return s;
  ADD_FAILURE() << "no such span";
  return 0;
}

/// The first segment of a row that is (not) shared.
size_t segmentOf(const Packed &packed, bool shared) {
  for (size_t g = 0; g < size_t(packed.segments()); ++g)
    if ((packed.segmentRow[g] < 0) == shared)
      return g;
  ADD_FAILURE() << "no such segment";
  return 0;
}

std::string refused(const std::function<void(Packed &)> &corrupt,
                    unsigned columnBits = 8) {
  Packed packed = sample(columnBits);
  corrupt(packed);
  Status status = packed.check();
  return status ? "fine" : status.message();
}

/// True if `text` contains `part`.
bool says(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(Packed, TheSampleIsSoundAndHasEverything) {
  Packed packed = sample();
  ASSERT_TRUE(packed.check());
  for (SegmentClass kind : {SegmentClass::RowSegments, SegmentClass::Scattered,
                            SegmentClass::DenseTile})
    spanOf(packed, kind);
  EXPECT_GE(packed.combineRow.size(), 2u);
  segmentOf(packed, false);
  EXPECT_TRUE(sample(32).check());
}

TEST(Packed, Header) {
  EXPECT_EQ(refused([](Packed &p) { p.shape.push_back(1); }),
            "expected the number of extents to be 2 but got 3");
  EXPECT_EQ(refused([](Packed &p) { p.shape[0] = -1; }),
            "expected extents in 0..2147483647 but got -1");
  EXPECT_TRUE(says(refused([](Packed &p) { p.slots = p.nonzeros - 1; }),
                   "expected at least as many slots as nonzeros"));
  EXPECT_EQ(refused([](Packed &p) { p.layout.columnBits = 9; }),
            "expected columns of 8, 16 or 32 bits but got 9");
  EXPECT_TRUE(says(refused([](Packed &p) { p.groups = -1; }), "groups"));
  EXPECT_EQ(refused([](Packed &p) { p.tilesTogether = 65535; }), "fine");
  EXPECT_EQ(refused([](Packed &p) { p.tilesTogether = 65536; }),
            "expected at most 65535 tiles at the same time but got 65536");
  EXPECT_EQ(refused([](Packed &p) { p.stripBytes = 512; }), "fine");
  for (int64_t bytes : {-64, 1, 100, 32832})
    EXPECT_EQ(refused([&](Packed &p) { p.stripBytes = bytes; }),
              "expected strips of a multiple of 64 bytes, at most 32768, but "
              "got " +
                  std::to_string(bytes));
}

TEST(Packed, SizesOfTables) {
  EXPECT_EQ(refused([](Packed &p) { p.workerSpan.clear(); }),
            "expected at least 1 worker but got 0");
  const std::function<void(Packed &)> shortened[] = {
      [](Packed &p) { p.spanSlot.pop_back(); },
      [](Packed &p) { p.spanSegment.pop_back(); },
      [](Packed &p) { p.spanColumn.pop_back(); },
      [](Packed &p) { p.spanWidth.pop_back(); },
      [](Packed &p) { p.segmentTarget.pop_back(); },
      [](Packed &p) { p.segmentEnd.pop_back(); },
      [](Packed &p) { p.columns8.pop_back(); },
      [](Packed &p) { p.columns16.push_back(0); },
      [](Packed &p) { p.columns32.push_back(0); },
      [](Packed &p) { p.slotOf.pop_back(); },
      [](Packed &p) { p.combineBegin.pop_back(); }};
  for (const auto &corrupt : shortened)
    EXPECT_TRUE(says(refused(corrupt), "expected the number of entries of "));
}

TEST(Packed, Offsets) {
  EXPECT_EQ(refused([](Packed &p) { p.spanSlot[0] = 1; }),
            "expected spanSlot[0] to be 0 but got 1");
  EXPECT_TRUE(says(refused([](Packed &p) { p.spanSlot[2] = p.spanSlot[1]; }),
                   "expected spanSlot[2] to be above "));
  EXPECT_TRUE(says(refused([](Packed &p) { ++p.spanSlot.back(); }),
                   "expected the last entry of spanSlot to be "));
  EXPECT_TRUE(says(refused([](Packed &p) { p.workerSpan[1] = -1; }),
                   "expected workerSpan[1] to be at least 0"));
  EXPECT_TRUE(says(refused([](Packed &p) { ++p.workerSpan.back(); }),
                   "expected the last entry of workerSpan to be "));
  EXPECT_TRUE(
      says(refused([](Packed &p) { p.spanSegment[2] = p.spanSegment[1]; }),
           "expected spanSegment[2] to be above "));
  EXPECT_TRUE(says(refused([](Packed &p) { ++p.combineBegin.back(); }),
                   "expected the last entry of combineBegin to be "));
}

TEST(Packed, Spans) {
  EXPECT_EQ(refused([](Packed &p) { p.spanClass[0] = 3; }),
            "expected spanClass[0] to be a permitted class but got 3");
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.layout.classes = ClassSet::of(SegmentClass::Scattered);
                   }),
                   "to be a permitted class but got"));
  EXPECT_EQ(refused([](Packed &p) { p.spanColumn[0] = 300; }),
            "expected spanColumn[0] in 0..299 but got 300");
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.spanWidth[spanOf(p, SegmentClass::RowSegments)] = 4;
                   }),
                   "to be 0 but got 4"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.spanWidth[spanOf(p, SegmentClass::DenseTile)] = 301;
                   }),
                   "to stay inside the columns but got 301"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.spanClass[spanOf(p, SegmentClass::RowSegments)] =
                         int32_t(SegmentClass::Scattered);
                   }),
                   "expected the segments of scattered span "));
}

TEST(Packed, Segments) {
  EXPECT_TRUE(says(refused([](Packed &p) { p.segmentEnd[0] = 0; }),
                   "expected segmentEnd[0] in 1.."));
  EXPECT_TRUE(says(refused([](Packed &p) { p.segmentEnd[0] = 100000; }),
                   "expected segmentEnd[0] in 1.."));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     size_t s = spanOf(p, SegmentClass::RowSegments);
                     --p.segmentEnd[size_t(p.spanSegment[s + 1]) - 1];
                   }),
                   " to end at "));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     size_t s = spanOf(p, SegmentClass::DenseTile);
                     --p.segmentEnd[size_t(p.spanSegment[s])];
                   }),
                   " of a tile to have slots "));
  EXPECT_TRUE(says(refused([](Packed &p) { p.segmentRow[0] = 40; }),
                   "expected the row of segmentRow[0] in 0..39 but got 40"));
  EXPECT_TRUE(says(refused([](Packed &p) { p.segmentRow[0] = ~40; }),
                   "expected the row of segmentRow[0] in 0..39 but got 40"));
}

TEST(Packed, Slices) {
  auto refusedSlice = [](void (*corrupt)(Packed &)) {
    CooTensor tensor{{32, 100}, {{}, {}}, {}};
    for (int64_t row = 0; row < 32; ++row)
      for (int64_t k = 0; k < (row == 3 ? 6 : 5); ++k) {
        tensor.coordinates[0].push_back(row);
        tensor.coordinates[1].push_back(9 * k);
        tensor.values.push_back(1);
      }
    PackOptions options;
    options.layout.classes =
        ClassSet::of(SegmentClass::Scattered).with(SegmentClass::RowSlices);
    Result<Packed> packed = pack(
        tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1000), options);
    EXPECT_TRUE(packed);
    EXPECT_EQ(packed->spanClass[0], int32_t(SegmentClass::RowSlices));
    EXPECT_TRUE(packed->check());
    corrupt(*packed);
    Status status = packed->check();
    return status ? "fine" : status.message();
  };
  EXPECT_EQ(refusedSlice([](Packed &p) {
              p.segmentEnd.erase(p.segmentEnd.begin());
              p.segmentRow.erase(p.segmentRow.begin());
              p.segmentTarget.erase(p.segmentTarget.begin());
              p.spanSegment.back() -= 1;
            }),
            "expected the segments of span 0 to make slices of 16 but got 31");
  EXPECT_EQ(refusedSlice([](Packed &p) { p.segmentEnd[7] += 1; }),
            "expected segment 7 of a slice to be no longer than 5 but got 6");
}

TEST(Packed, WindowsFitTheKernelsCopies) {
  CooTensor tensor{{40, 400}, {{}, {}}, {}};
  for (int64_t row = 0; row < 40; ++row)
    for (int64_t column = row % 2; column < 400; column += 2) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(column);
      tensor.values.push_back(1);
    }
  PackOptions options;
  options.layout.classes = ClassSet::all();
  Packed packed = *pack(
      tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 100000), options);
  ASSERT_EQ(packed.spanClass[0], int32_t(SegmentClass::RowWindows));
  EXPECT_TRUE(packed.check());
  packed.spanWidth[0] = 193;
  EXPECT_EQ(packed.check().message(),
            "expected spanWidth[0] to be at most 192 but got 193");
}

TEST(Packed, TilesOfRows) {
  auto refusedTile = [](const std::function<void(Packed &)> &corrupt) {
    CooTensor tensor{{5, 100}, {{}, {}}, {}};
    for (int64_t row = 0; row < 5; ++row)
      for (int64_t k = 0; k < 6; ++k) {
        tensor.coordinates[0].push_back(row);
        tensor.coordinates[1].push_back(9 * k);
        tensor.values.push_back(1);
      }
    PackOptions options;
    options.layout.classes =
        ClassSet::of(SegmentClass::Scattered).with(SegmentClass::RowTiles);
    Result<Packed> packed = pack(
        tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 1000), options);
    EXPECT_TRUE(packed);
    EXPECT_EQ(packed->spanClass[0], int32_t(SegmentClass::RowTiles));
    EXPECT_TRUE(packed->check());
    corrupt(*packed);
    Status status = packed->check();
    return status ? "fine" : status.message();
  };
  EXPECT_EQ(refusedTile([](Packed &p) { p.columns32[13] = 10; }),
            "expected the column of slot 13 of a tile to be 9 but got 10");
  EXPECT_EQ(refusedTile([](Packed &p) { --p.segmentEnd[2]; }),
            "expected segment 2 of a tile to have slots 6 but got 5");
  EXPECT_EQ(refusedTile([](Packed &p) { p.spanWidth[0] = 0; }),
            "expected spanWidth[0] to stay inside the columns but got 0");
}

TEST(Packed, Columns) {
  EXPECT_TRUE(says(refused([](Packed &p) { p.columns32[0] = 300; }, 32),
                   "expected the column of slot 0 in 0..299 but got 300"));
  EXPECT_TRUE(says(refused([](Packed &p) { p.columns32[0] = -1; }, 32),
                   "expected the column of slot 0 in 0..299 but got -1"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.spanColumn[spanOf(p, SegmentClass::RowSegments)] = 299;
                   }),
                   "expected the column of slot "));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     size_t s = spanOf(p, SegmentClass::DenseTile);
                     ++p.columns8[size_t(p.spanSlot[s]) + 1];
                   }),
                   " of a tile to be "));
}

TEST(Packed, Sharing) {
  EXPECT_TRUE(says(
      refused([](Packed &p) { p.segmentTarget[segmentOf(p, false)] ^= 1; }),
      "expected segmentTarget["));
  EXPECT_TRUE(
      says(refused([](Packed &p) { p.segmentTarget[segmentOf(p, true)] = 0; }),
           "to be the complement of a partial row but got 0"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.segmentTarget[segmentOf(p, true)] =
                         ~int32_t(p.partialRows());
                   }),
                   "to be the complement of a partial row"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     int32_t &target = p.segmentTarget[segmentOf(p, true)];
                     target = ~((~target + 1) % int32_t(p.partialRows()));
                   }),
                   "partial row "));
  // A shared row that one worker writes as if it were its own.
  EXPECT_NE(refused([](Packed &p) {
              size_t g = segmentOf(p, true);
              p.segmentRow[g] = p.segmentTarget[g] = ~p.segmentRow[g];
            }),
            "fine");
  // Rows that two workers write must be marked.
  EXPECT_TRUE(says(refused([](Packed &p) {
                     for (size_t g = 0; g < size_t(p.segments()); ++g)
                       if (p.segmentRow[g] < 0)
                         p.segmentRow[g] = p.segmentTarget[g] =
                             ~p.segmentRow[g];
                     p.combineRow.clear();
                     p.combineBegin = {0};
                     p.combinePartial.clear();
                   }),
                   "to be shared, as more than one worker writes it"));
}

TEST(Packed, CombineTables) {
  EXPECT_TRUE(says(refused([](Packed &p) { p.combineRow[0] = 40; }),
                   "expected combineRow[0] to be an ascending row"));
  EXPECT_TRUE(
      says(refused([](Packed &p) { p.combineRow[1] = p.combineRow[0]; }),
           "expected combineRow[1] to be an ascending row"));
  EXPECT_TRUE(says(refused([](Packed &p) { p.combineBegin[1] = 1; }),
                   "expected at least 2 partial rows"));
  EXPECT_TRUE(says(
      refused([](Packed &p) { p.combinePartial[0] = p.combinePartial[1]; }),
      "to be a partial row not used before"));
  EXPECT_TRUE(says(refused([](Packed &p) { p.combinePartial[0] = -1; }),
                   "to be a partial row not used before but got -1"));
}

/// Row 3 is written by three segments, rows 0 and 5 by none.
Packed sampleOfGroups() {
  CooTensor tensor{{6, 64}, {{}, {}}, {}};
  for (int64_t row : {1, 2, 3, 4})
    for (int64_t column = 0; column < (row == 3 ? 60 : 3); ++column) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(column);
      tensor.values.push_back(1);
    }
  PackOptions options;
  options.workers = 2;
  options.maxSpanSlots = 20;
  Result<Packed> result = pack(
      tensor.view(), graphOf(tensor.view(), OrderKind::Hilbert, 8), options);
  EXPECT_TRUE(result);
  return *result;
}

TEST(Packed, StartsAreMarked) {
  Packed packed = sampleOfGroups();
  ASSERT_TRUE(packed.check()) << packed.check().message();
  ASSERT_EQ(int64_t(packed.segmentFirst.size()), packed.segments());
  EXPECT_EQ(packed.workerGap, std::vector<int64_t>({0, 1, 2}));
  EXPECT_EQ(packed.gapBegin, Table<int32_t>({0, 5}));
  EXPECT_EQ(packed.gapEnd, Table<int32_t>({1, 6}));
  // Rows that are all whole have no marks.
  EXPECT_TRUE(sample(32).segmentFirst.empty());

  auto says = [&](const std::function<void(Packed &)> &corrupt,
                  const char *part) {
    Packed broken = sampleOfGroups();
    corrupt(broken);
    Status status = broken.check();
    return !status && status.message().find(part) != std::string::npos;
  };
  EXPECT_TRUE(says([](Packed &p) { p.segmentFirst[0] = 0; },
                   "expected segment 0 to be marked as the first"));
  EXPECT_TRUE(says([](Packed &p) { p.segmentFirst.clear(); },
                   "to be marked as not the first of its target"));
  EXPECT_TRUE(says([](Packed &p) { p.segmentFirst.pop_back(); },
                   "the number of entries of segmentFirst"));
  EXPECT_TRUE(says([](Packed &p) { ++p.gapEnd[0]; },
                   "expected no segment to write row 1 of a gap"));
  EXPECT_TRUE(says([](Packed &p) { p.gapEnd[1] = 7; },
                   "expected gapBegin[1] to begin an ascending run of rows"));
  EXPECT_TRUE(says([](Packed &p) { p.gapBegin[1] = 6; },
                   "expected gapBegin[1] to begin an ascending run of rows"));
  EXPECT_TRUE(says(
      [](Packed &p) {
        p.gapBegin[1] = 0;
        p.gapEnd[1] = 1;
      },
      "expected row 0 to be in one gap but got two"));
  EXPECT_TRUE(says(
      [](Packed &p) {
        p.gapBegin.pop_back();
        p.gapEnd.pop_back();
        p.workerGap.back() = 1;
      },
      "the rows without a segment that are in no gap to be 0 but got 1"));
  EXPECT_TRUE(says([](Packed &p) { p.workerGap[1] = 3; }, "workerGap"));
  Packed all = sample(32);
  all.segmentFirst.assign(size_t(all.segments()), 1);
  EXPECT_FALSE(all.check());
}

/// A hundred rows of gaps, most of them in one, shared evenly.
TEST(Packed, WorkersShareGapsEvenly) {
  CooTensor tensor{{103, 2}, {{1, 3, 102}, {0, 1, 0}}, {1, 1, 1}};
  PackOptions options;
  options.workers = 4;
  Result<Packed> packed =
      pack(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8), options);
  ASSERT_TRUE(packed);
  ASSERT_TRUE(packed->check()) << packed->check().message();
  EXPECT_EQ(packed->workerGap, std::vector<int64_t>({0, 3, 4, 5, 6}));
  EXPECT_EQ(packed->gapBegin, Table<int32_t>({0, 2, 4, 27, 52, 77}));
  EXPECT_EQ(packed->gapEnd, Table<int32_t>({1, 3, 27, 52, 77, 102}));
}

/// Without a nonzero all rows are a gap, of far more rows than segments too.
TEST(Packed, NothingButGaps) {
  for (int64_t rows : {int64_t(7), int64_t(2147483647)}) {
    CooTensor tensor{{rows, 2}, {{}, {}}, {}};
    PackOptions options;
    options.workers = 2;
    Result<Packed> packed = pack(
        tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8), options);
    ASSERT_TRUE(packed);
    ASSERT_TRUE(packed->check()) << packed->check().message();
    int32_t half = int32_t(rows / 2 + 1);
    EXPECT_EQ(packed->gapBegin, Table<int32_t>({0, half}));
    EXPECT_EQ(packed->gapEnd, Table<int32_t>({half, int32_t(rows)}));
  }
}

TEST(Packed, SlotMap) {
  EXPECT_TRUE(says(refused([](Packed &p) { p.slotOf[1] = p.slotOf[0]; }),
                   "expected slotOf[1] to be a slot not used before"));
  EXPECT_TRUE(says(refused([](Packed &p) { p.slotOf[1] = p.slots; }),
                   "expected slotOf[1] to be a slot not used before"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.slotOf.pop_back();
                     --p.nonzeros;
                   }),
                   "expected slots without zero-filled ones to be"));
  EXPECT_TRUE(says(refused([](Packed &p) {
                     p.slotOf.clear();
                     --p.nonzeros;
                   }),
                   "expected slots in the order of the nonzeros to be"));
}
