//===- GPUKernelsTest.cpp - GPU kernels on the emulator -------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host and device code of one module, compiled by the passes that make PTX up
// to the code that LLVM's backend would get, run with all checks on, and
// compared with float64.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "GPUPipeline.h"
#include "HostKernels.h"
#include "SampledKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"

using namespace astfe;

namespace {

struct GPUKernels : HostKernelTest {
  GPUKernels() {
    rt::setDevice(&emulator);
    astfe_rt_set_workers(13);
  }
  ~GPUKernels() override {
    EXPECT_EQ(rt::Handle::live(), 0) << "handles were not released";
    astfe_rt_set_workers(0);
    rt::setDevice(nullptr);
  }

  KernelCase gpuCase(const char *layout, int64_t columns) {
    KernelCase kernel;
    kernel.layout = layout;
    if (kernel.layout != "view")
      kernel.layout +=
          columns < 0 ? ", target = gpu, column_tile = 0" : ", target = gpu";
    kernel.denseColumns = columns;
    kernel.pipeline = kToKernels + "," + kToHost;
    return kernel;
  }

  emu::Emulator emulator;
};

std::vector<TestMatrix> samples() {
  return {TestMatrix{5, 7, {}, {}, {}}, randomMatrix(1, 1, 1, 3),
          randomMatrix(37, 53, 0.1, 4), oneDenseRow(20, 300, 17),
          denseBlocks(5, 11)};
}

const char *const kLayouts[] = {
    "packed, columns = 32, classes = [row_segments, scattered]",
    "packed, columns = 16, classes = [row_segments, scattered]",
    "packed, columns = 8, classes = [scattered]",
    "packed, columns = 16, classes = [row_segments, scattered, dense_tile]",
    "packed, columns = 8, classes = [scattered, dense_tile], assume_finite",
    ("packed, columns = 32, classes = [row_segments, scattered, dense_tile], "
     "deterministic"),
};
} // namespace

TEST_F(GPUKernels, EveryLayoutWithDenseColumns) {
  for (const char *layout : kLayouts)
    for (bool isDouble : {false, true}) {
      KernelCase kernel = gpuCase(layout, 68);
      kernel.isDouble = isDouble;
      expectRightBothWays(context, kernel, samples());
    }
}

TEST_F(GPUKernels, EveryLayoutWithAVector) {
  for (const char *layout : kLayouts)
    for (bool isDouble : {false, true}) {
      KernelCase kernel = gpuCase(layout, -1);
      kernel.isDouble = isDouble;
      expectRightBothWays(context, kernel, samples());
    }
}

TEST_F(GPUKernels, VectorsOfFourTwoAndOneWithTails) {
  for (int64_t columns : {1, 31, 34, 64, 132, 200}) {
    KernelCase kernel = gpuCase(kLayouts[1], columns);
    kernel.staticColumns = columns > 64;
    expectRight(context, kernel, samples());
  }
}

TEST_F(GPUKernels, FewColumnsByTeams) {
  emu::Options shuffled;
  shuffled.schedule = emu::Schedule::Random;
  auto check = [&](const char *layout, int64_t columns, bool isDouble) {
    KernelCase kernel = gpuCase(layout, columns);
    kernel.staticColumns = true;
    kernel.isDouble = isDouble;
    expectRightBothWays(context, kernel, samples());
  };
  for (const char *layout : kLayouts)
    for (bool isDouble : {false, true})
      check(layout, isDouble ? 2 : 8, isDouble);
  for (int64_t columns : {4, 16, 32})
    check(kLayouts[3], columns, false);
  check("view", 8, false);
  EXPECT_EQ(emulator.lastLaunch().kernel, "tile8_rows");
  // What fills no vectors has a lane for each column.
  check("view", 6, false);
  EXPECT_EQ(emulator.lastLaunch().kernel, "tile32");
  emulator.setOptions(shuffled);
  check(kLayouts[3], 8, false);
}

TEST_F(GPUKernels, AtomicsOfAWarpTouchEachSectorOnce) {
  // One row of 130 nonzeros that 13 workers share.
  KernelCase kernel = gpuCase(kLayouts[0], 64);
  kernel.staticColumns = true;
  expectRight(context, kernel, {oneDenseRow(1, 130, 0)});
  ASSERT_EQ(emulator.lastLaunch().kernel, "tile64");
  int64_t sectors = 0, atomics = 0;
  for (const emu::Counters &block : emulator.lastLaunch().blocks) {
    sectors += block.sectors;
    atomics += block.atomics;
  }
  // 8 sectors of each row of B and of each sum; tables of less than 20.
  const int64_t sums = atomics / 64;
  EXPECT_GE(sums, 5);
  EXPECT_LE(sectors, 130 * 8 + sums * (8 + 20) + 130);
}

