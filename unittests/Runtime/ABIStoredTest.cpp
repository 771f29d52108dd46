//===- ABIStoredTest.cpp - matrices that are packed unless they are stored ===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module leaves to the run time is what C and Python take.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Kernel/LayoutFile.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "Generate.h"
#include "MemRefOf.h"
#include "gtest/gtest.h"

using namespace astfe;
using namespace astfe::rt;

namespace {

struct ABIStored : testing::Test {
  ~ABIStored() override {
    EXPECT_EQ(Handle::live(), 0);
    astfe_rt_clear_error();
  }

  /// By rows, or Hilbert's curve.
  void *pack(bench::Matrix &matrix, int64_t columns, int64_t elementBytes = 4,
             core::OrderKind order = core::OrderKind::Rows) {
    core::PlanOptions options;
    options.order = order;
    auto plan = core::makePlan(matrix.view(), options);
    EXPECT_TRUE(plan) << plan.message();
    return pack(matrix, columns, elementBytes, std::move(plan->fused));
  }

  void *pack(bench::Matrix &matrix, int64_t columns, int64_t elementBytes,
             core::Graph by) {
    auto *graph = new GraphHandle(std::move(by));
    AstfeMemRef1D p = memref(matrix.positions), c = memref(matrix.coordinates),
                  text = {layout.data(), layout.data(), 0,
                          int64_t(layout.size()), 1};
    void *pattern = _mlir_ciface_astfe_rt_pack_unless_stored_p32c32(
        &p, &c, matrix.rows, matrix.columns, ASTFE_CSR, graph, &text, 2, 1,
        columns, elementBytes);
    _mlir_ciface_astfe_rt_release(graph);
    return pattern;
  }

  int64_t isStored(bench::Matrix &matrix, int64_t columns,
                   core::OrderKind order = core::OrderKind::Rows) {
    void *pattern = pack(matrix, columns, 4, order);
    EXPECT_NE(pattern, nullptr) << astfe_rt_last_error();
    const int64_t stored = _mlir_ciface_astfe_rt_is_stored(pattern);
    EXPECT_EQ(_mlir_ciface_astfe_rt_nonzeros(pattern),
              stored ? 0 : int64_t(matrix.coordinates.size()));
    _mlir_ciface_astfe_rt_release(pattern);
    return stored;
  }

  std::string layout = core::toJson(core::Layout());
  /// Short rows anywhere, of which pack finds rows only.
  bench::Matrix rows = bench::generate(bench::MatrixClass::Uniform, 60000, 3);
  /// Rows that share their columns.
  bench::Matrix blocks =
      bench::generate(bench::MatrixClass::BlockDiagonal, 60000, 3);
};

TEST_F(ABIStored, RowsWithFewColumnsAreStored) {
  EXPECT_EQ(isStored(rows, 8), 1);
  EXPECT_EQ(isStored(rows, 1), 0) << "a vector";
}

TEST_F(ABIStored, BlocksArePacked) { EXPECT_EQ(isStored(blocks, 64), 0); }

TEST_F(ABIStored, OtherOrdersArePacked) {
  EXPECT_EQ(isStored(rows, 8, core::OrderKind::Hilbert), 0);
}

TEST_F(ABIStored, TinyProductsAreStored) {
  bench::Matrix tiny =
      bench::generate(bench::MatrixClass::BlockDiagonal, 100, 3);
  EXPECT_EQ(isStored(tiny, 1), 1);
}

TEST_F(ABIStored, CoordinatesOutsideAreErrors) {
  bench::Matrix tiny =
      bench::generate(bench::MatrixClass::BlockDiagonal, 100, 3);
  core::PlanOptions options;
  options.order = core::OrderKind::Rows;
  const core::Graph graph = core::makePlan(tiny.view(), options)->fused;
  tiny.coordinates[1] = int32_t(tiny.columns);
  EXPECT_EQ(pack(tiny, 8, 4, graph), nullptr);
  EXPECT_STREQ(astfe_rt_last_error(),
               ("nonzero 1: expected a coordinate of mode 1 below " +
                std::to_string(tiny.columns) + " but got " +
                std::to_string(tiny.columns))
                   .c_str());
}

TEST_F(ABIStored, WhatIsStoredHasNoValues) {
  void *pattern = pack(rows, 8);
  std::vector<float> values(rows.coordinates.size(), 1), none;
  AstfeMemRef1D source = memref(values), result = memref(none);
  _mlir_ciface_astfe_rt_values_f32(pattern, &source, &result);
  EXPECT_STREQ(astfe_rt_last_error(), nullptr);
  EXPECT_EQ(_mlir_ciface_astfe_rt_slots(pattern), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_pattern_workers(pattern), 0);
  EXPECT_EQ(_mlir_ciface_astfe_rt_extent(pattern, 0), rows.rows);
  _mlir_ciface_astfe_rt_release(pattern);
}

TEST_F(ABIStored, NoKernelRunsWhatIsStored) {
  void *pattern = pack(rows, 8);
  EXPECT_EQ(_mlir_ciface_astfe_rt_fits(pattern, 32, ~0u), 0);
  EXPECT_STREQ(astfe_rt_last_error(),
               "expected a packed pattern but got that of a matrix which is "
               "read where it is stored");
  _mlir_ciface_astfe_rt_release(pattern);
}

TEST_F(ABIStored, OtherPatternsAreNotStored) {
  EXPECT_EQ(_mlir_ciface_astfe_rt_is_stored(nullptr), 0);
}

TEST_F(ABIStored, ProductsOfNothingAreErrors) {
  EXPECT_EQ(pack(rows, -1), nullptr);
  EXPECT_STREQ(astfe_rt_last_error(),
               "expected 0 columns or more, of elements of 1 to 64 bytes, but "
               "got -1 and 4");
  astfe_rt_clear_error();
  EXPECT_EQ(pack(rows, 8, 128), nullptr);
  EXPECT_STREQ(astfe_rt_last_error(),
               "expected 0 columns or more, of elements of 1 to 64 bytes, but "
               "got 8 and 128");
}

} // namespace
