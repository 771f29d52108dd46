//===- SampleTargetsTest.cpp - samples go where their nonzeros are --------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same kernel, in slots and at the nonzeros: the same bits.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Execution/Jit.h"
#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "HostKernels.h"

using namespace astfe;

namespace {

constexpr int64_t kRows = 61, kColumns = 300, kInner = 5;

/// A kernel @f of a pattern, values, X, Y and samples; X and Y have so many
/// dense dimensions of kInner.
std::string kernelText(unsigned dense, bool atNonzeros) {
  std::string dims = "n, i, j", indices, extents;
  for (unsigned d = 0; d < dense; ++d) {
    indices += ", k" + std::to_string(d);
    extents += "x" + std::to_string(kInner);
  }
  const std::string operand = "memref<?" + extents + "xf32>";
  auto map = [&](const std::string &results) {
    return "affine_map<(" + dims + indices + ") -> (" + results + ")>";
  };
  return "#L = #astfe.layout<packed, columns = 16, classes = [row_segments, "
         "scattered]>\n!P = !astfe.blocked<?x?, #L>\n#n = " +
         map("n") + "\n#x = " + map("i" + indices) +
         "\n#y = " + map("j" + indices) +
         "\nfunc.func @f(%P: !P, %v: memref<?xf32>, %X: " + operand +
         ", %Y: " + operand +
         ", %S: memref<?xf32>) attributes {llvm.emit_c_interface} {\n"
         "astfe.compute over %P : !P maps [#n, #x, #y, #n] ins(%v, %X, %Y : "
         "memref<?xf32>, " +
         operand + ", " + operand + ") outs(%S : memref<?xf32>) overwrite " +
         (atNonzeros ? "attributes {astfe.at_nonzeros} " : "") +
         "{\n^bb0(%a: f32, %p: f32, %q: f32):\n"
         "%m = arith.mulf %p, %q : f32\n%t = arith.mulf %m, %a : f32\n"
         "astfe.yield \"addf\" %t : f32\n}\nreturn\n}\n";
}

struct SampleTargets : HostKernelTest {
  SampleTargets() {
    astfe_rt_set_threads(3);
    TestMatrix test = randomMatrix(kRows, kColumns, 0.1, 4);
    matrix.shape = {kRows, kColumns};
    matrix.coordinates = {test.row, test.column};
    matrix.values = test.value;
    // Coordinates that occur twice are two nonzeros.
    for (auto &mode : matrix.coordinates)
      mode.push_back(mode.back());
    matrix.values.push_back(7);
  }
  ~SampleTargets() override {
    EXPECT_EQ(rt::Handle::live(), 0);
    astfe_rt_set_threads(0);
  }

  core::Packed packed(core::OrderKind order) {
    core::PlanOptions options;
    options.order = order;
    auto plan = core::makePlan(matrix.view(), options);
    EXPECT_TRUE(plan) << plan.message();
    core::PackOptions pack;
    pack.layout.columnBits = 16;
    pack.layout.classes = core::ClassSet::of(core::SegmentClass::RowSegments)
                              .with(core::SegmentClass::Scattered);
    pack.workers = 3;
    auto made = core::pack(matrix.view(), plan->fused, pack);
    EXPECT_TRUE(made) << made.message();
    return std::move(*made);
  }

  /// The samples that the kernel leaves.
  std::vector<float> run(rt::PatternHandle &pattern, unsigned dense,
                         bool atNonzeros);

  core::CooTensor matrix;
};

std::vector<float> SampleTargets::run(rt::PatternHandle &pattern,
                                      unsigned dense, bool atNonzeros) {
  const CompiledText compiled =
      compileText(context, kernelText(dense, atNonzeros));
  if (!compiled.entry)
    return {};

  const core::Packed &packed = pattern.value;
  std::vector<float> source(matrix.values.begin(), matrix.values.end()),
      values(size_t(packed.slots)), samples(values.size(), -1), x, y;
  core::packValues(packed, source.data(), values.data());
  const int64_t width = dense == 0 ? 1 : dense == 1 ? kInner : kInner * kInner;
  for (int64_t i = 0; i < kRows * width; ++i)
    x.push_back(float(i % 17) - 8.25f);
  for (int64_t i = 0; i < kColumns * width; ++i)
    y.push_back(float(i % 23) - 10.75f);
  Descriptor<1> v{values.data(), values.data(), 0, {packed.slots}, {1}},
      s{samples.data(), samples.data(), 0, {packed.slots}, {1}};
  auto call = [&](auto left, auto right) {
    reinterpret_cast<void (*)(void *, void *, void *, void *, void *)>(
        compiled.entry)(&pattern, &v, &left, &right, &s);
  };
  astfe_rt_clear_error();
  if (dense == 0)
    call(Descriptor<1>{x.data(), x.data(), 0, {kRows}, {1}},
         Descriptor<1>{y.data(), y.data(), 0, {kColumns}, {1}});
  else if (dense == 1)
    call(Descriptor<2>{x.data(), x.data(), 0, {kRows, kInner}, {kInner, 1}},
         Descriptor<2>{y.data(), y.data(), 0, {kColumns, kInner}, {kInner, 1}});
  else
    call(Descriptor<3>{x.data(),
                       x.data(),
                       0,
                       {kRows, kInner, kInner},
                       {kInner * kInner, kInner, 1}},
         Descriptor<3>{y.data(),
                       y.data(),
                       0,
                       {kColumns, kInner, kInner},
                       {kInner * kInner, kInner, 1}});
  EXPECT_EQ(astfe_rt_last_error(), nullptr) << astfe_rt_last_error();
  return samples;
}

/// In lanes over nonzeros, in lanes over X and Y, and one after the other.
TEST_F(SampleTargets, AreThoseOfTheNonzerosInEveryOrder) {
  for (core::OrderKind order :
       {core::OrderKind::Rows, core::OrderKind::Hilbert})
    for (bool isWide : {false, true})
      for (unsigned dense : {0, 1, 2}) {
        SCOPED_TRACE(std::to_string(dense) + " dense dimensions" +
                     (isWide ? ", wide" : ""));
        auto *pattern = new rt::PatternHandle(packed(order));
        EXPECT_EQ(pattern->value.isInOrder(), order == core::OrderKind::Rows);
        if (isWide)
          ASSERT_TRUE(pattern->slotNonzeros(/*mostNarrow=*/0));
        std::vector<float> slots = run(*pattern, dense, /*atNonzeros=*/false),
                           expected(matrix.values.size());
        core::unpackValues(pattern->value, slots.data(), expected.data());
        EXPECT_EQ(run(*pattern, dense, /*atNonzeros=*/true), expected);
        pattern->release();
      }
}

TEST_F(SampleTargets, AMatrixWithoutNonzerosHasNone) {
  for (auto &mode : matrix.coordinates)
    mode.clear();
  matrix.values.clear();
  auto *pattern = new rt::PatternHandle(packed(core::OrderKind::Hilbert));
  EXPECT_TRUE(run(*pattern, 1, /*atNonzeros=*/true).empty());
  pattern->release();
}

} // namespace
