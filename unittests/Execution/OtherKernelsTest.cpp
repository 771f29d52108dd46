//===- OtherKernelsTest.cpp - what has no row form, buffers, bad extents --===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computations that the vector emitters do not take (sampled products, outputs
// indexed by columns), the form on buffers, and operands that do not fit.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Runtime/ABI.h"
#include "ASTFE/Runtime/Handles.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace astfe;

namespace {
/// The matrix [[2, 0, 3], [0, 0, 0], [5, 7, 0]] and small dense operands.
struct OtherKernels : HostKernelTest {
  ~OtherKernels() override { EXPECT_EQ(rt::Handle::live(), 0); }

  /// Compiles `body`, a function @f, behind the shared aliases.
  void compile(const std::string &body, const std::string &options = "") {
    std::string text = R"(
      #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense,
        j : compressed), posWidth = 32, crdWidth = 32}>
      #V = #astfe.layout<view>
      #K = #astfe.layout<packed, columns = 8,
                         classes = [row_segments, scattered]>
      #n = affine_map<(n, i, j) -> (n)>
      #i = affine_map<(n, i, j) -> (i)>
      #j = affine_map<(n, i, j) -> (j)>
      #n4 = affine_map<(n, i, j, k) -> (n)>
      #ik = affine_map<(n, i, j, k) -> (i, k)>
      #jk = affine_map<(n, i, j, k) -> (j, k)>
    )" + body;
    KernelCase kernel;
    kernel.passOptions = options;
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    JitOptions jitOptions;
    jitOptions.pipeline = hostPipeline(kernel);
    auto result = Jit::compile(*module, jitOptions);
    ASSERT_TRUE(result) << result.message();
    jit = std::move(*result);
    auto address = jit->lookup("_mlir_ciface_f");
    ASSERT_TRUE(address) << address.message();
    entry = *address;
  }

  /// Calls @f(%A, %X, %Y).
  void run(void *x, void *y) {
    using Entry = void (*)(void *, void *, void *, void *, int64_t, int64_t,
                           void *, void *);
    astfe_rt_clear_error();
    reinterpret_cast<Entry>(entry)(result, &positions.memref,
                                   &coordinates.memref, &values, 3, 3, x, y);
  }

  /// With one entry of `x` too few the call reports the extents and writes
  /// nothing; with all of them the output is `wanted`.
  void expectAllOfX(std::vector<double> x, const std::vector<double> &wanted) {
    const auto size = int64_t(x.size());
    std::vector<double> y{4, 5, 6};
    Descriptor<1> xMemref{x.data(), x.data(), 0, {size - 1}, {1}};
    Descriptor<1> yMemref{y.data(), y.data(), 0, {3}, {1}};
    run(&xMemref, &yMemref);
    ASSERT_NE(astfe_rt_last_error(), nullptr);
    EXPECT_NE(std::string(astfe_rt_last_error()).find("extents"),
              std::string::npos);
    EXPECT_EQ(y, (std::vector<double>{4, 5, 6}));
    xMemref.sizes[0] = size;
    run(&xMemref, &yMemref);
    EXPECT_EQ(astfe_rt_last_error(), nullptr);
    EXPECT_EQ(y, wanted);
  }

  std::unique_ptr<Jit> jit;
  void *entry = nullptr;
  int64_t result[8];
  std::vector<double> valueData{2, 3, 5, 7};
  Indices positions{{0, 2, 2, 4}, 32}, coordinates{{0, 2, 0, 1}, 32};
  Descriptor<1> values{valueData.data(), valueData.data(), 0, {4}, {1}};
};

std::string sampled(const std::string &pack) {
  return R"(func.func @f(%A: tensor<3x3xf64, #S>, %X: tensor<3x?xf64>,
                         %Y: tensor<?xf64>) -> tensor<?xf64> {)" +
         pack + R"(
      %r = astfe.compute over %P : !astfe.blocked<3x3, #L>
          maps [#ik, #jk, #n4]
          ins(%X, %X : tensor<3x?xf64>, tensor<3x?xf64>)
          outs(%Y : tensor<?xf64>) {
      ^bb0(%a: f64, %b: f64):
        %p = arith.mulf %a, %b : f64
        astfe.yield "addf" %p : f64
      } -> tensor<?xf64>
      return %r : tensor<?xf64>
    })";
}

