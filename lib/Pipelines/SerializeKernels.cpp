//===- SerializeKernels.cpp - gpu.module to gpu.binary --------------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Conversion/KernelAttrs.h"
#include "ASTFE/Core/Target/Chip.h"
#include "ASTFE/Pipelines/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace astfe {
#define GEN_PASS_DEF_SERIALIZEKERNELSPASS
#include "ASTFE/Pipelines/Passes.h.inc"

static bool isAboutToolkit(const Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  return StringRef(text).starts_with("CUDA path: ") ||
         StringRef(text).starts_with("LibDevice path: ");
}

/// LLVM ends the process where it does not know a chip, or not in the version
/// of PTX that it is asked for.
static LogicalResult checkTargets(gpu::GPUModuleOp kernels) {
  ArrayAttr targets = kernels.getTargetsAttr();
  if (!targets)
    return success();
  for (auto target : targets.getAsRange<Attribute>()) {
    auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target);
    if (!nvvm)
      continue;
    const core::Chip *chip = core::findChip(nvvm.getChip());
    if (!chip)
      return kernels.emitOpError("expected the target's chip to be ")
             << core::chipNames() << " but got '" << nvvm.getChip() << "'";
    if (auto fits = core::ptxFeatures(*chip, nvvm.getFeatures()); !fits)
      return kernels.emitOpError(fits.message());
  }
  return success();
}

/// What stays of a gpu.module's attributes and of its kernels' (KernelAttrs.h).
static NamedAttrList describe(gpu::GPUModuleOp kernels) {
  NamedAttrList kept, byName;
  for (StringRef name : {kLayoutAttr, kElementAttr, kCombinerAttr})
    if (Attribute value = kernels->getAttr(name))
      kept.append(name, value);
  for (auto kernel : kernels.getOps<FunctionOpInterface>()) {
    NamedAttrList own;
    for (StringRef name :
         {StringRef(kArgumentsAttr), StringRef(kColumnTileAttr),
          StringRef(kWideAttr), StringRef(kVectorAttr),
          StringRef(gpu::GPUDialect::KnownBlockSizeAttrHelper::getNameStr())})
      if (Attribute value = kernel->getAttr(name))
        own.append(name, value);
    if (own.get(kArgumentsAttr))
      byName.append(kernel.getName(), own.getDictionary(kernels.getContext()));
  }
  if (!byName.empty())
    kept.append(kKernelsAttr, byName.getDictionary(kernels.getContext()));
  return kept;
}

namespace {
struct SerializeKernelsPass
    : CheckedOptions<impl::SerializeKernelsPassBase<SerializeKernelsPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override {
    // gpu-module-to-binary complains of others but does not fail.
    if (llvm::is_contained({"isa", "llvm", "binary", "fatbin"},
                           StringRef(format)))
      return core::Success();
    return optionError("format", "isa, llvm, binary or fatbin", format);
  }

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
    llvm::StringMap<NamedAttrList> described;
    auto checked = getOperation().walk([&](gpu::GPUModuleOp kernels) {
      if (failed(checkTargets(kernels)))
        return WalkResult::interrupt();
      described[kernels.getName()] = describe(kernels);
      return WalkResult::skip();
    });
    if (checked.wasInterrupted())
      return signalPassFailure();
    ScopedDiagnosticHandler handler(&getContext(), [](Diagnostic &diagnostic) {
      return success(isAboutToolkit(diagnostic));
    });
    OpPassManager pm = passes();
    if (failed(runPipeline(pm, getOperation())))
      return signalPassFailure();
    numSerialized += described.size();
    getOperation().walk([&](gpu::BinaryOp binary) {
      for (NamedAttribute attribute : described.lookup(binary.getName()))
        binary->setAttr(attribute.getName(), attribute.getValue());
    });
  }
};
} // namespace

} // namespace astfe
