//===- PackedKernelsTest.cpp - host kernels over packed patterns ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <set>

using namespace astfe;

namespace {
/// More workers than this machine has cores, so that rows are shared.
struct PackedKernels : HostKernelTest {
  PackedKernels() { astfe_rt_set_threads(17); }
  ~PackedKernels() override {
    EXPECT_EQ(rt::Handle::live(), 0) << "handles were not released";
    astfe_rt_set_threads(0);
  }
};

std::vector<TestMatrix> samples() {
  return {TestMatrix{5, 7, {}, {}, {}},
          randomMatrix(1, 1, 1, 3),
          randomMatrix(37, 53, 0.1, 4),
          oneDenseRow(40, 900, 17),
          denseBlocks(9, 11),
          alikeRows(60, 70),
          randomMatrix(200, 120, 0.15, 5),
          randomMatrix(700, 900, 0.004, 6)};
}

const char *const kLayouts[] = {
    "packed, columns = 32, classes = [row_segments, scattered]",
    "packed, columns = 16, classes = [row_segments, scattered]",
    "packed, columns = 8, classes = [row_segments, scattered]",
    "packed, columns = 32, classes = [scattered]",
    "packed, columns = 16, classes = [row_segments, scattered, dense_tile]",
    "packed, columns = 8, classes = [scattered, dense_tile], assume_finite",
    "packed, columns = 16, classes = [scattered, row_slices]",
    ("packed, columns = 32, classes = [row_segments, scattered, dense_tile, "
     "row_slices]"),
    "packed, columns = 16, classes = [row_segments, scattered, row_windows]",
    "packed, columns = 32, classes = [scattered, dense_tile, row_windows]",
    "packed, columns = 32, classes = [row_segments, scattered, row_tiles]",
    "packed, columns = 8, classes = [scattered, row_windows, row_tiles]",
};

std::unique_ptr<Jit> compiled(mlir::MLIRContext &context,
                              const KernelCase &kernel) {
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(moduleText(kernel), &context);
  EXPECT_TRUE(module);
  JitOptions options;
  options.pipeline = hostPipeline(kernel);
  auto jit = Jit::compile(*module, options);
  EXPECT_TRUE(jit) << jit.message();
  return jit ? std::move(*jit) : nullptr;
}

const char *const kTooWide = ", dense_bytes = 1073741824";
} // namespace

TEST_F(PackedKernels, EveryLayoutWithDenseColumns) {
  for (const char *layout : kLayouts)
    for (int64_t columns : {17, 128}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.denseColumns = columns;
      kernel.staticColumns = columns == 128;
      expectRightBothWays(context, kernel, samples());
    }
}

TEST_F(PackedKernels, EveryLayoutWithAVector) {
  for (const char *layout : kLayouts)
    for (bool isDouble : {false, true}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.isDouble = isDouble;
      expectRightBothWays(context, kernel, samples());
    }
}

/// A row may have many segments, and slices are taken slot by slot where there
/// are dense columns.
TEST_F(PackedKernels, SumsOfHalvesAreRoundedOnce) {
  std::vector<TestMatrix> matrices = samples();
  matrices.push_back(randomMatrix(60, 900, 0.5, 7));
  for (const char *layout : kLayouts)
    for (int64_t columns : {-1, 17}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.isHalf = true;
      kernel.denseColumns = columns;
      expectRightBothWays(context, kernel, matrices);
    }
}

/// The same strip by strip, and of maxima, which are not rounded anew.
TEST_F(PackedKernels, HalvesInStripsAndMaxima) {
  KernelCase kernel;
  kernel.layout = kLayouts[4];
  kernel.isHalf = true;
  kernel.combiner = "maximumf";
  for (int64_t columns : {-1, 20}) {
    kernel.denseColumns = columns;
    expectRightBothWays(context, kernel, samples());
  }
  kernel.layout += kTooWide;
  kernel.combiner = "addf";
  kernel.denseColumns = 513;
  kernel.staticColumns = true;
  expectRightBothWays(context, kernel, samples());
}

/// Lanes without a nonzero must add nothing: x + 0 would be seen in the sums,
/// and 0 in the maximum of what is negative.
TEST_F(PackedKernels, LanesOfSlicesThatAreDoneKeepTheirSums) {
  for (bool isDouble : {false, true})
    for (const char *combiner : {"addf", "maximumf"}) {
      KernelCase kernel;
      kernel.layout = kLayouts[6];
      kernel.isDouble = isDouble;
      kernel.combiner = combiner;
      kernel.product = "addf";
      expectRightBothWays(context, kernel, samples());
      kernel.order = "hilbert";
      expectRightBothWays(context, kernel, samples());
    }
}

