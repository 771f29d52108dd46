//===- PackGapsTest.cpp - rows that no segment writes ---------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOracle.h"
#include <gtest/gtest.h>

using namespace astfe::core;

namespace {

/// Rows 1, 4 and 6 of 12 have a nonzero. Narrow ones, unless `denseBytes` is 0.
Packed sampleOfGaps(int64_t workers, int64_t denseBytes) {
  CooTensor tensor{{12, 2}, {{1, 4, 6}, {0, 1, 0}}, {1, 1, 1}};
  PackOptions options;
  options.workers = workers;
  options.layout.denseBytes = denseBytes;
  Result<Packed> packed =
      pack(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8), options);
  EXPECT_TRUE(packed);
  return *packed;
}

/// One worker clears what it then writes; of rows that lie apart, or that
/// others write, it clears none.
TEST(PackGaps, GoOnBeyondNarrowRows) {
  EXPECT_EQ(sampleOfGaps(1, 0).gaps(), 4);
  EXPECT_EQ(sampleOfGaps(1, 256).gaps(), 4);
  Packed one = sampleOfGaps(1, 128);
  ASSERT_TRUE(one.check()) << one.check().message();
  EXPECT_EQ(one.gapBegin, Table<int32_t>({0}));
  EXPECT_EQ(one.gapEnd, Table<int32_t>({12}));

  Packed two = sampleOfGaps(2, 128);
  ASSERT_TRUE(two.check()) << two.check().message();
  ASSERT_EQ(two.spanSegment[size_t(two.workerSpan[1])], 2) << "rows 1 and 4";
  EXPECT_EQ(two.workerGap, std::vector<int64_t>({0, 1, 2}));
  EXPECT_EQ(two.gapBegin, Table<int32_t>({0, 7}));
  EXPECT_EQ(two.gapEnd, Table<int32_t>({6, 12}));

  Packed broken = two;
  broken.gapEnd[0] = 12;
  broken.gapBegin.pop_back();
  broken.gapEnd.pop_back();
  broken.workerGap = {0, 1, 1};
  EXPECT_EQ(broken.check().message(),
            "expected no segment of other workers than 0 to write row 6 of a "
            "gap");
}

/// Slices are of products whose rows are elements, more of which are cleared in
/// vain before that takes long.
TEST(PackGaps, GoOnBeyondElements) {
  for (int64_t written : {32, 33}) {
    CooTensor tensor{{written + 2, 1}, {{}, {}}, {}};
    for (int64_t row = 1; row <= written; ++row) {
      tensor.coordinates[0].push_back(row);
      tensor.coordinates[1].push_back(0);
      tensor.values.push_back(1);
    }
    PackOptions options;
    options.layout.classes =
        options.layout.classes.with(SegmentClass::RowSlices);
    Result<Packed> packed = pack(
        tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8), options);
    ASSERT_TRUE(packed);
    ASSERT_TRUE(packed->check()) << packed->check().message();
    EXPECT_EQ(packed->gaps(), written == 32 ? 1 : 2);
  }
}

/// Rows of several workers are written after all have cleared theirs.
TEST(PackGaps, GoOnBeyondRowsOfSeveralWorkers) {
  CooTensor tensor{{5, 64}, {{}, {}}, {}};
  for (int64_t column = 0; column < 64; ++column) {
    tensor.coordinates[0].push_back(2);
    tensor.coordinates[1].push_back(column);
    tensor.values.push_back(1);
  }
  PackOptions options;
  options.workers = 4;
  options.layout.denseBytes = 128;
  Result<Packed> packed =
      pack(tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8), options);
  ASSERT_TRUE(packed);
  ASSERT_TRUE(packed->check()) << packed->check().message();
  ASSERT_EQ(packed->combineRow, std::vector<int32_t>({2}));
  // Anyone's: five rows for four workers.
  EXPECT_EQ(packed->gapBegin, Table<int32_t>({0, 2, 3, 4}));
  EXPECT_EQ(packed->gapEnd, Table<int32_t>({2, 3, 4, 5}));
}

/// Gaps that are not joined are cleared between spans, so that these are short,
/// but not shorter than a row.
TEST(PackGaps, AreBetweenShortSpans) {
  auto spansOf = [](int64_t longest, bool hasGaps, int64_t denseBytes) {
    // Rows of three nonzeros, behind one that is longer.
    std::vector<int64_t> positions{0, longest}, coordinates;
    for (int64_t row = 0; row < 3000; ++row)
      positions.push_back(positions.back() + (hasGaps && row % 7 == 0 ? 0 : 3));
    for (size_t row = 0; row < 3001; ++row)
      for (int64_t i = positions[row]; i < positions[row + 1]; ++i)
        coordinates.push_back(i - positions[row]);
    const SparseView view = SparseView::csr(
        3001, 5000, {positions.data(), int64_t(positions.size())},
        {coordinates.data(), int64_t(coordinates.size())});
    PackOptions options;
    options.layout.denseBytes = denseBytes;
    Result<Packed> packed =
        pack(view, graphOf(view, OrderKind::Rows, 100000), options);
    EXPECT_TRUE(packed && packed->check());
    int64_t most = 0;
    for (size_t s = 0; s < size_t(packed->spans()); ++s)
      most = std::max(most, packed->spanSlot[s + 1] - packed->spanSlot[s]);
    EXPECT_TRUE(packed->segmentFirst.empty()) << "rows are whole";
    return most;
  };
  EXPECT_GT(spansOf(3, false, 0), 8000);
  EXPECT_LE(spansOf(3, true, 0), 2048);
  EXPECT_GE(spansOf(3, true, 0), 1024);
  EXPECT_LE(spansOf(3000, true, 0), 3000);
  EXPECT_GT(spansOf(3, true, 128), 7000) << "joined";
}

/// All workers share a long run, before rows that are written or behind them.
TEST(PackGaps, LongRunsAreShared) {
  for (int64_t row : {1, 99998}) {
    CooTensor tensor{{100000, 2}, {{row}, {0}}, {1}};
    PackOptions options;
    options.workers = 2;
    options.layout.denseBytes = 128;
    Result<Packed> packed = pack(
        tensor.view(), graphOf(tensor.view(), OrderKind::Rows, 8), options);
    ASSERT_TRUE(packed);
    ASSERT_TRUE(packed->check()) << packed->check().message();
    for (int64_t worker : {0, 1}) {
      int64_t rows = 0;
      for (auto i = size_t(packed->workerGap[size_t(worker)]);
           i < size_t(packed->workerGap[size_t(worker) + 1]); ++i)
        rows += packed->gapEnd[i] - packed->gapBegin[i];
      EXPECT_NEAR(double(rows), 50000, 1);
    }
  }
}

} // namespace
