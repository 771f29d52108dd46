//===- InterpreterTest.cpp - what a function means, in float64 ------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterpreterTest.h"
#include "ASTFE/Dialect/ASTFEDialect.h"
#include "ASTFE/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace astfe;

namespace {
/// [[2, -2, 0], [0, 0, 5]], with an explicit zero at (1, 0).
SparseArray matrix() {
  return {{2, 3}, {{0, 0, 1, 1}, {0, 1, 0, 2}}, {2, -2, 0, 5}, {}};
}

const char *const kSpMV = R"(
  func.func @f(%A: tensor<2x3xf64, #CSR>, %x: tensor<3xf64>,
               %y: tensor<2xf64>) -> tensor<2xf64> {
    %P = astfe.pack %A : tensor<2x3xf64, #CSR> -> !astfe.blocked<2x3, #view>
    %v = astfe.values %A in %P
      : tensor<2x3xf64, #CSR>, !astfe.blocked<2x3, #view> -> tensor<?xf64>
    %r = astfe.compute over %P : !astfe.blocked<2x3, #view> maps [#n, #k, #i]
        ins(%v, %x : tensor<?xf64>, tensor<3xf64>)
        outs(%y : tensor<2xf64>) {
    ^bb0(%a: f64, %b: f64):
      %p = arith.mulf %a, %b : f64
      astfe.yield "KIND" %p : f64
    } -> tensor<2xf64>
    return %r : tensor<2xf64>
  })";

std::string spmv(StringRef kind) {
  std::string text = kSpMV;
  text.replace(text.find("KIND"), 4, kind.str());
  return text;
}
} // namespace

TEST_F(InterpreterTest, AddsContributionsIntoTheOutput) {
  auto out = run(spmv("addf"), {matrix(), DenseArray{{3}, {1, 1, 2}, {}},
                                DenseArray{{2}, {100, -1}, {}}});
  ASSERT_TRUE(succeeded(out));
  const auto &y = std::get<DenseArray>(out->results[0]);
  EXPECT_EQ(y.values, (std::vector<double>{100, 9}));
  EXPECT_EQ(y.magnitudes, (std::vector<double>{104, 11}));
  // A tensor operand is not written to.
  EXPECT_EQ(std::get<DenseArray>(out->arguments[2]).values,
            (std::vector<double>{100, -1}));
}

TEST_F(InterpreterTest, CombinesByMaximumOverStoredNonzerosOnly) {
  auto out = run(spmv("maximumf"), {matrix(), DenseArray{{3}, {1, 1, -1}, {}},
                                    DenseArray{{2}, {-9, -9}, {}}});
  ASSERT_TRUE(succeeded(out));
  // Row 1 holds an explicit zero and -5; what is not stored does not count.
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values,
            (std::vector<double>{2, 0}));
}

TEST_F(InterpreterTest, LinalgWalksNonzerosWhereZerosContributeNothing) {
  // As a dense array this matrix would take 8 TB.
  constexpr int64_t kSize = 1000000;
  SparseArray large{
      {kSize, kSize}, {{1, 1, kSize - 1}, {0, 5, 7}}, {2, -3, 4}, {}};
  DenseArray x{{kSize}, std::vector<double>(kSize, 1), {}},
      y{{kSize}, std::vector<double>(kSize, 10), {}};
  auto out = run(R"(
    func.func @f(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>,
                 %y: tensor<?xf64>) -> tensor<?xf64> {
      %r = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
                         outs(%y : tensor<?xf64>) -> tensor<?xf64>
      return %r : tensor<?xf64>
    })",
                 {large, x, y});
  ASSERT_TRUE(succeeded(out));
  const auto &r = std::get<DenseArray>(out->results[0]);
  EXPECT_EQ(r.values[0], 10);
  EXPECT_EQ(r.values[1], 9);
  EXPECT_EQ(r.magnitudes[1], 15);
  EXPECT_EQ(r.values[kSize - 1], 14);
}

