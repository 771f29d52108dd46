//===- SampledKernelsTest.cpp - one element of the output a nonzero -------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampledKernels.h"
#include "ASTFE/Runtime/Handles.h"

using namespace astfe;

namespace {
struct SampledKernels : HostKernelTest {
  ~SampledKernels() override { EXPECT_EQ(rt::Handle::live(), 0); }
};

/// Rows without nonzeros, of fewer than go together, and of many.
std::vector<TestMatrix> matrices() {
  return {TestMatrix{5, 7, {}, {}, {}}, randomMatrix(1, 1, 1, 3),
          randomMatrix(61, 43, 0.15, 4), oneDenseRow(20, 300, 17)};
}

const char *const kLayouts[] = {
    "view", "packed, columns = 8, classes = [row_segments, scattered]",
    "packed, columns = 32, classes = [scattered]"};
} // namespace

TEST_F(SampledKernels, KnownAndUnknownInnerSizes) {
  for (const char *layout : kLayouts)
    for (int64_t inner : {1, 2, 7, 16, 64, 100})
      for (bool isStatic : {false, true}) {
        SampledCase sampled;
        sampled.layout = layout;
        sampled.inner = inner;
        sampled.staticInner = isStatic;
        expectRightSamples(context, sampled, matrices());
      }
}

TEST_F(SampledKernels, DoublesAndSumsWithWhatIsThere) {
  for (const char *layout : kLayouts)
    for (bool overwrite : {false, true}) {
      SampledCase sampled;
      sampled.isDouble = true;
      sampled.layout = layout;
      sampled.inner = 21;
      sampled.overwrite = overwrite;
      expectRightSamples(context, sampled, matrices());
    }
}

TEST_F(SampledKernels, ElementwiseScalingByRowsAndColumns) {
  for (const char *layout : kLayouts)
    for (bool isDouble : {false, true}) {
      SampledCase sampled;
      sampled.isDouble = isDouble;
      sampled.layout = layout;
      sampled.inner = 0;
      expectRightSamples(context, sampled, matrices());
    }
}

TEST_F(SampledKernels, OtherClassesOfTheLayoutAreLeftOut) {
  SampledCase sampled;
  sampled.layout = "packed, columns = 16, classes = [row_segments, scattered, "
                   "dense_tile, row_windows, row_tiles]";
  expectRightSamples(context, sampled, {denseBlocks(5, 11)});
}
