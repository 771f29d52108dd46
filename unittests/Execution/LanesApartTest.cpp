//===- LanesApartTest.cpp - elements that do not lie side by side ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices of columns, columns as vectors, and operands that are stored column by
// column run in vectors and by all workers, like others.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "HostKernels.h"

using namespace astfe;

namespace {
struct LanesApart : HostKernelTest {
  LanesApart() { astfe_rt_set_threads(5); }
  ~LanesApart() override {
    EXPECT_EQ(rt::Handle::live(), 0) << "handles were not released";
    astfe_rt_set_threads(0);
  }
};

std::vector<TestMatrix> samples() {
  return {TestMatrix{5, 7, {}, {}, {}},
          randomMatrix(37, 53, 0.1, 4),
          oneDenseRow(40, 900, 17),
          denseBlocks(9, 11),
          alikeRows(60, 70),
          randomMatrix(300, 420, 0.3, 5)};
}

const char *const kLayouts[] = {
    "view",
    "packed, columns = 16, classes = [row_segments, scattered]",
    "packed, columns = 16, classes = [row_segments, scattered, dense_tile]",
    "packed, columns = 16, classes = [scattered, row_slices]",
    "packed, columns = 16, classes = [row_segments, scattered, row_windows]",
    "packed, columns = 16, classes = [row_segments, scattered, row_tiles]",
};
} // namespace

TEST_F(LanesApart, SlicesOfColumns) {
  for (const char *layout : kLayouts)
    for (int64_t columns : {7, 20}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.isDouble = columns == 20;
      kernel.denseColumns = columns;
      kernel.staticColumns = columns == 7;
      kernel.padding = 3;
      kernel.apart = columns == 7 ? 2 : 3;
      expectRightBothWays(context, kernel, samples());
    }
}

TEST_F(LanesApart, ColumnsAsVectors) {
  for (const char *layout : kLayouts) {
    KernelCase kernel;
    kernel.layout = layout;
    kernel.padding = 4;
    expectRightBothWays(context, kernel, samples());
  }
}

TEST_F(LanesApart, OperandsColumnByColumn) {
  for (const char *layout : kLayouts)
    for (int64_t columns : {1, 35}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.denseColumns = columns;
      kernel.staticColumns = columns == 35;
      kernel.columnMajor = true;
      expectRightBothWays(context, kernel, samples());
    }
}

/// Operands of more than the second cache, which one or two nonzeros of each
/// column, far apart, are enough to copy; and some near each other, which are not.
TEST_F(LanesApart, LargeOperandsColumnByColumn) {
  TestMatrix diagonal;
  diagonal.rows = diagonal.columns = 8000;
  for (int64_t i = 0; i < diagonal.rows; ++i)
    diagonal.add(i, i, double(i % 7) - 3);
  for (const char *layout : {kLayouts[0], kLayouts[1]}) {
    KernelCase kernel;
    kernel.layout = layout;
    kernel.isDouble = true;
    kernel.denseColumns = 24;
    kernel.staticColumns = true;
    kernel.columnMajor = true;
    expectRightBothWays(context, kernel,
                        {randomMatrix(900, 8000, 0.002, 6), diagonal});
  }
}

/// The output is indexed by the stored coordinates: parts of its rows.
TEST_F(LanesApart, ViewsOfColumns) {
  for (bool columnMajor : {false, true}) {
    KernelCase kernel;
    kernel.byColumns = true;
    kernel.denseColumns = 45;
    kernel.columnMajor = columnMajor;
    kernel.padding = columnMajor ? 0 : 5;
    kernel.apart = columnMajor ? 1 : 2;
    expectRightBothWays(context, kernel, samples());
  }
}