const char *const kView =
    "%P = astfe.pack %A : tensor<3x3xf64, #S> -> !astfe.blocked<3x3, #L>";
const char *const kPacked = R"(
  %h = astfe.profile of %A order = "rows" min = 1
    : tensor<3x3xf64, #S> -> !astfe.profile<3x3>
  %g = astfe.partition %h leaf = 2 : !astfe.profile<3x3> -> !astfe.graph<3x3>
  %P = astfe.pack %A by %g : tensor<3x3xf64, #S>, !astfe.graph<3x3>
    -> !astfe.blocked<3x3, #L>)";
} // namespace

TEST_F(OtherKernels, SampledProductsOfAViewAndOfAPackedPattern) {
  for (bool packed : {false, true}) {
    SCOPED_TRACE(packed);
    compile(std::string(packed ? "#L = #K\n" : "#L = #V\n") +
            sampled(packed ? kPacked : kView));
    std::vector<double> x{1, 2, 3, 4, 5, 6}, y{100, 100, 100, 100};
    Descriptor<2> xMemref{x.data(), x.data(), 0, {3, 2}, {2, 1}};
    Descriptor<1> yMemref{y.data(), y.data(), 0, {4}, {1}};
    run(&xMemref, &yMemref);
    // <x_i, x_j> at (0,0) (0,2) (2,0) (2,1); rows are in order when packed.
    EXPECT_EQ(y, (std::vector<double>{105, 117, 117, 139}));
  }
}

/// y_i = sum of a_ij * b_ij, where B has A's pattern and the values X, which
/// are in the order of %P.
static std::string unpacked(const std::string &pack) {
  return R"(func.func @f(%A: tensor<3x3xf64, #S>, %X: tensor<?xf64>,
                         %Y: tensor<3xf64>) -> tensor<3xf64> {)" +
         pack + R"(
      %B = astfe.unpack %X in %P like %A
        : tensor<?xf64>, !astfe.blocked<3x3, #L>, tensor<3x3xf64, #S>
      %Q = astfe.pack %B : tensor<3x3xf64, #S> -> !astfe.blocked<3x3, #V>
      %a = sparse_tensor.values %A : tensor<3x3xf64, #S> to memref<?xf64>
      %v = bufferization.to_tensor %a restrict
        : memref<?xf64> to tensor<?xf64>
      %w = astfe.values %B in %Q
        : tensor<3x3xf64, #S>, !astfe.blocked<3x3, #V> -> tensor<?xf64>
      %r = astfe.compute over %Q : !astfe.blocked<3x3, #V> maps [#n, #n, #i]
          ins(%v, %w : tensor<?xf64>, tensor<?xf64>)
          outs(%Y : tensor<3xf64>) {
      ^bb0(%p: f64, %q: f64):
        %s = arith.mulf %p, %q : f64
        astfe.yield "addf" %s : f64
      } -> tensor<3xf64>
      return %r : tensor<3xf64>
    })";
}

TEST_F(OtherKernels, UnpackLeavesTheTensorWhosePatternItTakes) {
  for (bool packed : {false, true}) {
    SCOPED_TRACE(packed);
    compile(std::string(packed ? "#L = #K\n" : "#L = #V\n") +
            unpacked(packed ? kPacked : kView));
    std::vector<double> x{1, 10, 100, 1000}, y{0, 1, 2};
    Descriptor<1> xMemref{x.data(), x.data(), 0, {4}, {1}};
    Descriptor<1> yMemref{y.data(), y.data(), 0, {3}, {1}};
    run(&xMemref, &yMemref);
    EXPECT_EQ(y, (std::vector<double>{32, 1, 7502}));
    EXPECT_EQ(valueData, (std::vector<double>{2, 3, 5, 7}));
  }
}

