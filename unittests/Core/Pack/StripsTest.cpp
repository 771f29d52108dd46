//===- StripsTest.cpp - when strips of wide operands pay ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Strips.h"
#include "ASTFE/Core/Graph/Partition.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "Generate.h"
#include <gtest/gtest.h>

using namespace astfe;
using namespace astfe::core;

namespace {

constexpr int64_t kNonzeros = 100000;
/// Of 512 columns of f32.
constexpr int64_t kDense = 2048;

Packed packed(const SparseView &view, PackOptions options = {}) {
  Space space = *Space::whole(view.shape, OrderKind::Rows);
  Profile profile = *countProfile(view, space, {256, 1});
  Graph graph = *partition(profile, {4096, 1});
  options.workers = 2;
  Result<Packed> result = pack(view, graph, options);
  EXPECT_TRUE(result);
  return *result;
}

Packed packed(bench::MatrixClass kind) {
  bench::Matrix matrix = bench::generate(kind, kNonzeros);
  return packed(matrix.view());
}

/// Whose last cache holds `rows` rows of kDense bytes.
Machine machineFor(int64_t rows) {
  Machine machine;
  machine.cacheBytes = {1 << 10, 1 << 12, rows * kDense / 2, rows * kDense};
  return machine;
}

} // namespace

/// Half of 6250 rows of B fit whole, and all of their strips.
TEST(Strips, ColumnsAnywhereAreTakenStripByStrip) {
  Packed uniform = packed(bench::MatrixClass::Uniform);
  EXPECT_EQ(chooseStripBytes(machineFor(3200), uniform, kDense), kStripBytes);
}

/// The strip's rows miss as well, and take longer to fetch.
TEST(Strips, NotWhereStripsDoNotFit) {
  Packed uniform = packed(bench::MatrixClass::Uniform);
  EXPECT_EQ(chooseStripBytes(machineFor(200), uniform, kDense), 0);
}

TEST(Strips, NotWhereWholeRowsAreMetAgainSoon) {
  for (bench::MatrixClass kind :
       {bench::MatrixClass::Mesh, bench::MatrixClass::BlockDiagonal}) {
    Packed local = packed(kind);
    Machine machine = machineFor(local.shape[1] / 2);
    EXPECT_EQ(chooseStripBytes(machine, local, kDense), 0);
  }
}

TEST(Strips, NotWhereTheOperandFitsOrIsNarrow) {
  Packed uniform = packed(bench::MatrixClass::Uniform);
  EXPECT_EQ(chooseStripBytes(machineFor(uniform.shape[1]), uniform, kDense), 0);
  EXPECT_EQ(chooseStripBytes(machineFor(100), uniform, kStripBytes), 0);
  EXPECT_EQ(chooseStripBytes(machineFor(100), uniform, 0), 0);
}

TEST(Strips, NothingToWalk) {
  std::vector<int32_t> positions(11, 0), columns;
  SparseView view =
      SparseView::csr(10, 1 << 20, {positions.data(), 11}, {columns.data(), 0});
  EXPECT_EQ(chooseStripBytes(machineFor(1), packed(view), kDense), 0);
}

/// Columns relative to a span's first are the columns that they stand for.
TEST(Strips, TheWidthOfColumnsMeansNothing) {
  bench::Matrix matrix =
      bench::generate(bench::MatrixClass::Uniform, kNonzeros);
  for (int64_t rows : {200, 3200}) {
    const int64_t expected =
        chooseStripBytes(machineFor(rows), packed(matrix.view()), kDense);
    PackOptions options;
    options.layout.columnBits = 16;
    Packed narrow = packed(matrix.view(), options);
    EXPECT_EQ(chooseStripBytes(machineFor(rows), narrow, kDense), expected);
  }
}

/// What has a width has its first column beside columns of 32 bits, which are
/// relative to nothing: 150 rows of B and two of C stay, twice as many do not.
TEST(Strips, ColumnsOf32BitsAreWhatTheySay) {
  Packed packed;
  packed.shape = {2, 1000};
  packed.layout.columnBits = 32;
  packed.layout.classes = ClassSet::all();
  packed.spanSlot = packed.spanSegment = {0};
  for (int64_t span = 0; span < 100; ++span) {
    const bool window = span % 2;
    packed.spanClass.push_back(
        int32_t(window ? SegmentClass::RowWindows : SegmentClass::RowSegments));
    packed.spanColumn.push_back(window ? 150 : 0);
    packed.spanWidth.push_back(window ? 150 : 0);
    for (int32_t column = 150; column < 300; ++column)
      packed.columns32.push_back(column);
    packed.segmentRow.push_back(window);
    packed.segmentEnd.push_back(150);
    packed.spanSlot.push_back(packed.slots += 150);
    packed.spanSegment.push_back(packed.segments());
  }
  EXPECT_EQ(chooseStripBytes(machineFor(270), packed, kDense), 0);
}

/// 190 rows of B would fit, in one generation of 200, but not beside as many of
/// C; strips of both do.
TEST(Strips, RowsOfTheOutputTakeRoomToo) {
  std::vector<int32_t> positions{0}, columns;
  for (int32_t row = 0; row < 19000; ++row) {
    columns.push_back(row % 190);
    positions.push_back(row + 1);
  }
  SparseView view = SparseView::csr(
      19000, 1000, {positions.data(), int64_t(positions.size())},
      {columns.data(), int64_t(columns.size())});
  EXPECT_EQ(chooseStripBytes(machineFor(300), packed(view), kDense),
            kStripBytes);
}

/// A machine in general has a last cache of 32 MiB.
TEST(Strips, PackChoosesWhereItKnowsTheOperands) {
  bench::Matrix matrix =
      bench::generate(bench::MatrixClass::Uniform, kNonzeros);
  PackOptions options;
  EXPECT_EQ(packed(matrix.view(), options).stripBytes, 0);
  options.layout.denseBytes = kDense;
  EXPECT_EQ(packed(matrix.view(), options).stripBytes, 0);
  options.layout.denseBytes = 5 * kDense;
  Packed wide = packed(matrix.view(), options);
  EXPECT_EQ(wide.stripBytes, kStripBytes);
  EXPECT_TRUE(wide.check());
  options.layout.denseBytes = -1;
  Graph graph = *partition(
      *countProfile(matrix.view(),
                    *Space::whole(matrix.view().shape, OrderKind::Rows),
                    {256, 1}),
      {4096, 1});
  EXPECT_EQ(pack(matrix.view(), graph, options).message(),
            "expected rows of the dense operands of at least 0 bytes but got "
            "-1");
}
