//===- ToPTX.cpp - to GPU kernels, and the host code around them ----------===//
//
// Part of ASTFE, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ASTFE/Pipelines/ToPTX.h"
#include "ASTFE/Conversion/GPUToNVVM.h"
#include "ASTFE/Conversion/Passes.h"
#include "ASTFE/Core/Target/Chip.h"
#include "ASTFE/Pipelines/Passes.h"
#include "ASTFE/Transforms/Passes.h"
#include "AroundSparsifier.h"
#include "Register.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace astfe {

/// The option `features`, or what the chip needs.
static core::Result<std::string> featuresOf(const ToPTXOptions &options) {
  const core::Chip *chip = core::findChip(options.chip.getValue());
  if (!chip)
    return optionError("chip", core::chipNames(), options.chip);
  auto features = core::ptxFeatures(*chip, options.features.getValue());
  if (!features)
    return core::Error{"option 'features': " + features.message()};
  return features;
}

void buildLowerToKernelsStage(OpPassManager &pm, const ToPTXOptions &options) {
  if (options.host) {
    pm.addPass(createExposeBuffersPass());
    pm.addPass(createConvertASTFEToRuntimePass());
    pm.addPass(createForwardBuffersPass());
    // The host copies no memory of a device.
    if (!options.deviceOperands)
      pm.addPass(createCopyCarriedPass());
    pm.addPass(createBufferizePass());
    // Kernels on a device's operands may still run where the host goes on.
    if (!options.deviceOperands)
      pm.addPass(createFreeTemporariesPass());
  }
  ConvertASTFEToGPUPassOptions convert;
  convert.columnTile = options.columnTile;
  convert.deviceOperands = options.deviceOperands;
  convert.longRows = options.longRows;
  pm.addPass(createConvertASTFEToGPUPass(convert));
  // Host code may not be bufferized yet: what is equal there need not be one.
  pm.addNestedPass<gpu::GPUModuleOp>(createCSEPass());
}

void buildSerializeStage(OpPassManager &pm, const ToPTXOptions &options) {
  GpuNVVMAttachTargetOptions attach;
  attach.chip = options.chip;
  // What a tool built from wrong options is refused at each gpu.module.
  auto features = featuresOf(options);
  attach.features = features ? *features : options.features.getValue();
  attach.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(attach));
  LowerASTFEGPUToNVVMPassOptions lower;
  lower.indexBits = options.indexBits;
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLowerASTFEGPUToNVVMPass(lower));
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  SerializeKernelsPassOptions serialize;
  serialize.format = options.format;
  pm.addPass(createSerializeKernelsPass(serialize));
}

void buildLowerHostForGPU(OpPassManager &pm) {
  sparse_tensor::SparsifierOptions upstream;
  upstream.enableRuntimeLibrary = false;
  buildSparsifierFromBuffers(pm, upstream);
  GpuToLLVMConversionPassOptions launches;
  launches.kernelBarePtrCallConv = true;
  pm.addPass(createGpuToLLVMConversionPass(launches));
  // Reshapes of what launches write are left.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void buildToPTXPipeline(OpPassManager &pm, const ToPTXOptions &options) {
  RaiseStage raise;
  raise.gpu = true;
  raise.packs = options.wantsPacked();
  raise.fusesChains = options.fuse;
  raise.rowSums = raise.slices = !options.deviceOperands;
  buildRaiseStage(pm, raise);
  pm.addPass(createExpectKernelsPass());
  buildPartitionStage(pm, options);
  buildSelectStage(pm, options);
  buildLowerToKernelsStage(pm, options);
  buildSerializeStage(pm, options);
  if (options.host)
    buildLowerHostForGPU(pm);
}

static core::Status checkToPTX(const ToPTXOptions &options) {
  if (auto features = featuresOf(options); !features)
    return features.error();
  return allOf({checkIndexBits(options.indexBits), checkStages(options)});
}

void registerGPUPipelines() {
  registerPipeline<ToPTXOptions>("astfe-to-ptx",
                                 "Sparse linear algebra to GPU kernels as PTX; "
                                 "with host, the host code to the LLVM dialect "
                                 "too",
                                 buildToPTXPipeline, checkToPTX);
}

} // namespace astfe