TEST_F(GPUKernels, Views) {
  for (int64_t columns : {-1, 5, 128})
    for (unsigned width : {0, 32, 64}) {
      KernelCase kernel = gpuCase("view", columns);
      kernel.posWidth = kernel.crdWidth = width;
      expectRightBothWays(context, kernel, samples());
    }
}

/// Rows of 0 to 200 nonzeros among short ones: by few teams, by many, and by
/// the whole warp one after the other.
TEST_F(GPUKernels, RowsOfAViewByTeams) {
  TestMatrix uneven, dense;
  uneven.columns = dense.columns = 211;
  for (int64_t length : {0, 1, 2, 200, 3, 33, 0, 31, 211, 17, 1, 2, 100, 0}) {
    for (int64_t n = 0; n < length; ++n) {
      uneven.add(uneven.rows, 211 * n / length, double(n % 5) - 2);
      dense.add(dense.rows, n, double(n % 7) - 3);
    }
    uneven.rows += 9; // rows between them are empty
    ++dense.rows;
  }
  for (int64_t columns : {-1, 4, 8, 32})
    for (unsigned width : {0, 32}) {
      KernelCase kernel = gpuCase("view", columns);
      kernel.staticColumns = true;
      kernel.posWidth = kernel.crdWidth = width;
      expectRightBothWays(context, kernel, {uneven, dense});
      const std::string name = emulator.lastLaunch().kernel;
      EXPECT_EQ(name, columns < 0 ? "one_column_rows"
                      : columns == 32
                          ? "tile32_teams_rows"
                          : "tile" + std::to_string(columns) + "_rows");
    }
}

/// Thirty-two rows of four nonzeros a warp, a lane for each.
TEST_F(GPUKernels, ShortRowsOfAViewShareAWarp) {
  TestMatrix matrix;
  matrix.rows = matrix.columns = 1024;
  for (int64_t row = 0; row < matrix.rows; ++row)
    for (int64_t n = 0; n < 4; ++n)
      matrix.add(row, row % 256 + 256 * n, 1);
  KernelCase kernel = gpuCase("view", -1);
  kernel.overwrite = true;
  expectRight(context, kernel, {matrix});
  ASSERT_EQ(emulator.lastLaunch().kernel, "one_column_rows");
  EXPECT_EQ(emulator.lastLaunch().blocks.size(), 1024u / 32 / 4);
}

/// Where no row of a warp has more than one nonzero, or two, for each of its
/// teams, no more are loaded.
TEST_F(GPUKernels, TeamsLoadAsMuchAsTheRowsOfTheirWarpHave) {
  for (int64_t columns : {-1, 8})
    for (auto [length, loaded] : {std::pair(1, 1), {2, 2}, {3, 4}}) {
      TestMatrix matrix;
      matrix.rows = matrix.columns = 1024;
      for (int64_t row = 0; row < matrix.rows; ++row)
        for (int64_t n = 0; n < length; ++n)
          matrix.add(row, row % 256 + 256 * n, 1);
      KernelCase kernel = gpuCase("view", columns);
      kernel.overwrite = kernel.staticColumns = true;
      expectRight(context, kernel, {matrix});
      // Two positions; of each nonzero its column, its value and B's row.
      const int64_t lanes = columns < 0 ? 1 : 2;
      EXPECT_EQ(emulator.lastLaunch().total().loads,
                matrix.rows * lanes * (2 + 3 * loaded));
    }
}

/// Twelve rows on thirteen warps, of one nonzero for each team, of two, of more
/// and of more than four rounds.
TEST_F(GPUKernels, FewRowsOfAViewHaveAWarpEach) {
  TestMatrix matrix;
  matrix.columns = 700;
  for (int64_t length : {0, 1, 31, 32, 33, 64, 65, 129, 600, 700, 2, 0}) {
    for (int64_t n = 0; n < length; ++n)
      matrix.add(matrix.rows, 700 * n / length, double(n % 5) - 2);
    ++matrix.rows;
  }
  for (int64_t columns : {-1, 4, 8}) {
    KernelCase kernel = gpuCase("view", columns);
    kernel.staticColumns = true;
    expectRightBothWays(context, kernel, {matrix});
    EXPECT_EQ(emulator.lastLaunch().blocks.size(), 12u / 4);
  }
}

TEST_F(GPUKernels, WideRowsOfAViewHaveAWarpEach) {
  // Nonzeros in the last rows only: all rows are written.
  TestMatrix matrix{4096, 64, {}, {}, {}};
  for (int64_t row = 3976; row < 4096; ++row)
    for (int64_t column = row % 6; column < 60; column += 6)
      matrix.add(row, column, 1);
  KernelCase kernel = gpuCase("view", 32);
  kernel.overwrite = true;
  expectRight(context, kernel, {matrix});
  EXPECT_EQ(emulator.lastLaunch().blocks.size(), 4096u / 4);
}