/// Nonzeros at `offsets` behind the diagonal, round the last column.
static TestMatrix bands(int64_t extent, std::vector<int64_t> offsets) {
  TestMatrix matrix{extent, extent, {}, {}, {}};
  for (int64_t i = 0; i < extent; ++i) {
    std::set<int64_t> columns;
    for (int64_t offset : offsets)
      columns.insert((i + offset) % extent);
    for (int64_t j : columns)
      matrix.add(i, j, double((i * 5 + j) % 11) - 5);
  }
  return matrix;
}

/// Columns that follow each other from row to row are read in one piece, but
/// not where they come round: 255 and 0 follow each other in 8 bits only.
TEST_F(PackedKernels, SlicesOfBands) {
  for (const char *layout :
       {kLayouts[6], kLayouts[7],
        "packed, columns = 8, classes = [scattered, row_slices]"})
    for (const char *body : {"mulf", "addf"}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.product = body;
      expectRightBothWays(context, kernel,
                          {bands(256, {250}), bands(256, {0, 1, 20, 255}),
                           bands(300, {0, 290}), bands(70000, {0, 1, 65536})});
    }
}

TEST_F(PackedKernels, AnyNumberOfColumns) {
  for (int64_t columns : {1, 3, 8, 16, 64, 100, 130}) {
    KernelCase kernel;
    kernel.layout = kLayouts[4];
    kernel.isDouble = columns % 2;
    kernel.denseColumns = columns;
    kernel.staticColumns = columns > 16;
    expectRight(context, kernel, samples());
  }
}

/// Blocks of four rows on any number of vectors, and the rows that are left.
TEST_F(PackedKernels, RowsThatShareTheirColumns) {
  for (int64_t columns : {-1, 1, 4, 8, 16, 32, 100, 128, 512})
    for (bool isDouble : {false, true}) {
      KernelCase kernel;
      kernel.layout = kLayouts[10];
      kernel.isDouble = isDouble;
      kernel.denseColumns = columns;
      kernel.staticColumns = columns != 100;
      expectRight(context, kernel, {alikeRows(60, 70), alikeRows(7, 300)});
    }
}

/// One tile, several with a narrow tail, and numbers known at run time only.
TEST_F(PackedKernels, WindowsAreCopiedWhereTheOperandIsWide) {
  for (int64_t columns : {32, 100, 130, 300})
    for (const char *layout : {kLayouts[8], kLayouts[9]}) {
      KernelCase kernel;
      kernel.layout = layout;
      kernel.isDouble = columns == 130;
      kernel.denseColumns = columns;
      kernel.staticColumns = columns != 100;
      expectRight(context, kernel,
                  {randomMatrix(300, 420, 0.3, 5), denseBlocks(9, 11)});
    }
}

/// As if B were too large for any cache: strips of 512 bytes, and a last one
/// of one element.
TEST_F(PackedKernels, EveryLayoutStripByStrip) {
  for (const char *layout : kLayouts) {
    KernelCase kernel;
    kernel.layout = layout;
    kernel.layout += kTooWide;
    kernel.denseColumns = 257;
    kernel.staticColumns = true;
    expectRightBothWays(context, kernel, samples());
  }
}

/// Whole strips, a narrow vector in the last, and operands with one strip.
TEST_F(PackedKernels, StripsOfAnyNumberOfColumns) {
  for (int64_t columns : {1, 100, 130, 512, 513}) {
    KernelCase kernel;
    kernel.layout = kLayouts[4];
    kernel.layout += kTooWide;
    kernel.isDouble = columns == 130;
    kernel.denseColumns = columns;
    kernel.staticColumns = true;
    expectRight(context, kernel,
                {oneDenseRow(40, 900, 17), denseBlocks(9, 11),
                 randomMatrix(37, 53, 0.1, 4)});
  }
}

/// Operands beyond 4 MiB whose rows are fetched ahead, up to the last nonzero.
TEST_F(PackedKernels, FarRowsOfTheOperand) {
  TestMatrix one{3, 70000, {}, {}, {}};
  one.add(1, 69999, 2);
  for (const char *layout : {"view", kLayouts[0], kLayouts[7]})
    for (int64_t columns : {16, 100, 257})
      for (bool isStatic : {false, true}) {
        KernelCase kernel;
        kernel.layout = layout;
        kernel.denseColumns = columns;
        kernel.staticColumns = isStatic;
        expectRight(context, kernel,
                    {TestMatrix{3, 70000, {}, {}, {}}, one,
                     randomMatrix(9, 70000, 0.0005, 8)});
      }
}

/// Rows are summed in the same order.
TEST_F(PackedKernels, StripsChangeNoBit) {
  KernelCase kernel;
  kernel.layout = kLayouts[0];
  kernel.denseColumns = 300;
  kernel.staticColumns = true;
  std::unique_ptr<Jit> whole = compiled(context, kernel);
  kernel.layout += kTooWide;
  std::unique_ptr<Jit> strips = compiled(context, kernel);
  ASSERT_TRUE(whole && strips);
  for (const TestMatrix &matrix : samples())
    EXPECT_EQ(resultOf(*whole->lookup("_mlir_ciface_f"), kernel, matrix),
              resultOf(*strips->lookup("_mlir_ciface_f"), kernel, matrix));
}