/// Lanes behind the last column of X take no part: their terms are no zeros.
TEST_F(OtherKernels, TheLargestTermOfASample) {
  for (bool packed : {false, true}) {
    SCOPED_TRACE(packed);
    std::string text = sampled(packed ? kPacked : kView);
    auto replace = [&](const std::string &from, const std::string &to) {
      ASSERT_NE(text.find(from), std::string::npos);
      text.replace(text.find(from), from.size(), to);
    };
    replace("addf", "maximumf");
    replace("%p = arith.mulf %a, %b",
            "%q = arith.mulf %a, %b : f64\n%p = arith.negf %q");
    compile((packed ? "#L = #K\n" : "#L = #V\n") + text);
    std::vector<double> x{5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 2, 2, 2, 2, 2};
    std::vector<double> y{-100, -100, -1, -100};
    Descriptor<2> xMemref{x.data(), x.data(), 0, {3, 5}, {5, 1}};
    Descriptor<1> yMemref{y.data(), y.data(), 0, {4}, {1}};
    run(&xMemref, &yMemref);
    // Of (0,0) (0,2) (2,0) (2,1).
    EXPECT_EQ(y, (std::vector<double>{-1, -2, -1, -2}));
  }
}

TEST_F(OtherKernels, OutputIndexedByColumns) {
  for (bool packed : {false, true})
    for (bool overwrite : {false, true}) {
      SCOPED_TRACE(packed);
      SCOPED_TRACE(overwrite);
      compile(std::string(packed ? "#L = #K\n" : "#L = #V\n") + R"(
        func.func @f(%A: tensor<3x3xf64, #S>, %X: tensor<3xf64>,
                     %Y: tensor<3xf64>) -> tensor<3xf64> {)" +
              (packed ? kPacked : kView) + R"(
          %v = astfe.values %A in %P
            : tensor<3x3xf64, #S>, !astfe.blocked<3x3, #L> -> tensor<?xf64>
          %r = astfe.compute over %P : !astfe.blocked<3x3, #L>
              maps [#n, #i, #j]
              ins(%v, %X : tensor<?xf64>, tensor<3xf64>)
              outs(%Y : tensor<3xf64>)
          )" + (overwrite ? "overwrite" : "") +
              R"({
          ^bb0(%a: f64, %b: f64):
            %p = arith.mulf %a, %b : f64
            astfe.yield "addf" %p : f64
          } -> tensor<3xf64>
          return %r : tensor<3xf64>
        })");
      std::vector<double> x{1, 10, 100}, y{0, 0, 1};
      Descriptor<1> xMemref{x.data(), x.data(), 0, {3}, {1}};
      Descriptor<1> yMemref{y.data(), y.data(), 0, {3}, {1}};
      run(&xMemref, &yMemref);
      EXPECT_EQ(y, (std::vector<double>{502, 700, overwrite ? 3. : 4.}));
    }
}

TEST_F(OtherKernels, ComputationOnBuffers) {
  compile(R"(func.func @f(%A: tensor<3x3xf64, #S>, %X: memref<3xf64>,
                          %Y: memref<3xf64>) {
      %P = astfe.pack %A : tensor<3x3xf64, #S> -> !astfe.blocked<3x3, #V>
      %v = sparse_tensor.values %A : tensor<3x3xf64, #S> to memref<?xf64>
      astfe.compute over %P : !astfe.blocked<3x3, #V> maps [#n, #j, #i]
          ins(%v, %X : memref<?xf64>, memref<3xf64>)
          outs(%Y : memref<3xf64>) {
      ^bb0(%a: f64, %b: f64):
        %p = arith.mulf %a, %b : f64
        astfe.yield "addf" %p : f64
      }
      return
    })");
  std::vector<double> x{1, 10, 100}, y{0, 1, 2};
  Descriptor<1> xMemref{x.data(), x.data(), 0, {3}, {1}};
  Descriptor<1> yMemref{y.data(), y.data(), 0, {3}, {1}};
  using Entry =
      void (*)(void *, void *, void *, int64_t, int64_t, void *, void *);
  reinterpret_cast<Entry>(entry)(&positions.memref, &coordinates.memref,
                                 &values, 3, 3, &xMemref, &yMemref);
  EXPECT_EQ(y, (std::vector<double>{302, 1, 77}));
}

