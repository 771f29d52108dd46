//===- ViewKernelsTest.cpp - host kernels over the caller's arrays --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostKernels.h"

using namespace astfe;

namespace {
using ViewKernels = HostKernelTest;

/// Empty, 1x1, ragged, one dense row, and enough nonzeros for several runs.
std::vector<TestMatrix> samples() {
  return {TestMatrix{5, 7, {}, {}, {}}, randomMatrix(1, 1, 1, 3),
          randomMatrix(37, 53, 0.1, 4), oneDenseRow(40, 90, 17),
          randomMatrix(400, 120, 0.15, 5)};
}
} // namespace

TEST_F(ViewKernels, RowsOfAnyNumberOfColumns) {
  for (int64_t columns : {1, 3, 8, 16, 17, 64, 100, 128, 130}) {
    KernelCase kernel;
    kernel.denseColumns = columns;
    kernel.staticColumns = true;
    expectRightBothWays(context, kernel, samples());
  }
}

TEST_F(ViewKernels, OneCompiledRowKernelForEveryNumberOfColumns) {
  for (bool isDouble : {false, true})
    for (int64_t columns : {1, 17, 64, 100, 130}) {
      KernelCase kernel;
      kernel.isDouble = isDouble;
      kernel.denseColumns = columns;
      expectRight(context, kernel, samples());
    }
}

/// Long rows have a loop of their own, which leaves the rest to others.
TEST_F(ViewKernels, LongRowsOfEveryLength) {
  TestMatrix rows;
  rows.columns = 97;
  for (int64_t length : {31, 32, 33, 34, 39, 40, 41, 63, 64, 97, 0, 1}) {
    for (int64_t i = 0; i < length; ++i)
      rows.add(rows.rows, i, double((i + length) % 7) - 3);
    ++rows.rows;
  }
  for (int64_t columns : {60, 64, 100, 128})
    for (bool isStatic : {false, true}) {
      KernelCase kernel;
      kernel.denseColumns = columns;
      kernel.staticColumns = isStatic;
      expectRightBothWays(context, kernel, {rows});
    }
}

/// Strip by strip, where a processor is said to gain by it: 4 MiB and more.
TEST_F(ViewKernels, FarRowsInStrips) {
  for (int64_t columns : {128, 130, 256})
    for (const char *options : {"far-strips=true", "far-strips=false"}) {
      KernelCase kernel;
      kernel.denseColumns = columns;
      kernel.staticColumns = true;
      kernel.passOptions = options;
      expectRightBothWays(context, kernel, {randomMatrix(9, 20000, 0.003, 8)});
    }
}

/// What loops ask for ahead of time lies beyond the last rows, all of which are
/// short.
TEST_F(ViewKernels, RowsOfOneNonzeroToTheEnd) {
  TestMatrix diagonal;
  diagonal.rows = diagonal.columns = 3001;
  for (int64_t i = 0; i < diagonal.rows; ++i)
    diagonal.add(i, i, double(i % 7) - 3);
  for (int64_t columns : {-1, 1, 32, 130}) {
    KernelCase kernel;
    kernel.denseColumns = columns;
    kernel.staticColumns = columns != 130;
    expectRightBothWays(context, kernel, {diagonal});
  }
}

TEST_F(ViewKernels, VectorOperand) {
  for (bool isDouble : {false, true})
    for (unsigned width : {0, 32, 64}) {
      KernelCase kernel;
      kernel.isDouble = isDouble;
      kernel.posWidth = kernel.crdWidth = width;
      expectRightBothWays(context, kernel, samples());
    }
}

/// The rest of each row fills no vector of eight, and lanes of it that have no
/// nonzero load column 0, which no row has.
TEST_F(ViewKernels, VectorOperandAndRowsOfEveryLength) {
  TestMatrix matrix;
  matrix.rows = 83;
  matrix.columns = 42;
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 1; j <= i % 41; ++j)
      matrix.add(i, j, double((i + j) % 7) - 3);
  for (const char *product : {"mulf", "addf"})
    for (const char *combiner : {"addf", "maximumf"})
      for (unsigned width : {0, 32}) {
        KernelCase kernel;
        kernel.crdWidth = width;
        kernel.product = product;
        kernel.combiner = combiner;
        expectRightBothWays(context, kernel, {matrix});
      }
}

/// Tiles of sixteen vectors, and what they leave.
TEST_F(ViewKernels, WideRows) {
  for (bool isDouble : {false, true})
    for (int64_t columns : {144, 256, 300, 520}) {
      KernelCase kernel;
      kernel.isDouble = isDouble;
      kernel.denseColumns = columns;
      kernel.staticColumns = true;
      kernel.padding = columns == 520 ? 3 : 0;
      expectRightBothWays(context, kernel, samples());
    }
}

TEST_F(ViewKernels, WidthsOfPositionsAndCoordinates) {
  for (unsigned posWidth : {0, 32, 64})
    for (unsigned crdWidth : {0, 32, 64}) {
      KernelCase kernel;
      kernel.posWidth = posWidth;
      kernel.crdWidth = crdWidth;
      kernel.denseColumns = 33;
      kernel.staticColumns = true;
      expectRight(context, kernel, samples());
    }
}

TEST_F(ViewKernels, ColumnsOfCscUpdateRows) {
  for (int64_t columns : {-1, 1, 17, 64, 130}) {
    KernelCase kernel;
    kernel.byColumns = true;
    kernel.isDouble = columns == 17;
    kernel.denseColumns = columns;
    expectRightBothWays(context, kernel, samples());
  }
}

TEST_F(ViewKernels, ColumnTilesOfTheAttribute) {
  for (int64_t tile : {4, 16, 64})
    for (int64_t columns : {3, 16, 100})
      for (bool isStatic : {false, true}) {
        KernelCase kernel;
        kernel.byColumns = tile == 16 && !isStatic;
        kernel.columnTile = tile;
        kernel.denseColumns = columns;
        kernel.staticColumns = isStatic;
        expectRight(context, kernel, samples());
      }
}
