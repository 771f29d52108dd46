//===- SerializeKernels.cpp - gpu.module to gpu.binary --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SerializeKernels.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace astfe {

static bool isAboutToolkit(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  return StringRef(text).starts_with("CUDA path: ") ||
         StringRef(text).starts_with("LibDevice path: ");
}

namespace {
struct SerializeKernelsPass
    : PassWrapper<SerializeKernelsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SerializeKernelsPass)

  explicit SerializeKernelsPass(StringRef format) : format(format) {}

  StringRef getName() const override { return "SerializeKernels"; }

  OpPassManager passes() const {
    GpuModuleToBinaryPassOptions options;
    options.compilationTarget = format;
    OpPassManager pm(ModuleOp::getOperationName());
    pm.addPass(createGpuModuleToBinaryPass(options));
    return pm;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    passes().getDependentDialects(registry);
  }

  void runOnOperation() override {
    ScopedDiagnosticHandler handler(&getContext(), [](Diagnostic &diagnostic) {
      return success(isAboutToolkit(diagnostic));
    });
    OpPassManager pm = passes();
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

private:
  std::string format;
};
} // namespace

std::unique_ptr<Pass> createSerializeKernelsPass(StringRef format) {
  return std::make_unique<SerializeKernelsPass>(format);
}

} // namespace astfe