TEST_F(GPUKernels, SampledProducts) {
  for (const char *layout : {"view", kLayouts[0], kLayouts[2], kLayouts[5]})
    for (int64_t inner : {0, 1, 7, 64, 72})
      for (bool isDouble : {false, true}) {
        SampledCase sampled;
        sampled.layout = gpuCase(layout, 1).layout;
        sampled.inner = inner;
        sampled.staticInner = inner > 7;
        sampled.isDouble = isDouble;
        sampled.overwrite = inner != 7;
        sampled.pipeline = kToKernels + "," + kToHost;
        expectRightSamples(context, sampled, samples());
      }
}

TEST_F(GPUKernels, IndicesOf32Bits) {
  for (const char *layout : {"view", kLayouts[3]})
    for (int64_t columns : {-1, 68}) {
      KernelCase kernel = gpuCase(layout, columns);
      std::string pass = "lower-astfe-gpu-to-nvvm";
      kernel.pipeline.insert(kernel.pipeline.find(pass) + pass.size(),
                             "{index-bits=32}");
      expectRight(context, kernel, samples());
    }
}

TEST_F(GPUKernels, MoreWorkersThanWarpsOfTheGrid) {
  for (int64_t workers : {1, 3, 200}) {
    astfe_rt_set_workers(workers);
    expectRightBothWays(context, gpuCase(kLayouts[0], 40), samples());
  }
}

TEST_F(GPUKernels, OtherOrdersOfThreadsGiveTheSame) {
  emu::Options options;
  options.schedule = emu::Schedule::Random;
  for (uint64_t seed : {1, 2}) {
    options.seed = seed;
    emulator.setOptions(options);
    for (int64_t columns : {-1, 40})
      expectRight(context, gpuCase(kLayouts[3], columns), samples());
  }
}

/// Whether a layout gives the same bits under every order of blocks, warps and
/// lanes, for a matrix one of whose rows all workers share.
static bool sameBits(GPUKernels &test, const KernelCase &kernel) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(moduleText(kernel),
                                                        &test.context);
  JitOptions jitOptions;
  jitOptions.pipeline = kernel.pipeline;
  auto jit = Jit::compile(*module, jitOptions);
  EXPECT_TRUE(bool(jit)) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_f");
  TestMatrix matrix = oneDenseRow(40, 2000, 17);
  emu::Options options;
  test.emulator.setOptions(options);
  std::vector<float> expected = resultOf(*entry, kernel, matrix);
  bool same = true;
  options.schedule = emu::Schedule::Random;
  for (uint64_t seed : {1, 2, 3}) {
    options.seed = seed;
    test.emulator.setOptions(options);
    same &= resultOf(*entry, kernel, matrix) == expected;
  }
  return same;
}

TEST_F(GPUKernels, DeterministicLayoutsGiveTheSameBitsInAnyOrder) {
  for (int64_t columns : {-1, 8, 40}) {
    auto deterministic = gpuCase(kLayouts[5], columns),
         atomic = gpuCase(kLayouts[3], columns);
    deterministic.staticColumns = atomic.staticColumns = columns == 8;
    EXPECT_TRUE(sameBits(*this, deterministic)) << columns;
    // With atomics the order shows: the test can fail.
    EXPECT_FALSE(sameBits(*this, atomic)) << columns;
  }
}

/// y_i = sum_j exp(a_ij - max_i) / sum_i x_j: a kernel that keeps a row's
/// nonzeros, maxima and sums in the registers of a warp.
static const char *const kSoftmax = R"(
#S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed),
                              posWidth = 32, crdWidth = 32}>
