//===- FusedKernelsTest.cpp - chains as one kernel, and apart -------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Dialect/ASTFEDialect.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

using namespace astfe;

namespace {
struct FusedKernels : HostKernelTest {
  std::unique_ptr<Jit> compile(const std::string &text,
                               const std::string &pipeline) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    JitOptions options;
    options.pipeline = pipeline;
    auto jit = Jit::compile(*module, options);
    EXPECT_TRUE(jit) << jit.message();
    return jit ? std::move(*jit) : nullptr;
  }

  /// kChain as one kernel against a kernel for each of its computations.
  void expectAsApart(const std::vector<TestMatrix> &matrices, double bound);

  /// Locals of the only chain that the pass makes.
  int64_t countLocals(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto status = runPipeline(*module, "astfe-fuse-computes");
    EXPECT_TRUE(status) << status.message();
    int64_t chains = 0, locals = 0;
    module->walk([&](FusedOp) { ++chains; });
    module->walk([&](LocalOp) { ++locals; });
    EXPECT_EQ(chains, 1);
    return locals;
  }
};

/// y_i += sum_j exp(a_ij) x_j (sum_j exp(a_ij) + sum_j a_ij): a vector by
/// nonzeros, and a sum by rows that is added to.
const char *const kChain = R"(
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
  %e0 = tensor.empty(%count) : tensor<?xf32>
  %e = astfe.compute over %P : !P maps [#n, #n]
      ins(%v : tensor<?xf32>) outs(%e0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  %s0 = tensor.empty(%rows) : tensor<?xf32>
  %s = astfe.compute over %P : !P maps [#n, #i]
      ins(%e : tensor<?xf32>) outs(%s0 : tensor<?xf32>) overwrite {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  %t = astfe.compute over %P : !P maps [#n, #i]
      ins(%v : tensor<?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%a: f32):
    astfe.yield "addf" %a : f32
  } -> tensor<?xf32>
  %r = astfe.compute over %P : !P maps [#n, #i, #j, #i]
      ins(%e, %t, %x : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %c : f32
    astfe.yield "addf" %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
})";

void FusedKernels::expectAsApart(const std::vector<TestMatrix> &matrices,
                                 double bound) {
  auto fused = compile(kChain, "astfe-to-cpu");
  auto apart = compile(kChain, "astfe-to-cpu{fuse=false}");
  ASSERT_TRUE(fused && apart);
  auto fusedEntry = fused->lookup("_mlir_ciface_f");
  auto apartEntry = apart->lookup("_mlir_ciface_f");
  ASSERT_TRUE(fusedEntry && apartEntry);
  for (const TestMatrix &matrix : matrices) {
    std::vector<float> a = resultOf(*fusedEntry, KernelCase(), matrix),
                       b = resultOf(*apartEntry, KernelCase(), matrix);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], bound * (1 + std::abs(b[i])))
          << "row " << i << " of " << matrix.rows;
  }
}
} // namespace

TEST_F(FusedKernels, ChainsGiveWhatTheirComputationsGiveApart) {
  EXPECT_EQ(countLocals(kChain), 2);
  expectAsApart({TestMatrix{5, 7, {}, {}, {}}, randomMatrix(37, 53, 0.1, 4),
                 oneDenseRow(40, 900, 17), randomMatrix(700, 900, 0.02, 6)},
                1e-4);
}

// A row of 16384 nonzeros, an eighth of all or more, is cut into pieces of
// 2048.
TEST_F(FusedKernels, LongRowsGiveWhatTheirComputationsGiveApart) {
  expectAsApart({oneDenseRow(1, 16384, 0), oneDenseRow(1, 16385, 0),
                 oneDenseRow(3, 16383, 1), oneDenseRow(9, 40003, 8),
                 oneDenseRow(2000, 20480, 1000)},
                1e-3);
}
