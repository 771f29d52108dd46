//===- LauncherTest.cpp - saved kernels on saved tensors ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bitcode.h"
#include "KernelFixture.h"

#include "ASTFE/Runtime/Launcher.h"

#include <cmath>
#include <limits>

using namespace astfe;
using namespace astfe::emu;

namespace {

class LauncherTest : public testing::Test {
protected:
  LauncherTest() {
    kernel.entry = "packed";
    kernel.arguments = {"worker_span", "span_slot",   "span_segment",
                        "segment_row", "segment_end", "columns",
                        "values",      "dense:1",     "output",
                        "workers",     "column_count"};
    kernel.columnTile = 32;
    kernel.layout.classes = core::ClassSet::of(core::SegmentClass::RowSegments)
                                .with(core::SegmentClass::Scattered);
    // The example of Packed.h, and a second worker that shares row 2:
    // (0,1) (0,3) (2,0) | (2,2)
    core::Packed &p = tensor.pattern;
    p.shape = {3, 4};
    p.layout = kernel.layout;
    p.nonzeros = p.slots = 4;
    p.groups = 2;
    p.workerSpan = {0, 1, 2};
    p.spanSlot = {0, 3, 4};
    p.spanSegment = {0, 2, 3};
    p.spanColumn = {0, 0};
    p.spanClass = {0, 1};
    p.spanWidth = {0, 0};
    p.segmentRow = {0, ~2, ~2};
    p.segmentTarget = {0, ~0, ~1};
    p.segmentEnd = {2, 3, 1};
    p.columns32 = {1, 3, 0, 2};
    p.combineRow = {2};
    p.combineBegin = {0, 2};
    p.combinePartial = {0, 1};
    p.slotOf = {0, 1, 2, 3};
    p.workerGap = {0, 1, 1};
    p.gapBegin = {1};
    p.gapEnd = {2};
    tensor.values32 = {2, 3, 5, 7};
    request.check = true;
    request.repeat = 2;
    request.columns = 40;
    code = readBitcode("packed");
  }

  core::Result<rt::LaunchOutcome> launch() {
    return rt::launchPacked(emulator, kernel, code, tensor, request);
  }

  std::string refusal() {
    core::Result<rt::LaunchOutcome> outcome = launch();
    return outcome ? "" : outcome.message();
  }

  Emulator emulator;
  core::KernelFile kernel;
  core::PackedTensor tensor;
  rt::LaunchRequest request;
  std::string code;
};

TEST_F(LauncherTest, TheExampleIsAPattern) {
  core::Status status = tensor.pattern.check();
  EXPECT_TRUE(bool(status)) << status.message();
}

TEST_F(LauncherTest, ComputesAndChecks) {
  core::Result<rt::LaunchOutcome> outcome = launch();
  ASSERT_TRUE(bool(outcome)) << outcome.message();
  EXPECT_EQ(outcome->device, "emulator");
  EXPECT_LT(outcome->maxRelativeError, rt::errorBound(kernel));
  EXPECT_GT(outcome->secondsMin, 0);
  EXPECT_LE(outcome->secondsMin, outcome->secondsMedian);
  // Two workers are one block of four; 40 columns are two tiles.
  EXPECT_EQ(emulator.lastLaunch().blocks.size(), 2u);
  EXPECT_EQ(emulator.lastLaunch().total().atomics, 4 * 40);
}

TEST_F(LauncherTest, TheCheckSeesAWrongResult) {
  // Without the second worker row 2 misses a term.
  kernel.workersPerBlock = 4;
  tensor.pattern.workerSpan = {0, 1};
  core::Result<rt::LaunchOutcome> outcome = launch();
  ASSERT_TRUE(bool(outcome)) << outcome.message();
  EXPECT_GT(outcome->maxRelativeError, 0.01);
}

TEST_F(LauncherTest, InfinitiesCountAsIEEESays) {
  tensor.values32[1] = std::numeric_limits<float>::infinity();
  core::Result<rt::LaunchOutcome> outcome = launch();
  ASSERT_TRUE(bool(outcome)) << outcome.message();
  EXPECT_LT(outcome->maxRelativeError, rt::errorBound(kernel));
}

TEST_F(LauncherTest, EmptyTensor) {
  core::Packed &p = tensor.pattern;
  core::Packed empty;
  empty.shape = {0, 4};
  empty.layout = p.layout;
  empty.workerSpan = {0, 0};
  empty.spanSlot = empty.spanSegment = {0};
  empty.combineBegin = {0};
  p = empty;
  tensor.values32.clear();
  EXPECT_EQ(refusal(), "");
}

TEST_F(LauncherTest, RefusesWhatDoesNotFit) {
  auto with = [&](auto change) {
    core::KernelFile keptKernel = kernel;
    core::PackedTensor keptTensor = tensor;
    rt::LaunchRequest keptRequest = request;
    change();
    std::string text = refusal();
    kernel = keptKernel;
    tensor = keptTensor;
    request = keptRequest;
    return text;
  };
  EXPECT_TRUE(has(with([&] { kernel.element = core::Element::F64; }),
                  "expected values in f64, the kernel's type, but got f32"));
  EXPECT_TRUE(has(with([&] { kernel.combiner = "minimumf"; }),
                  "expected a kernel that adds up, 'addf', but got one of "
                  "'minimumf'"));
  EXPECT_TRUE(has(with([&] { kernel.layout.columnBits = 16; }),
                  "expected columns of 16 bits"));
  EXPECT_TRUE(has(with([&] {
                    kernel.layout.classes =
                        core::ClassSet::of(core::SegmentClass::Scattered);
                  }),
                  "classes but got row_segments"));
  EXPECT_TRUE(has(with([&] { kernel.columnTile = 0; }), "expected 1 column"));
  EXPECT_TRUE(has(with([&] {
                    kernel.columnTile = 128;
                    request.columns = 30;
                  }),
                  "expected columns divisible by 4 but got 30"));
  EXPECT_TRUE(has(with([&] { kernel.arguments.push_back("partials"); }),
                  "expected a kernel 'fill' beside this one but got none"));
  EXPECT_TRUE(has(with([&] { kernel.arguments.push_back("bias"); }),
                  "the launcher knows but got 'bias'"));
  EXPECT_TRUE(has(with([&] { kernel.arguments.push_back("dense:2"); }),
                  "expected one dense input, 'dense:1', but got 'dense:2'"));
  EXPECT_TRUE(has(with([&] { kernel.entry = "other"; }), "a kernel 'other'"));
  EXPECT_TRUE(has(with([&] { kernel.arguments.resize(8); }),
                  "expected an argument 'output'"));
  EXPECT_TRUE(has(with([&] { kernel.blockThreads = 64; }),
                  "the block size it was compiled for"));
}

} // namespace
