//===- LongRowsTest.cpp - rows of views that a GPU cuts -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/ChooseLayout.h"
#include "ASTFE/Core/Target/Constants.h"
#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "GPUPipeline.h"
#include "HostKernels.h"
#include "SampledKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace astfe;

namespace {

struct LongRows : HostKernelTest {
  LongRows() {
    rt::setDevice(&emulator);
    astfe_rt_set_workers(64);
    emu::Options options;
    options.launched = [this](const emu::LaunchReport &launch) {
      launches.push_back(launch);
    };
    emulator.setOptions(options);
  }
  ~LongRows() override {
    EXPECT_EQ(rt::Handle::live(), 0) << "handles were not released";
    astfe_rt_set_workers(0);
    rt::setDevice(nullptr);
  }

  static KernelCase caseOf(int64_t columns) {
    KernelCase kernel;
    kernel.denseColumns = columns;
    kernel.staticColumns = columns > 0;
    kernel.pipeline = kToKernels + "," + kToHost;
    return kernel;
  }

  /// The names of what was launched since the last call.
  std::vector<std::string> launched() {
    std::vector<std::string> names;
    for (const emu::LaunchReport &launch : launches)
      names.push_back(launch.kernel);
    launches.clear();
    return names;
  }

  emu::Emulator emulator;
  std::vector<emu::LaunchReport> launches;
};

/// Rows of these lengths over so many columns.
TestMatrix rowsOf(const std::vector<int64_t> &lengths, int64_t columns) {
  TestMatrix matrix;
  matrix.columns = columns;
  for (int64_t length : lengths) {
    for (int64_t n = 0; n < length; ++n)
      matrix.add(matrix.rows, columns * n / length, double(n % 5) - 1.5);
    ++matrix.rows;
  }
  return matrix;
}

/// Nonzeros of a piece where no warp's share is larger.
int64_t pieceOf(int64_t columns, unsigned bytes = 4) {
  const int64_t dense = std::max<int64_t>(columns, 1);
  return core::smallestGPUPiece(core::teamLanes(dense, bytes).value_or(32));
}

/// The most that a block has of what all have, over the mean.
double balance(const emu::LaunchReport &launch) {
  int64_t all = 0, most = 0;
  for (const emu::Counters &block : launch.blocks) {
    all += block.warpInstructions;
    most = std::max(most, block.warpInstructions);
  }
  return double(most) * double(launch.blocks.size()) / double(all);
}

} // namespace

/// Long rows that begin where a piece does and within one, follow each other,
/// end with the matrix; rows of one nonzero less are not cut.
TEST_F(LongRows, AreRightWhereverPiecesBegin) {
  ASSERT_EQ(core::rules::kChainPieces, 3);
  unsigned width = 32;
  for (int64_t columns : {-1, 5, 8, 32, 40, 200}) {
    const int64_t piece = pieceOf(columns), least = 3 * piece;
    KernelCase kernel = caseOf(columns);
    kernel.posWidth = kernel.crdWidth = width = 32 - width; // or index
    expectRightBothWays(context, kernel,
                        {rowsOf({piece, least, 0, least - 1, 5 * piece + 7,
                                 least, 2, 4 * piece},
                                5 * piece + 20),
                         rowsOf({least}, least),
                         rowsOf({0, 1, least, 0}, least)});
    EXPECT_EQ(emulator.lastLaunch().kernel, "combine_rows") << columns;
  }
}

TEST_F(LongRows, AreCutOnlyWhereThereAreSome) {
  const int64_t least = 3 * pieceOf(8);
  expectRight(context, caseOf(8), rowsOf({least - 1, 3, least - 1}, least));
  EXPECT_EQ(launched(), std::vector<std::string>{"tile8_rows"});
  expectRight(context, caseOf(8), rowsOf({3, least}, least));
  EXPECT_EQ(launched(),
            (std::vector<std::string>{"tile8_rows_cut", "combine_rows"}));
}

TEST_F(LongRows, OfOtherTypesAndCombiners) {
  for (int64_t columns : {-1, 4, 40}) {
    KernelCase kernel = caseOf(columns);
    const int64_t piece = pieceOf(columns, 8);
    const TestMatrix matrix =
        rowsOf({3, 3 * piece + 1, 0, 6 * piece}, 7 * piece);
    kernel.isDouble = true;
    expectRightBothWays(context, kernel, {matrix});
    EXPECT_EQ(emulator.lastLaunch().kernel, "combine_rows");
    kernel.isDouble = false;
    kernel.combiner = "maximumf";
    expectRightBothWays(context, kernel, {matrix});
  }
}

TEST_F(LongRows, GiveTheSameBitsInAnyOrder) {
  for (int64_t columns : {-1, 8, 40}) {
    const KernelCase kernel = caseOf(columns);
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(moduleText(kernel), &context);
    JitOptions jitOptions;
    jitOptions.pipeline = kernel.pipeline;
    auto jit = Jit::compile(*module, jitOptions);
    ASSERT_TRUE(bool(jit)) << jit.message();
    auto entry = (*jit)->lookup("_mlir_ciface_f");
    const TestMatrix matrix = rowsOf({5, 4 * pieceOf(columns), 9}, 5000);
    const std::vector<float> expected = resultOf(*entry, kernel, matrix);
    ASSERT_EQ(emulator.lastLaunch().kernel, "combine_rows");
    for (uint64_t seed : {1, 2, 3}) {
      emu::Options options;
      options.schedule = emu::Schedule::Random;
      options.seed = seed;
      emulator.setOptions(options);
      EXPECT_EQ(resultOf(*entry, kernel, matrix), expected) << columns;
    }
  }
}

/// One row has half of the nonzeros: no block has a tenth of what all do, the
/// others' rows having a warp each.
TEST_F(LongRows, AreSharedByAllWarps) {
  std::vector<int64_t> lengths(500, 8);
  lengths[100] = 4000;
  const TestMatrix matrix = rowsOf(lengths, 4000);
  expectRight(context, caseOf(40), {matrix});
  ASSERT_EQ(launches.size(), 2u);
  const auto blocks = double(launches.front().blocks.size());
  EXPECT_LT(balance(launches.front()), blocks / 10);
}

/// Samples, and sums over the rows of a view by columns, have nothing to
/// combine: each warp has its share of the nonzeros, wherever that ends.
TEST_F(LongRows, OfWhatIsNotSummedAlongThem) {
  std::vector<int64_t> lengths(500, 8);
  lengths[100] = 4000;
  lengths[101] = lengths[499] = 0;
  const TestMatrix matrix = rowsOf(lengths, 4000);
  SampledCase sampled;
  sampled.pipeline = kToKernels + "," + kToHost;
  expectRightSamples(context, sampled, {matrix, TestMatrix{0, 7, {}, {}, {}}});
  ASSERT_EQ(launches.front().kernel, "samples128");
  EXPECT_LT(balance(launches.front()), 1.6);
  launches.clear();

  TestMatrix transposed;
  transposed.rows = matrix.columns;
  transposed.columns = matrix.rows;
  for (size_t n = 0; n < matrix.row.size(); ++n)
    transposed.add(matrix.column[n], matrix.row[n], matrix.value[n]);
  for (int64_t columns : {-1, 40}) {
    KernelCase kernel = caseOf(columns);
    kernel.byColumns = true;
    expectRight(context, kernel, {transposed});
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_LT(balance(launches.front()), 1.6);
    launches.clear();
  }
}