namespace {
std::string dynamicProduct(const std::string &layout, const std::string &pack) {
  return "#L = " + layout + R"(
    func.func @f(%A: tensor<?x?xf64, #S>, %X: tensor<?xf64>,
                 %Y: tensor<?xf64>) -> tensor<?xf64> {)" +
         pack + R"(
      %v = astfe.values %A in %P
        : tensor<?x?xf64, #S>, !astfe.blocked<?x?, #L> -> tensor<?xf64>
      %r = astfe.compute over %P : !astfe.blocked<?x?, #L> maps [#n, #j, #i]
          ins(%v, %X : tensor<?xf64>, tensor<?xf64>)
          outs(%Y : tensor<?xf64>) {
      ^bb0(%a: f64, %b: f64):
        %p = arith.mulf %a, %b : f64
        astfe.yield "addf" %p : f64
      } -> tensor<?xf64>
      return %r : tensor<?xf64>
    })";
}

const char *const kDynamicView =
    "%P = astfe.pack %A : tensor<?x?xf64, #S> -> !astfe.blocked<?x?, #L>";
const char *const kDynamicPacked = R"(
  %h = astfe.profile of %A order = "rows" min = 1
    : tensor<?x?xf64, #S> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 2 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g : tensor<?x?xf64, #S>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #L>)";
} // namespace

TEST_F(OtherKernels, ExtentsThatDifferAreReportedAndNothingIsWritten) {
  for (bool packed : {false, true}) {
    SCOPED_TRACE(packed);
    compile(dynamicProduct(packed ? "#K" : "#V",
                           packed ? kDynamicPacked : kDynamicView),
            "check-extents=true");
    expectAllOfX({1, 10, 100}, {306, 5, 81});
  }
}

/// Values that are handed over, not made from the tensor, may be too few.
TEST_F(OtherKernels, ValuesForEverySlot) {
  for (bool packed : {false, true}) {
    SCOPED_TRACE(packed);
    const std::string layout = packed ? "#K" : "#V";
    compile("#L = " + layout + R"(
      func.func @f(%A: tensor<3x3xf64, #S>, %X: tensor<?xf64>,
                   %Y: tensor<3xf64>) -> tensor<3xf64> {)" +
                (packed ? kPacked : kView) + R"(
      %r = astfe.compute over %P : !astfe.blocked<3x3, #L> maps [#n, #i]
          ins(%X : tensor<?xf64>) outs(%Y : tensor<3xf64>) {
      ^bb0(%a: f64):
        astfe.yield "addf" %a : f64
      } -> tensor<3xf64>
      return %r : tensor<3xf64>
    })",
            "check-extents=true");
    expectAllOfX({1, 10, 100, 1000}, {15, 5, 1106});
    // More than there are slots do no harm.
    std::vector<double> x{1, 10, 100, 1000, 10000}, y{4, 5, 6};
    Descriptor<1> xMemref{x.data(), x.data(), 0, {5}, {1}};
    Descriptor<1> yMemref{y.data(), y.data(), 0, {3}, {1}};
    run(&xMemref, &yMemref);
    EXPECT_EQ(astfe_rt_last_error(), nullptr);
    EXPECT_EQ(y, (std::vector<double>{15, 5, 1106}));
  }
}

TEST_F(OtherKernels, AFailedPackLeavesTheOutput) {
  compile(dynamicProduct("#K", kDynamicPacked));
  coordinates.narrow[1] = 3; // out of range
  std::vector<double> x{1, 10, 100}, y{4, 5, 6};
  Descriptor<1> xMemref{x.data(), x.data(), 0, {3}, {1}};
  Descriptor<1> yMemref{y.data(), y.data(), 0, {3}, {1}};
  run(&xMemref, &yMemref);
  EXPECT_NE(astfe_rt_last_error(), nullptr);
  EXPECT_EQ(y, (std::vector<double>{4, 5, 6}));
}