TEST_F(InterpreterTest, LinalgCountsZerosThatContribute) {
  auto out = run(R"(
    #ij = affine_map<(i, j) -> (i, j)>
    #row = affine_map<(i, j) -> (i)>
    func.func @f(%A: tensor<2x3xf64, #CSR>, %y: tensor<2xf64>)
        -> tensor<2xf64> {
      %r = linalg.generic {indexing_maps = [#ij, #row],
                           iterator_types = ["parallel", "reduction"]}
          ins(%A : tensor<2x3xf64, #CSR>) outs(%y : tensor<2xf64>) {
      ^bb0(%a: f64, %b: f64):
        %one = arith.constant 1.0 : f64
        %s = arith.addf %a, %one : f64
        %t = arith.addf %b, %s : f64
        linalg.yield %t : f64
      } -> tensor<2xf64>
      return %r : tensor<2xf64>
    })",
                 {matrix(), DenseArray{{2}, {0, 0}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values,
            (std::vector<double>{3, 8}));
}

TEST_F(InterpreterTest, LinalgOnASparseOperandMeansTheSame) {
  auto out = run(R"(
    func.func @f(%A: tensor<2x3xf64, #CSR>, %x: tensor<3xf64>,
                 %y: tensor<2xf64>) -> tensor<2xf64> {
      %r = linalg.matvec ins(%A, %x : tensor<2x3xf64, #CSR>, tensor<3xf64>)
                         outs(%y : tensor<2xf64>) -> tensor<2xf64>
      return %r : tensor<2xf64>
    })",
                 {matrix(), DenseArray{{3}, {1, 1, 2}, {}},
                  DenseArray{{2}, {100, -1}, {}}});
  ASSERT_TRUE(succeeded(out));
  const auto &y = std::get<DenseArray>(out->results[0]);
  EXPECT_EQ(y.values, (std::vector<double>{100, 9}));
  EXPECT_EQ(y.magnitudes, (std::vector<double>{104, 11}));
}

TEST_F(InterpreterTest, RaisingKeepsTheMeaning) {
  std::mt19937 random(3);
  SparseArray matrix{{7, 5}, {{}, {}}, {}, {}};
  for (int64_t row = 0; row < 7; ++row)
    for (int64_t column = 0; column < 5; ++column)
      if (random() % 3 == 0) {
        matrix.coordinates[0].push_back(row);
        matrix.coordinates[1].push_back(column);
        matrix.values.push_back(double(random() % 17) - 8);
      }
  DenseArray b{{5, 4}, std::vector<double>(20), {}};
  DenseArray c{{7, 4}, std::vector<double>(28, 0.5), {}};
  for (double &value : b.values)
    value = double(random() % 9) - 4;
  auto before = run(R"(
    func.func @f(%A: tensor<7x5xf32, #CSR>, %B: tensor<5x4xf32>,
                 %C: tensor<7x4xf32>) -> tensor<7x4xf32> {
      %r = linalg.matmul ins(%A, %B : tensor<7x5xf32, #CSR>, tensor<5x4xf32>)
                         outs(%C : tensor<7x4xf32>) -> tensor<7x4xf32>
      return %r : tensor<7x4xf32>
    })",
                    {matrix, b, c});
  ASSERT_TRUE(succeeded(before));
  PassManager passes(&context);
  passes.addPass(createConvertLinalgToASTFEPass());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  bool raised = false;
  module->walk([&](ComputeOp) { raised = true; });
  EXPECT_TRUE(raised);
  auto after =
      interpret(*module->getOps<func::FuncOp>().begin(), {matrix, b, c});
  ASSERT_TRUE(succeeded(after));
  const auto &expected = std::get<DenseArray>(before->results[0]);
  const auto &got = std::get<DenseArray>(after->results[0]);
  EXPECT_EQ(got.values, expected.values);
  EXPECT_EQ(got.magnitudes, expected.magnitudes);
}

/// y += (sums of f a - (their row's maximum)) + f, f a scalar.
const char *const kBelowMaximum = R"(
  #u = affine_map<(u) -> (u)>
  !P = !astfe.blocked<3x3, #view>
  func.func @f(%A: tensor<3x3xf64, #CSR>, %y: tensor<3xf64>, %f: f64)
      -> tensor<3xf64> {
    %P = astfe.pack %A : tensor<3x3xf64, #CSR> -> !P
    %v = astfe.values %A in %P : tensor<3x3xf64, #CSR>, !P -> tensor<?xf64>
    %r = astfe.fused over %p = %P : !P ins(%a = %v, %g = %f : tensor<?xf64>, f64)
        outs(%o = %y : tensor<3xf64>) {
      %m0 = astfe.local over %p at #i : !P -> tensor<?xf64>
      %m = astfe.compute over %p : !P maps [#n, #i]
          ins(%a : tensor<?xf64>) outs(%m0 : tensor<?xf64>) overwrite {
      ^bb0(%t: f64):
        %s = arith.mulf %t, %g : f64
        astfe.yield "maximumf" %s : f64
      } -> tensor<?xf64>
      %e0 = astfe.local over %p at #n : !P -> tensor<?xf64>
      %e = astfe.compute over %p : !P maps [#n, #i, #n]
          ins(%a, %m : tensor<?xf64>, tensor<?xf64>)
          outs(%e0 : tensor<?xf64>) overwrite {
      ^bb0(%t: f64, %u: f64):
        %s = arith.mulf %t, %g : f64
        %d = arith.subf %s, %u : f64
        astfe.yield "addf" %d : f64
      } -> tensor<?xf64>
      %o1 = astfe.compute over %p : !P maps [#n, #i]
          ins(%e : tensor<?xf64>) outs(%o : tensor<3xf64>) {
      ^bb0(%t: f64):
        astfe.yield "addf" %t : f64
      } -> tensor<3xf64>
      %o2 = linalg.generic {indexing_maps = [#u], iterator_types = ["parallel"]}
          outs(%o1 : tensor<3xf64>) {
      ^bb0(%t: f64):
        %h = arith.addf %t, %g : f64
        linalg.yield %h : f64
      } -> tensor<3xf64>
      astfe.return %o2 : tensor<3xf64>
    } -> tensor<3xf64>
    return %r : tensor<3xf64>
  })";

TEST_F(InterpreterTest, AChainRunsInSequence) {
  // Scaled by 2: the row (2, -6) has the maximum 4, and 4 - 4 + -12 - 4 = -16;
  // the row (10) has 0; the last row is empty, but the epilogue adds 2 to it.
  SparseArray matrix{{3, 3}, {{0, 0, 1}, {0, 2, 1}}, {2, -6, 5}, {}};
  auto out = run(kBelowMaximum, {matrix, DenseArray{{3}, {100, -1, 7}, {}},
                                 DenseArray{{}, {2}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values,
            (std::vector<double>{100 - 16 + 2, -1 + 2, 7 + 2}));
}

TEST_F(InterpreterTest, InliningAChainKeepsTheMeaning) {
  SparseArray matrix{{3, 3}, {{0, 0, 1}, {0, 2, 1}}, {2, -6, 5}, {}};
  std::vector<InterpreterValue> arguments = {
      matrix, DenseArray{{3}, {100, -1, 7}, {}}, DenseArray{{}, {2}, {}}};
  auto before = run(kBelowMaximum, arguments);
  ASSERT_TRUE(succeeded(before));
  PassManager passes(&context);
  passes.addPass(createUnfuseComputesPass());
  ASSERT_TRUE(succeeded(passes.run(*module)));
  module->walk([](FusedOp) { ADD_FAILURE() << "a chain is left"; });
  auto after = interpret(*module->getOps<func::FuncOp>().begin(), arguments);
  ASSERT_TRUE(succeeded(after));
  EXPECT_EQ(std::get<DenseArray>(after->results[0]).values,
            std::get<DenseArray>(before->results[0]).values);
}

TEST_F(InterpreterTest, SampledProductKeepsTheDuplicatesOfItsPattern) {
  SparseArray pattern{{2, 2}, {{0, 0, 1}, {1, 1, 0}}, {1, 10, 2}, {}};
  auto out =
      run(R"(
    func.func @f(%S: tensor<2x2xf64, #CSR>, %A: tensor<2x2xf64>,
                 %B: tensor<2x2xf64>, %c: index) -> tensor<2x2xf64, #CSR> {
      %P = astfe.pack %S : tensor<2x2xf64, #CSR> -> !astfe.blocked<2x2, #view>
      %v = astfe.values %S in %P
        : tensor<2x2xf64, #CSR>, !astfe.blocked<2x2, #view> -> tensor<?xf64>
      %e = tensor.empty(%c) : tensor<?xf64>
      %zero = arith.constant 0.0 : f64
      %z = linalg.fill ins(%zero : f64) outs(%e : tensor<?xf64>)
        -> tensor<?xf64>
      %r = astfe.compute over %P : !astfe.blocked<2x2, #view>
          maps [affine_map<(n, i, j, k) -> (n)>,
                affine_map<(n, i, j, k) -> (i, k)>,
                affine_map<(n, i, j, k) -> (k, j)>,
                affine_map<(n, i, j, k) -> (n)>]
          ins(%v, %A, %B : tensor<?xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
          outs(%z : tensor<?xf64>) {
      ^bb0(%s: f64, %a: f64, %b: f64):
        %p = arith.mulf %a, %b : f64
        %q = arith.mulf %s, %p : f64
        astfe.yield "addf" %q : f64
      } -> tensor<?xf64>
      %t = astfe.unpack %r in %P like %S
        : tensor<?xf64>, !astfe.blocked<2x2, #view>, tensor<2x2xf64, #CSR>
      return %t : tensor<2x2xf64, #CSR>
    })",
          {pattern, DenseArray{{2, 2}, {1, 2, 3, 4}, {}},
           DenseArray{{2, 2}, {1, 2, 3, -4}, {}}, DenseArray{{}, {3}, {}}});
  ASSERT_TRUE(succeeded(out));
  const auto &t = std::get<SparseArray>(out->results[0]);
  // A B = [[7, -6], [15, -10]].
  EXPECT_EQ(t.values, (std::vector<double>{-6, -60, 30}));
  EXPECT_EQ(t.magnitudes, (std::vector<double>{10, 100, 30}));
  EXPECT_EQ(t.coordinates, pattern.coordinates);
}

TEST_F(InterpreterTest, TakesTensorsAsMatrices) {
  const SparseArray tensor{
      {2, 3, 4}, {{0, 1, 1}, {2, 0, 2}, {3, 1, 3}}, {5, 6, 7}, {5, 6, 7}};
  auto out = run(R"(
    #CSF = #sparse_tensor.encoding<{
      map = (i, j, k) -> (i : compressed, j : compressed, k : compressed) }>
    #COO = #sparse_tensor.encoding<{
      map = (i, j) -> (i : compressed(nonunique), j : singleton) }>
    func.func @f(%T: tensor<2x3x4xf64, #CSF>) -> tensor<8x3xf64, #COO> {
      %A = astfe.matricize %T rows [2, 0] column 1
        : tensor<2x3x4xf64, #CSF> to tensor<8x3xf64, #COO>
      return %A : tensor<8x3xf64, #COO>
    })",
                 {tensor});
  ASSERT_TRUE(succeeded(out));
  const auto &matrix = std::get<SparseArray>(out->results[0]);
  EXPECT_EQ(matrix.shape, (std::vector<int64_t>{8, 3}));
  EXPECT_EQ(matrix.coordinates,
            (std::vector<std::vector<int64_t>>{{6, 3, 7}, {2, 0, 2}}));
  EXPECT_EQ(matrix.values, tensor.values);
}

TEST_F(InterpreterTest, ConstantsOfNarrowIntegersHaveASign) {
  auto out = run(R"(
    func.func @f(%y: tensor<2xi16>) -> tensor<2xi16> {
      %low = arith.constant -32768 : i16
      %z = linalg.fill ins(%low : i16) outs(%y : tensor<2xi16>) -> tensor<2xi16>
      return %z : tensor<2xi16>
    })",
                 {DenseArray{{2}, {0, 0}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values,
            (std::vector<double>{-32768, -32768}));
}

TEST_F(InterpreterTest, IntegersHaveAllOfTheirBits) {
  SparseArray entries{{1, 2}, {{0, 0}, {0, 1}},           {0x1p53, 2}, {},
                      {},     {(int64_t(1) << 53) + 1, 2}};
  auto out = run(R"(
    func.func @f(%A: tensor<1x2xi64, #CSR>) -> tensor<1xi64> {
      %one = arith.constant dense<9007199254740993> : tensor<1xi64>
      %y = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>,
                           affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%A : tensor<1x2xi64, #CSR>) outs(%one : tensor<1xi64>) {
      ^bb0(%a: i64, %o: i64):
        %s = arith.addi %a, %o : i64
        linalg.yield %s : i64
      } -> tensor<1xi64>
      return %y : tensor<1xi64>
    })",
                 {entries});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).integers,
            (std::vector<int64_t>{(int64_t(1) << 54) + 4}));
}

TEST_F(InterpreterTest, WritesBuffers) {
  auto out = run(
      R"(
    func.func @f(%A: tensor<2x3xf64, #CSR>, %x: memref<3xf64>,
                 %y: memref<2xf64>) {
      %P = astfe.pack %A : tensor<2x3xf64, #CSR> -> !astfe.blocked<2x3, #view>
      astfe.compute over %P : !astfe.blocked<2x3, #view> maps [#k, #i]
          ins(%x : memref<3xf64>) outs(%y : memref<2xf64>) {
      ^bb0(%b: f64):
        %half = arith.constant 0.5 : f64
        %p = arith.mulf %half, %b : f64
        astfe.yield "addf" %p : f64
      }
      return
    })",
      {matrix(), DenseArray{{3}, {1, 1, 2}, {}}, DenseArray{{2}, {0, 0}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->arguments[2]).values,
            (std::vector<double>{1, 1.5}));
}

TEST_F(InterpreterTest, OverwritesWithWhatContributionsCombineTo) {
  auto out = run(
      R"(
    func.func @f(%A: tensor<2x3xf64, #CSR>, %y: tensor<2xf64>)
        -> tensor<2xf64> {
      %P = astfe.pack %A : tensor<2x3xf64, #CSR> -> !astfe.blocked<2x3, #view>
      %v = astfe.values %A in %P
        : tensor<2x3xf64, #CSR>, !astfe.blocked<2x3, #view> -> tensor<?xf64>
      %r = astfe.compute over %P : !astfe.blocked<2x3, #view> maps [#n, #i]
          ins(%v : tensor<?xf64>) outs(%y : tensor<2xf64>) overwrite {
      ^bb0(%a: f64):
        astfe.yield "maximumf" %a : f64
      } -> tensor<2xf64>
      return %r : tensor<2xf64>
    })",
      {matrix(), DenseArray{{2}, {100, 100}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->results[0]).values,
            (std::vector<double>{2, 5}));
  EXPECT_EQ(std::get<DenseArray>(out->arguments[1]).values,
            (std::vector<double>{100, 100}));
}

/// Rows without nonzeros hold the combiner's identity, in buffers too.
TEST_F(InterpreterTest, OverwritesRowsWithoutNonzeros) {
  auto out = run(
      R"(
    func.func @f(%A: tensor<3x3xf64, #CSR>, %x: memref<3xf64>,
                 %y: memref<3xf64>) {
      %P = astfe.pack %A : tensor<3x3xf64, #CSR> -> !astfe.blocked<3x3, #view>
      astfe.compute over %P : !astfe.blocked<3x3, #view> maps [#k, #i]
          ins(%x : memref<3xf64>) outs(%y : memref<3xf64>) overwrite {
      ^bb0(%b: f64):
        astfe.yield "addf" %b : f64
      }
      return
    })",
      {SparseArray{{3, 3}, {{0, 2}, {1, 1}}, {4, 4}, {}},
       DenseArray{{3}, {1, 2, 3}, {}}, DenseArray{{3}, {9, 9, 9}, {}}});
  ASSERT_TRUE(succeeded(out));
  EXPECT_EQ(std::get<DenseArray>(out->arguments[2]).values,
            (std::vector<double>{2, 0, 2}));
}

TEST_F(InterpreterTest, CallsFunctionsAndFollowsNegationsMagnitude) {
  auto out = run(R"(
    func.func @f(%x: f64) -> f64 {
      %y = call @g(%x) : (f64) -> f64
      %z = arith.addf %x, %y : f64
      return %z : f64
    }
    func.func @g(%x: f64) -> f64 {
      %y = arith.negf %x : f64
      return %y : f64
    })",
                 {DenseArray{{}, {3}, {}}});
  ASSERT_TRUE(succeeded(out));
  const auto &z = std::get<DenseArray>(out->results[0]);
  EXPECT_EQ(z.values[0], 0);
  EXPECT_EQ(z.magnitudes[0], 6);
}

TEST_F(InterpreterTest, RoundsOnceToTheNarrowerType) {
  const char *const body = R"(
    func.func @f(%x: f64) -> (f64, f64, f64) {
      %b = arith.truncf %x : f64 to bf16
      %h = arith.truncf %x : f64 to f16
      %s = arith.truncf %x : f64 to f32
      %0 = arith.extf %b : bf16 to f64
      %1 = arith.extf %h : f16 to f64
      %2 = arith.extf %s : f32 to f64
      return %0, %1, %2 : f64, f64, f64
    })";
  // Above the middle of two bf16 by less than f32 has there.
  const double above = 1 + std::ldexp(1.0, -8) + std::ldexp(1.0, -30);
  auto result = run(body, {DenseArray{{}, {above}, {}}});
  ASSERT_TRUE(succeeded(result));
  auto value = [&](size_t i) {
    return std::get<DenseArray>(result->results[i]).values[0];
  };
  EXPECT_EQ(value(0), 1 + std::ldexp(1.0, -7));
  EXPECT_EQ(value(1), 1 + std::ldexp(1.0, -8));
  EXPECT_EQ(value(2), 1 + std::ldexp(1.0, -8));
}

TEST_F(InterpreterTest, RefusesWhatDoesNotFit) {
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors.push_back(diagnostic.str());
    return success();
  });
  DenseArray x{{3}, {1, 1, 1}, {}}, y{{2}, {0, 0}, {}};
  SparseArray outside = matrix();
  outside.coordinates[1][3] = 3;
  EXPECT_TRUE(failed(run(spmv("addf"), {outside, x, y})));
  EXPECT_TRUE(failed(run(spmv("addf"), {matrix(), y, y})));
  EXPECT_TRUE(failed(run(spmv("addf"), {matrix(), x})));
  EXPECT_TRUE(failed(run(R"(
    func.func @f(%x: f64) -> f64 {
      %y = math.cbrt %x : f64
      return %y : f64
    })",
                         {DenseArray{{}, {3}, {}}})));
  EXPECT_EQ(errors,
            (std::vector<std::string>{
                "'func.func' op expected argument 0 to have coordinates below "
                "3 but got 3",
                "'func.func' op expected argument 1 to fit 'tensor<3xf64>' but "
                "got the shape [2]",
                "'func.func' op expected 3 arguments but got 2",
                "'math.cbrt' op expected an op that the interpreter knows"}));
}
