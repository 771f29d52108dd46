//===- ABISearchTest.cpp - arrangements that the runtime chooses ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module leaves to the run time is what makePlan() decides.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "Generate.h"
#include "MemRefOf.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace astfe;
using namespace astfe::rt;

namespace {

struct ABISearch : testing::Test {
  ~ABISearch() override {
    EXPECT_EQ(Handle::live(), 0);
    astfe_rt_clear_error();
  }

  void *profile(int64_t columns, int64_t runs, int64_t search) {
    AstfeMemRef1D p = memref(matrix.positions), c = memref(matrix.coordinates);
    return _mlir_ciface_astfe_rt_searched_profile_p32c32(
        &p, &c, matrix.rows, matrix.columns, ASTFE_CSR, 0, 10, 256, 0,
        core::kAutoHubs, columns, 4, runs, search);
  }

  /// The graph behind it, by all steps, with their defaults.
  core::Graph graph(int64_t columns, int64_t runs, int64_t search) {
    const double automatic = std::nan("");
    void *counted = profile(columns, runs, search);
    void *grid = _mlir_ciface_astfe_rt_partition(counted, 0, 64);
    void *refined =
        _mlir_ciface_astfe_rt_refine(grid, counted, automatic, 64, 4, 256, -1);
    void *fused = _mlir_ciface_astfe_rt_fuse(refined, counted, automatic, 64, 4,
                                             1 << 20, columns, 4);
    EXPECT_STREQ(astfe_rt_last_error(), nullptr);
    core::Graph graph = handleAs<GraphHandle>(fused)->value;
    for (void *handle : {counted, grid, refined, fused})
      _mlir_ciface_astfe_rt_release(handle);
    return graph;
  }

  core::Plan plan(int64_t columns, int64_t runs, bool samples, bool whole) {
    core::PlanOptions options;
    options.reorder = std::nullopt;
    options.hubs = core::kAutoHubs;
    options.expectedRuns = runs;
    options.samples = samples;
    options.wholeRows = whole;
    options.fuse.columns = columns;
    options.fuse.elementBytes = 4;
    auto plan = core::makePlan(matrix.view(), options);
    EXPECT_TRUE(plan) << plan.message();
    return std::move(*plan);
  }

  void expectSame(int64_t columns, int64_t runs, bool samples, bool whole) {
    const core::Plan expected = plan(columns, runs, samples, whole);
    const core::Graph graph =
        this->graph(columns, runs,
                    ASTFE_SEARCH_ORDERS | ASTFE_SEARCH_REORDERINGS |
                        (samples ? ASTFE_SEARCH_SAMPLES : 0) |
                        (whole ? ASTFE_SEARCH_WHOLE : 0));
    EXPECT_EQ(graph.space, expected.fused.space);
    EXPECT_EQ(graph.nonzeros, expected.fused.nonzeros);
    EXPECT_EQ(graph.groups, expected.fused.groups);
  }

  bench::Matrix matrix = bench::shuffle(
      bench::generate(bench::MatrixClass::PermutedBlocks, 40000, 3), 5);
};

TEST_F(ABISearch, ChoosesWhatPlansDo) {
  for (int64_t columns : {1, 32, 128})
    for (int64_t runs : {1, 100, 1000000})
      for (bool samples : {false, true})
        for (bool whole : {false, true}) {
          SCOPED_TRACE(std::to_string(columns) + " columns, " +
                       std::to_string(runs) + " runs");
          expectSame(columns, runs, samples, whole);
        }
  // What is compared here is not always rows as they are.
  EXPECT_FALSE(plan(128, 1000000, false, true).arrangement.isPlain());
}

TEST_F(ABISearch, KeepsWhatIsNotCompared) {
  const core::Graph graph =
      this->graph(128, 1000000, ASTFE_SEARCH_ORDERS | ASTFE_SEARCH_WHOLE);
  EXPECT_TRUE(graph.space.permutations.empty());
}

TEST_F(ABISearch, RowsThatStayWholeAreOneBlock) {
  EXPECT_EQ(graph(128, 1, 3 | ASTFE_SEARCH_WHOLE).size(), 1u);
  EXPECT_GT(graph(128, 1, 3).size(), 1u);
  // Those that are given are cut.
  EXPECT_GT(graph(128, 1, ASTFE_SEARCH_REORDERINGS | ASTFE_SEARCH_WHOLE).size(),
            1u);
}

TEST_F(ABISearch, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(profile(0, 1, 3), nullptr);
  EXPECT_STREQ(astfe_rt_last_error(),
               "expected columns, bytes and runs of 1 or more, and a set of 0 "
               "to 31, but got 0, 4, 1 and 3");
  astfe_rt_clear_error();
  EXPECT_EQ(profile(1, 1, 32), nullptr);
  EXPECT_NE(astfe_rt_last_error(), nullptr);
}

TEST_F(ABISearch, RefusesCoordinatesOutOfRange) {
  matrix.coordinates[7] = int32_t(matrix.columns);
  EXPECT_EQ(profile(128, 1000000, 3), nullptr);
  ASSERT_NE(astfe_rt_last_error(), nullptr);
  EXPECT_NE(std::string(astfe_rt_last_error()).find("expected"),
            std::string::npos);
}

} // namespace