#n = affine_map<(n, i, j) -> (n)>
#i = affine_map<(n, i, j) -> (i)>
#j = affine_map<(n, i, j) -> (j)>
!P = !astfe.blocked<?x?, #astfe.layout<view>>
func.func @f(%A: tensor<?x?xf32, #S>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> tensor<?xf32> {
  %P = astfe.pack %A : tensor<?x?xf32, #S> -> !P
  %v = astfe.values %A in %P : tensor<?x?xf32, #S>, !P -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %count = tensor.dim %v, %c0 : tensor<?xf32>
  %rows = tensor.dim %A, %c0 : tensor<?x?xf32, #S>
  %m0 = tensor.empty(%rows) : tensor<?xf32>
  %m = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%m0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "maximumf" %a : f32
  } -> tensor<?xf32>
  %e0 = tensor.empty(%count) : tensor<?xf32>
  %e = astfe.compute over %P : !P maps [#n, #i, #n]
      ins(%v, %m : tensor<?xf32>, tensor<?xf32>)
      outs(%e0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %s0 = tensor.empty(%rows) : tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%e : tensor<?xf32>) outs(%s0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #i, #j, #i]
      ins(%e, %s, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) overwrite {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.divf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
})";

TEST_F(GPUKernels, ChainsGiveTheSameBitsInAnyOrder) {
  auto compile = [&](const std::string &pipeline) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(kSoftmax, &context);
    JitOptions options;
    options.pipeline = pipeline;
    auto jit = Jit::compile(*module, options);
    EXPECT_TRUE(bool(jit)) << jit.message();
    return jit ? std::move(*jit) : nullptr;
  };
  auto chain = compile("astfe-fuse-computes," + kToKernels + "," + kToHost),
       host = compile("astfe-to-cpu{fuse=false}");
  ASSERT_TRUE(chain && host);
  auto entry = chain->lookup("_mlir_ciface_f"),
       plain = host->lookup("_mlir_ciface_f");
  ASSERT_TRUE(entry && plain);
  for (const TestMatrix &matrix :
       {randomMatrix(1, 1, 1, 3), randomMatrix(37, 53, 0.1, 4),
        oneDenseRow(40, 2000, 17), denseBlocks(5, 11)}) {
    emu::Options options;
    emulator.setOptions(options);
    std::vector<float> expected = resultOf(*entry, KernelCase(), matrix),
                       apart = resultOf(*plain, KernelCase(), matrix);
    EXPECT_EQ(emulator.lastLaunch().kernel,
              matrix.columns == 2000 ? "combine_chain" : "chain");
    ASSERT_EQ(expected.size(), apart.size());
    for (size_t i = 0; i < apart.size(); ++i)
      ASSERT_NEAR(expected[i], apart[i], 1e-5) << "row " << i;
    options.schedule = emu::Schedule::Random;
    for (uint64_t seed : {1, 2, 3}) {
      options.seed = seed;
      emulator.setOptions(options);
      EXPECT_EQ(resultOf(*entry, KernelCase(), matrix), expected) << seed;
    }
  }
}

/// A fault that only rows shared by workers show.
static void makeAtomicsPlain(mlir::ModuleOp module) {
  mlir::IRRewriter rewriter(module.getContext());
  module.walk([&](mlir::memref::AtomicRMWOp op) {
    rewriter.setInsertionPoint(op);
    mlir::Value old = mlir::memref::LoadOp::create(
        rewriter, op.getLoc(), op.getMemref(), op.getIndices());
    mlir::Value sum =
        mlir::arith::AddFOp::create(rewriter, op.getLoc(), old, op.getValue());
    mlir::memref::StoreOp::create(rewriter, op.getLoc(), sum, op.getMemref(),
                                  op.getIndices());
    rewriter.eraseOp(op);
  });
}

TEST_F(GPUKernels, AnAtomicMadePlainIsARace) {
  KernelCase kernel = gpuCase(kLayouts[0], 40);
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(moduleText(kernel), &context);
  ASSERT_TRUE(module);
  ASSERT_TRUE(bool(runPipeline(*module, kToKernels)));
  makeAtomicsPlain(*module);
  JitOptions options;
  options.pipeline = kToHost;
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(bool(jit)) << jit.message();
  auto entry = (*jit)->lookup("_mlir_ciface_f");
  ASSERT_TRUE(bool(entry)) << entry.message();
  std::string error = errorOf(*entry, kernel, oneDenseRow(20, 300, 17));
  EXPECT_NE(error.find("race in global memory"), std::string::npos) << error;
}

TEST_F(GPUKernels, ExtentsThatDifferAreReportedBeforeALaunch) {
  for (const char *layout : {"view", kLayouts[0]}) {
    KernelCase kernel = gpuCase(layout, 40);
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(moduleText(kernel), &context);
    JitOptions options;
    options.pipeline = kernel.pipeline;
    auto jit = Jit::compile(*module, options);
    ASSERT_TRUE(bool(jit)) << jit.message();
    auto entry = (*jit)->lookup("_mlir_ciface_f");
    TestMatrix matrix = randomMatrix(20, 30, 0.2, 1);
    EXPECT_EQ(errorOf(*entry, kernel, matrix), "");
    EXPECT_NE(errorOf(*entry, kernel, matrix, /*missingRows=*/1)
                  .find("extents agree"),
              std::string::npos);
    EXPECT_NE(errorOf(*entry, kernel, matrix, 0, /*missingColumns=*/1)
                  .find("extents agree"),
              std::string::npos);
  }
}

/// Partial rows of a deterministic layout begin with the combiner's identity,
/// which is not always zero.
TEST_F(GPUKernels, PartialRowsBeginWithTheCombinersIdentity) {
  KernelCase kernel = gpuCase(kLayouts[5], 40);
  kernel.combiner = "maximumf";
  expectRightBothWays(context, kernel, samples());
}
