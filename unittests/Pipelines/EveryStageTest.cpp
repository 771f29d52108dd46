//===- EveryStageTest.cpp - every pass on what every other leaves ---------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes and pipelines run in any order, repeated, and on modules that are half
// lowered. Whatever comes in, a run ends with a module that verifies or with an
// error that names its place; it never ends the process. On a crash LLVM's
// stack dump says which program and which two steps it was.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/InitAll.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <gtest/gtest.h>

using namespace mlir;

namespace {

struct Program {
  const char *name;
  const char *text;
};

constexpr const char *kEncodings = R"mlir(
#CSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#CSC = #sparse_tensor.encoding<{map = (i, j) -> (j : dense, i : compressed)}>
#COO = #sparse_tensor.encoding<{
  map = (i, j) -> (i : compressed(nonunique), j : singleton)}>
#view = #astfe.layout<view>
#pack = #astfe.layout<packed, columns = 32,
                      classes = [row_segments, scattered]>
)mlir";

constexpr Program kPrograms[] = {
    {"empty", ""},
    {"products", R"mlir(
func.func @spmm(%A: tensor<64x48xf32, #CSR>, %B: tensor<48x32xf32>,
                %C: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = linalg.matmul
    ins(%A, %B : tensor<64x48xf32, #CSR>, tensor<48x32xf32>)
    outs(%C : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
func.func @spmv(%A: tensor<?x?xf64, #CSC>, %x: tensor<?xf64>,
                %y: tensor<?xf64>) -> tensor<?xf64> {
  %r = linalg.matvec ins(%A, %x : tensor<?x?xf64, #CSC>, tensor<?xf64>)
                     outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
)mlir"},
    {"declarations", R"mlir(
func.func private @outside(tensor<?x?xf32, #CSR>, tensor<?xf32>)
    -> tensor<?xf32>
func.func private @patterns(!astfe.blocked<?x?, #pack>, !astfe.graph<?x?>)
func.func @caller(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                  %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = call @outside(%A, %x)
    : (tensor<?x?xf32, #CSR>, tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.matvec ins(%A, %z : tensor<?x?xf32, #CSR>, tensor<?xf32>)
                     outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
)mlir"},
    {"loop", R"mlir(
func.func @power(%A: tensor<64x64xf32, #CSR>, %x: tensor<64xf32>, %n: index)
    -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %p = linalg.matvec ins(%A, %v : tensor<64x64xf32, #CSR>, tensor<64xf32>)
                       outs(%f : tensor<64xf32>) -> tensor<64xf32>
    %q = bufferization.materialize_in_destination %p in %v
      : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    scf.yield %q : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
)mlir"},
    {"sparse results", R"mlir(
func.func @other(%A: tensor<64x48xf32, #CSR>) -> tensor<64x48xf32, #CSC> {
  %r = sparse_tensor.convert %A
    : tensor<64x48xf32, #CSR> to tensor<64x48xf32, #CSC>
  return %r : tensor<64x48xf32, #CSC>
}
func.func @listed(%A: tensor<64x48xf32, #COO>, %x: tensor<48xf32>,
                  %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<64x48xf32, #COO>, tensor<48xf32>)
                     outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
)mlir"},
    {"by hand", R"mlir(
func.func @steps(%A: tensor<?x?xf32, #CSR>, %x: tensor<?xf32>,
                 %y: tensor<?xf32>)
    -> (tensor<?xf32>, !astfe.blocked<?x?, #pack>) {
  %h = astfe.profile of %A order = "hilbert" min = 16
    : tensor<?x?xf32, #CSR> -> !astfe.profile<?x?>
  %g = astfe.partition %h leaf = 64 : !astfe.profile<?x?> -> !astfe.graph<?x?>
  %P = astfe.pack %A by %g : tensor<?x?xf32, #CSR>, !astfe.graph<?x?>
    -> !astfe.blocked<?x?, #pack>
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  %r = astfe.compute over %P : !astfe.blocked<?x?, #pack>
      maps [affine_map<(n, i, j) -> (n)>, affine_map<(n, i, j) -> (j)>,
            affine_map<(n, i, j) -> (i)>]
      ins(%v, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    astfe.yield "addf" %p : f32
  } -> tensor<?xf32>
  return %r, %P : tensor<?xf32>, !astfe.blocked<?x?, #pack>
}
func.func @handed(%P: !astfe.blocked<?x?, #pack>, %A: tensor<?x?xf32, #CSR>)
    -> tensor<?xf32> {
  %v = astfe.values %A in %P
    : tensor<?x?xf32, #CSR>, !astfe.blocked<?x?, #pack> -> tensor<?xf32>
  return %v : tensor<?xf32>
}
)mlir"},
    {"constant", R"mlir(
func.func @known(%A: tensor<8x8xf32, #CSR> {astfe.profile =
                   #astfe.profile<rows [8, 8] {b0 : 5  b1 : 3}>},
                 %x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.matvec ins(%A, %x : tensor<8x8xf32, #CSR>, tensor<8xf32>)
                     outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @graph() -> !astfe.graph<8x8> {
  %g = astfe.graph hilbert [8, 8] { b00 : 8  b01 : 1  b10 : 2  b11 : 1 }
    groups [0, 1, 2, 4] : !astfe.graph<8x8>
  return %g : !astfe.graph<8x8>
}
)mlir"},
};

/// Each alone, and the pipelines in the variants that differ most.
constexpr const char *kSteps[] = {
    "func.func(linalg-generalize-named-ops),convert-linalg-to-astfe",
    "astfe-partition{order=rows}",
    "astfe-partition{order=hilbert}",
    "astfe-refine",
    "astfe-fuse",
    "astfe-select-kernels",
    "astfe-select-kernels{chip=sm_80}",
    "astfe-merge-inspectors",
    "astfe-hoist-inspector",
    "astfe-split-inspector",
    "astfe-split-inspector{with-values}",
    "astfe-expose-buffers",
    "convert-astfe-to-runtime",
    "astfe-forward-buffers",
    "astfe-check-elements",
    "astfe-bufferize",
    "convert-astfe-to-scf",
    "convert-scf-to-openmp,astfe-drop-barriers,astfe-inline-alloca-scopes",
    "convert-astfe-to-gpu",
    "gpu.module(lower-astfe-gpu-to-nvvm)",
    "astfe-finish-host",
    "astfe-hoist-fields",
    "astfe-serialize-kernels",
    "astfe-sparsifier",
    "astfe-sparsifier{storage=packed}",
    "astfe-sparsifier{enable-runtime-library=false}",
    "astfe-to-cpu",
    "astfe-to-cpu{storage=packed split-inspector}",
    "astfe-to-ptx",
    "astfe-to-ptx{storage=packed host}",
};

class EveryStage : public testing::TestWithParam<Program> {
protected:
  static void SetUpTestSuite() {
    static DialectRegistry registry;
    static bool once = [] {
      llvm::sys::PrintStackTraceOnErrorSignal("EveryStageTest");
      llvm::EnablePrettyStackTrace();
      astfe::registerEverything(registry);
      return true;
    }();
    (void)once;
    context = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
  }
  static void TearDownTestSuite() { delete context; }

  /// Runs the step on a copy. Null where it fails: then it says why.
  OwningOpRef<ModuleOp> run(ModuleOp module, const char *step) {
    OwningOpRef<ModuleOp> copy(module.clone());
    std::string errors;
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
    });
    PassManager manager(context, ModuleOp::getOperationName());
    manager.enableVerifier(true);
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    EXPECT_TRUE(succeeded(parsePassPipeline(step, manager, stream)))
        << step << ": " << problems;
    if (succeeded(manager.run(*copy))) {
      EXPECT_EQ(errors, "") << "a run that succeeds";
      return copy;
    }
    EXPECT_NE(errors, "") << "a run that fails without a word";
    return {};
  }

  static MLIRContext *context;
};
MLIRContext *EveryStage::context = nullptr;

TEST_P(EveryStage, RunsOrSaysWhyNot) {
  const Program &program = GetParam();
  auto module = parseSourceString<ModuleOp>(
      std::string(kEncodings) + program.text, ParserConfig(context));
  ASSERT_TRUE(module);
  for (const char *first : kSteps) {
    SCOPED_TRACE(first);
    llvm::PrettyStackTraceFormat trace("program '%s', first step %s",
                                       program.name, first);
    OwningOpRef<ModuleOp> half = run(*module, first);
    if (!half)
      continue;
    for (const char *second : kSteps) {
      SCOPED_TRACE(second);
      llvm::PrettyStackTraceFormat trace("second step %s", second);
      run(*half, second);
    }
  }
}

std::string nameOf(const testing::TestParamInfo<Program> &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryStage, testing::ValuesIn(kPrograms),
                         nameOf);

} // namespace
