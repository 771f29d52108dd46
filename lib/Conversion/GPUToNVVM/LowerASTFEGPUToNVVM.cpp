//===- LowerASTFEGPUToNVVM.cpp - the pass over a gpu.module ---------------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Analysis/PassOption.h"
#include "ASTFE/Conversion/GPUToNVVM.h"
#include "ASTFE/Conversion/Passes.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/LoweringOptions.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace astfe {

#define GEN_PASS_DEF_LOWERASTFEGPUTONVVMPASS
#include "ASTFE/Conversion/Passes.h.inc"

core::Status checkIndexBits(int64_t bits) {
  if (bits == 32 || bits == 64)
    return core::Success();
  return optionError("index-bits", "32 or 64", std::to_string(bits));
}

namespace {

LogicalResult prepare(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateNVVMPreparationPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(false);
  return applyPatternsGreedily(module, std::move(patterns), config);
}

LogicalResult lowerControlFlow(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult convert(gpu::GPUModuleOp module, unsigned indexBits) {
  LowerToLLVMOptions options(module.getContext());
  options.overrideIndexBitwidth(indexBits);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter converter(module.getContext(), options);
  configureNVVMTypeConverter(converter);
  RewritePatternSet patterns(module.getContext());
  populateNVVMPatterns(converter, patterns);
  LLVMConversionTarget target(*module.getContext());
  configureGpuToNVVMConversionLegality(target);
  // Upstream prefers libdevice to these; PTX has instructions for them.
  target.addLegalOp<LLVM::CopySignOp, LLVM::FAbsOp, LLVM::FCeilOp, LLVM::Exp2Op,
                    LLVM::FFloorOp, LLVM::RoundEvenOp, LLVM::SqrtOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

/// gpu.dynamic_shared_memory becomes an internal array of no elements, which
/// PTX sizes as one static byte; only an external one is what a launch sizes.
void externalizeDynamicSharedMemory(gpu::GPUModuleOp module) {
  for (auto global : module.getOps<LLVM::GlobalOp>()) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
    if (array && array.getNumElements() == 0 &&
        global.getAddrSpace() ==
            static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
      global.setLinkage(LLVM::Linkage::External);
  }
}

struct LowerASTFEGPUToNVVMPass
    : CheckedOptions<
          impl::LowerASTFEGPUToNVVMPassBase<LowerASTFEGPUToNVVMPass>> {
  using CheckedOptions::CheckedOptions;

  core::Status checkOptions() override { return checkIndexBits(indexBits); }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(prepare(module)) || failed(lowerControlFlow(module)) ||
        failed(convert(module, indexBits)))
      return signalPassFailure();
    externalizeDynamicSharedMemory(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      numLowered +=
          function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
  }
};

} // namespace
} // namespace astfe
