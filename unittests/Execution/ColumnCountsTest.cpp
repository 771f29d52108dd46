//===- ColumnCountsTest.cpp - host kernels for each number of columns -----===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many vectors a tile has, of how many lanes, and which of them overlap is
// fixed by the number of columns, if that is known. The output has elements
// beside its rows that have to stay, and is not zero before: what is added
// twice, beside a row or not at all is seen.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "HostKernels.h"

using namespace astfe;

namespace {
/// More workers than this machine has cores, so that rows are shared.
struct ColumnCounts : HostKernelTest {
  ColumnCounts() { astfe_rt_set_threads(7); }
  ~ColumnCounts() override { astfe_rt_set_threads(0); }
};

std::vector<int64_t> columnCounts() {
  std::vector<int64_t> result;
  for (int64_t columns = 1; columns <= 40; ++columns)
    result.push_back(columns);
  result.insert(result.end(), {50, 100, 127, 129, 143});
  return result;
}

KernelCase caseOf(int64_t columns) {
  KernelCase kernel;
  kernel.denseColumns = columns;
  kernel.staticColumns = true;
  kernel.padding = 3;
  return kernel;
}

/// One class beside the scattered nonzeros, which every kernel has.
const char *const kLayouts[] = {
    "packed, columns = 32, classes = [row_segments, scattered]",
    "packed, columns = 16, classes = [scattered, row_tiles]",
    "packed, columns = 8, classes = [scattered, row_windows]",
    "packed, columns = 16, classes = [scattered, dense_tile]",
    "packed, columns = 16, classes = [scattered, row_slices]",
};

/// With each class, in f32 and in f64: a third of the counts each.
void expectPackedRight(mlir::MLIRContext &context, int64_t remainder) {
  const size_t layouts = std::size(kLayouts);
  for (int64_t columns : columnCounts()) {
    if (columns % 3 != remainder)
      continue;
    KernelCase kernel = caseOf(columns);
    kernel.layout = kLayouts[size_t(columns / 3) % layouts];
    kernel.isDouble = columns % 2;
    expectRight(context, kernel,
                {oneDenseRow(40, 300, 17), alikeRows(60, 70),
                 randomMatrix(300, 420, 0.2, unsigned(columns))});
  }
}
} // namespace

TEST_F(ColumnCounts, RowsOfAView) {
  for (int64_t columns : columnCounts())
    for (bool isDouble : {false, true}) {
      KernelCase kernel = caseOf(columns);
      kernel.isDouble = isDouble;
      expectRight(context, kernel, oneDenseRow(30, 90, 17));
    }
}

TEST_F(ColumnCounts, ColumnsOfAView) {
  for (int64_t columns : columnCounts()) {
    KernelCase kernel = caseOf(columns);
    kernel.byColumns = true;
    kernel.isDouble = columns % 2;
    expectRight(context, kernel, oneDenseRow(30, 90, 17));
  }
}

TEST_F(ColumnCounts, ViewsInNarrowVectors) {
  for (int64_t columns = 1; columns <= 20; ++columns) {
    KernelCase kernel = caseOf(columns);
    kernel.passOptions = columns % 2 ? "vector-bytes=16" : "vector-bytes=32";
    expectRight(context, kernel, oneDenseRow(30, 90, 17));
  }
}

TEST_F(ColumnCounts, TilesOfTheAttribute) {
  for (int64_t columns : {3, 5, 7, 11, 13, 23, 47})
    for (int64_t tile : {4, 8, 16}) {
      KernelCase kernel = caseOf(columns);
      kernel.columnTile = tile;
      expectRight(context, kernel, oneDenseRow(30, 90, 17));
    }
}

TEST_F(ColumnCounts, PackedRowsOfMultiplesOfThree) {
  expectPackedRight(context, 0);
}

TEST_F(ColumnCounts, PackedRowsOfOneMore) { expectPackedRight(context, 1); }

TEST_F(ColumnCounts, PackedRowsOfTwoMore) { expectPackedRight(context, 2); }

/// The last strip may be one of a few columns, without a vector before them.
TEST_F(ColumnCounts, StripByStrip) {
  for (int64_t columns : {129, 135, 151, 255})
    for (const char *layout : {kLayouts[0], kLayouts[2]}) {
      KernelCase kernel = caseOf(columns);
      kernel.layout = layout;
      kernel.layout += ", dense_bytes = 1073741824";
      expectRight(context, kernel,
                  {oneDenseRow(40, 300, 17), randomMatrix(300, 420, 0.2, 7)});
    }
}
