//===- SavedKernelsTest.cpp - kernels as files, launched ------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What astfe-emit-kernels writes and astfe-launch reads: the pipeline's binary,
// its kernel file and a packed tensor, run on the emulator with all checks on.
// The launcher leaves NaN where kernels have to write.
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Core/Pack/LaunchPlan.h"
#include "ASTFE/Core/Pack/Pack.h"
#include "ASTFE/Core/Plan/Plan.h"
#include "ASTFE/Core/Tensor/CooTensor.h"
#include "ASTFE/Emulator/Emulator.h"
#include "ASTFE/Pipelines/KernelImage.h"
#include "ASTFE/Pipelines/ToPTX.h"
#include "ASTFE/Runtime/Launcher.h"
#include "HostKernels.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace astfe;

namespace {

struct SavedKernels : HostKernelTest {
  /// The kernels of C = A B (or C += A B) with that many columns; 0: a vector.
  KernelImage compile(bool overwrites, bool deterministic, int64_t columns) {
    const std::string extent = columns ? "x" + std::to_string(columns) : "";
    const std::string dense = "tensor<?" + extent + "xf32>";
    const std::string undefined = overwrites ? " {astfe.undefined}" : "";
    const std::string op = columns ? "linalg.matmul" : "linalg.matvec";
    const std::string text = R"(
      #S = #sparse_tensor.encoding<{map = (i, j) -> (i : dense,
        j : compressed), posWidth = 32, crdWidth = 32}>
      func.func @f(%A: tensor<?x?xf32, #S>, %B: )" +
                             dense + ", %C: " + dense + undefined + ") -> " +
                             dense + " {\n  %r = " + op +
                             " ins(%A, %B : tensor<?x?xf32, #S>, " + dense +
                             ") outs(%C : " + dense + ") -> " + dense +
                             "\n  return %r : " + dense + "\n}";
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::PassManager pm(&context);
    ToPTXOptions options;
    options.storage = std::string("packed");
    options.format = std::string("llvm");
    options.deterministic = deterministic;
    buildToPTXPipeline(pm, options);
    EXPECT_TRUE(module && succeeded(pm.run(*module)));
    KernelImage image;
    module->walk([&](mlir::gpu::BinaryOp binary) {
      auto read = kernelImage(binary);
      EXPECT_TRUE(succeeded(read) && *read);
      image = std::move(**read);
    });
    return image;
  }

  core::PackedTensor pack(const TestMatrix &matrix,
                          const core::KernelFile &kernel) {
    core::CooTensor coo{{matrix.rows, matrix.columns},
                        {matrix.row, matrix.column},
                        matrix.value};
    core::PlanOptions plan;
    plan.order = core::OrderKind::Rows;
    plan.reorder = core::ReorderKind::None;
    auto graph = core::makePlan(coo.view(), plan);
    EXPECT_TRUE(graph) << graph.message();
    core::PackOptions options;
    options.layout = kernel.layout;
    options.layout.target = core::PackTarget::GPU;
    options.layout.columnTile = kernel.columnTile;
    options.workers = 8;
    auto packed = core::pack(coo.view(), graph->fused, options);
    EXPECT_TRUE(packed) << packed.message();
    core::PackedTensor tensor;
    std::vector<float> values(matrix.value.begin(), matrix.value.end());
    tensor.values32.resize(size_t(packed->slots));
    core::packValues(*packed, values.data(), tensor.values32.data());
    tensor.pattern = std::move(*packed);
    return tensor;
  }

  void expectRight(const KernelImage &image, const TestMatrix &matrix,
                   int64_t columns) {
    const core::KernelFile &kernel = image.kernels.front();
    rt::LaunchRequest request;
    request.columns = columns;
    request.check = true;
    request.repeat = 1;
    auto outcome = rt::launchPacked(emulator, kernel, image.image,
                                    pack(matrix, kernel), request);
    ASSERT_TRUE(outcome) << outcome.message();
    EXPECT_LE(outcome->maxRelativeError, rt::errorBound(kernel));
  }

  emu::Emulator emulator;
};

std::vector<TestMatrix> samples() {
  return {TestMatrix{5, 7, {}, {}, {}}, randomMatrix(37, 53, 0.1, 4),
          oneDenseRow(20, 300, 17)};
}

} // namespace

TEST_F(SavedKernels, AddedToAndWrittenWithAtomicsAndPartials) {
  for (bool overwrites : {false, true})
    for (bool deterministic : {false, true})
      for (int64_t columns : {0, 40}) {
        const KernelImage image = compile(overwrites, deterministic, columns);
        ASSERT_FALSE(image.kernels.empty());
        const core::KernelFile &kernel = image.kernels.front();
        EXPECT_EQ(core::overwritesOutput(kernel), overwrites);
        EXPECT_EQ(bool(core::findCompanion(kernel, "start")), overwrites);
        EXPECT_EQ(bool(core::findCompanion(kernel, "fill")),
                  deterministic && !overwrites);
        EXPECT_EQ(bool(core::findCompanion(kernel, "combine")), deterministic);
        for (const TestMatrix &matrix : samples())
          expectRight(image, matrix, columns ? columns : 1);
      }
}

TEST_F(SavedKernels, TheOrderOfLaunches) {
  const KernelImage image = compile(true, true, 40);
  ASSERT_FALSE(image.kernels.empty());
  const core::KernelFile &kernel = image.kernels.front();
  core::PackedTensor tensor = pack(oneDenseRow(20, 300, 17), kernel);
  ASSERT_GT(tensor.pattern.partialRows(), 0);
  auto launches = core::planLaunches(kernel, tensor.pattern, 40, 132);
  ASSERT_TRUE(launches) << launches.message();
  std::vector<std::string> entries;
  for (const core::KernelLaunch &launch : *launches)
    entries.push_back(launch.entry);
  EXPECT_EQ(entries.back(), "combine");
  EXPECT_EQ(entries[entries.size() - 2], kernel.entry);
  // A kernel file goes through its text unchanged.
  auto again = core::parseKernelFile(core::toJson(kernel), "again");
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(core::toJson(*again), core::toJson(kernel));
}