TEST_F(PackedKernels, OrdersFormatsAndWidths) {
  for (const char *order : {"rows", "morton", "hilbert", "panels"})
    for (bool byColumns : {false, true}) {
      KernelCase kernel;
      kernel.layout = kLayouts[1];
      kernel.order = order;
      kernel.byColumns = byColumns;
      kernel.posWidth = byColumns ? 0 : 64;
      kernel.crdWidth = byColumns ? 64 : 0;
      kernel.denseColumns = 20;
      expectRightBothWays(context, kernel, samples());
    }
}

TEST_F(PackedKernels, PartialRowsBeginWithTheCombinersIdentity) {
  KernelCase kernel;
  kernel.layout = kLayouts[0];
  kernel.combiner = "maximumf";
  for (int64_t columns : {-1, 20}) {
    kernel.denseColumns = columns;
    expectRightBothWays(context, kernel, samples());
  }
}

/// Worker 0 writes rows 15 to 0 one by one, then the same rows as a slice;
/// worker 1 writes them all too. So the slice's targets ascend, and none is a
/// row of the output.
static core::Packed slicesOfAscendingPartials() {
  core::Packed packed;
  packed.shape = {16, 3};
  packed.layout.classes = core::ClassSet()
                              .with(core::SegmentClass::Scattered)
                              .with(core::SegmentClass::RowSlices);
  packed.nonzeros = packed.slots = 48;
  packed.groups = 1;
  packed.workerSpan = {0, 2, 3};
  packed.spanSlot = packed.spanSegment = {0, 16, 32, 48};
  packed.spanColumn = {0, 0, 0};
  packed.spanWidth = {0, 0, 0};
  packed.spanClass = {int32_t(core::SegmentClass::Scattered),
                      int32_t(core::SegmentClass::RowSlices),
                      int32_t(core::SegmentClass::Scattered)};
  packed.combineBegin = {0};
  packed.workerGap = {0, 0, 0};
  for (int32_t k = 0; k < 48; ++k) {
    const int32_t row = k < 16 ? 15 - k : k % 16;
    packed.segmentRow.push_back(~row);
    packed.segmentTarget.push_back(~(k < 32 ? 15 - row : 16 + row));
    packed.segmentEnd.push_back(k % 16 + 1);
    packed.segmentFirst.push_back(k < 16 || k >= 32);
    packed.columns32.push_back(k / 16);
    packed.slotOf.push_back(k);
  }
  for (int32_t row = 0; row < 16; ++row) {
    packed.combineRow.push_back(row);
    packed.combinePartial.insert(packed.combinePartial.end(),
                                 {15 - row, 16 + row});
    packed.combineBegin.push_back(2 * (row + 1));
  }
  return packed;
}

TEST_F(PackedKernels, SlicesWhoseSharedRowsAscend) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    #L = #astfe.layout<packed, columns = 32, classes = [scattered, row_slices]>
    #n = affine_map<(n, i, j) -> (n)>
    #j = affine_map<(n, i, j) -> (j)>
    #i = affine_map<(n, i, j) -> (i)>
    func.func @f(%P: !astfe.blocked<?x?, #L>, %v: tensor<?xf32>,
                 %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #j, #i]
          ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %b : f32
        astfe.yield "addf" %p : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    })",
                                                        &context);
  ASSERT_TRUE(module);
  JitOptions options;
  options.pipeline = "astfe-to-cpu";
  auto jit = Jit::compile(*module, options);
  ASSERT_TRUE(jit) << jit.message();
  core::Packed packed = slicesOfAscendingPartials();
  core::Status sound = packed.check();
  ASSERT_TRUE(sound) << sound.message();
  std::vector<float> values, x{1, 100, 10000}, y(16), expected;
  for (int k = 0; k < 48; ++k)
    values.push_back(float(k));
  for (int row = 0; row < 16; ++row)
    expected.push_back(float(15 - row + 100 * (16 + row) + 10000 * (32 + row)));
  auto vectorOf = [](std::vector<float> &of) {
    return Descriptor<1>{of.data(), of.data(), 0, {int64_t(of.size())}, {1}};
  };
  Descriptor<1> v = vectorOf(values), b = vectorOf(x), c = vectorOf(y), result;
  auto *pattern = new rt::PatternHandle(std::move(packed));
  using Entry = void (*)(void *, void *, void *, void *, void *);
  reinterpret_cast<Entry> (*(*jit)->lookup("_mlir_ciface_f"))(&result, pattern,
                                                              &v, &b, &c);
  EXPECT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  EXPECT_EQ(y, expected);
  pattern->release();
}
